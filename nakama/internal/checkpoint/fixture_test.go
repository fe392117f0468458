package checkpoint

import (
	"context"
	"database/sql"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/heroiclabs/nakama-common/runtime"

	"setmatch/nakama/internal/fake"
	"setmatch/nakama/pb"
)

// process is a Nakama process with a store.
type process struct {
	t       testing.TB
	db      *sql.DB
	network *wire
	store   *Store
	meters  *fakeMeters

	mu     sync.Mutex
	lost   []string
	panics int
}

// start starts a process on a node. The test's first process begins with empty tables.
func start(t testing.TB, node string) *process {
	t.Helper()
	p, err := tryStart(t, node)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func tryStart(t testing.TB, node string) (*process, error) {
	t.Helper()
	db, network := database(t)
	p := &process{t: t, db: db, network: network, meters: &fakeMeters{aside: make(map[Reason]int)}}
	var err error
	p.store, err = Open(t.Context(), Config{
		DB: db, Node: node, Interval: time.Millisecond, MaxAge: time.Hour, Meters: p.meters, Logger: quiet{},
		Panicked: func(any) { p.mu.Lock(); defer p.mu.Unlock(); p.panics++ },
	})
	if err == nil {
		t.Cleanup(p.kill)
	}
	return p, err
}

// reset deletes the tables of earlier tests.
func reset(t testing.TB) {
	t.Helper()
	db, _ := database(t)
	exec1(t, db, `DROP TABLE IF EXISTS set_checkpoints, set_checkpoint_leases`)
}

// kill ends the process like a crash: its connections are closed, and nothing more is written.
func (p *process) kill() {
	p.store.cancel()
	p.network.cut()
	p.store.running.Wait()
}

// freeze stops the renewals and the flusher, but keeps the connections open, like a process that hangs.
func (p *process) freeze() {
	p.store.cancel()
	p.store.running.Wait()
	p.store.stop, p.store.cancel = context.WithCancel(context.Background())
}

func (p *process) add(match string) *Entry {
	return p.store.New(match, p.lose(match))
}

func (p *process) lose(match string) func() {
	return func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.lost = append(p.lost, match)
	}
}

func (p *process) losses() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return append([]string(nil), p.lost...)
}

func (p *process) rows() []*Row {
	p.t.Helper()
	rows, err := p.store.Rows(p.t.Context())
	if err != nil {
		p.t.Fatal(err)
	}
	return rows
}

// save updates an entry and waits until it is written.
func (p *process) save(e *Entry, state string) {
	p.t.Helper()
	e.Update(image{match: e.match, state: state})
	p.flush(e)
}

func (p *process) flush(e *Entry) {
	p.t.Helper()
	ctx, cancel := context.WithTimeout(p.t.Context(), fake.Timeout)
	defer cancel()
	if err := e.Flush(ctx); err != nil {
		p.t.Fatal(err)
	}
}

// states returns the states of rows by match.
func states(rows []*Row) map[string]string {
	all := make(map[string]string)
	for _, row := range rows {
		all[row.Match] = string(row.Checkpoint.State)
	}
	return all
}

// image is an image of a match with a state.
type image struct {
	match string
	state string
	err   error
	panic bool
}

func (i image) Encode() ([]byte, error) {
	if i.panic {
		panic("scripted")
	}
	if i.err != nil {
		return nil, i.err
	}
	return Encode(&pb.Checkpoint{MatchId: i.match, State: []byte(i.state)})
}

type fakeMeters struct {
	mu      sync.Mutex
	written int
	failed  int
	revived int
	aside   map[Reason]int
}

func (m *fakeMeters) change(change func()) {
	m.mu.Lock()
	defer m.mu.Unlock()
	change()
}

func (m *fakeMeters) RowsWritten(rows int, _ time.Duration) { m.change(func() { m.written += rows }) }
func (m *fakeMeters) WriteFailed()                          { m.change(func() { m.failed++ }) }
func (m *fakeMeters) MatchRevived()                         { m.change(func() { m.revived++ }) }
func (m *fakeMeters) RowSetAside(reason Reason)             { m.change(func() { m.aside[reason]++ }) }

func (m *fakeMeters) failures() (failed int) {
	m.change(func() { failed = m.failed })
	return failed
}

func (m *fakeMeters) rows() (written int) {
	m.change(func() { written = m.written })
	return written
}

func equal[T any](t testing.TB, what string, got, want T) {
	t.Helper()
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("%s: got %v, want %v", what, got, want)
	}
}

// quiet is a logger without output.
type quiet struct{}

func (quiet) Debug(string, ...any)                     {}
func (quiet) Info(string, ...any)                      {}
func (quiet) Warn(string, ...any)                      {}
func (quiet) Error(string, ...any)                     {}
func (quiet) WithField(string, any) runtime.Logger     { return quiet{} }
func (quiet) WithFields(map[string]any) runtime.Logger { return quiet{} }
func (quiet) Fields() map[string]any                   { return nil }
