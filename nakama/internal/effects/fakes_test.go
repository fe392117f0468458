package effects

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/heroiclabs/nakama-common/api"
	"github.com/heroiclabs/nakama-common/runtime"
	"github.com/jackc/pgx/v5/pgconn"

	"setmatch/nakama/pb"
)

// hung is how long a test waits for something before it fails.
const hung = 20 * time.Second

const ann = "0b7e6c5d-0000-4000-8000-00000000000a"

var (
	clockStart  = time.Date(2026, 11, 29, 12, 0, 0, 0, time.UTC)
	errDatabase = errors.New("scripted: database away")
	errRejected = &pgconn.PgError{Code: "22P05", Message: "scripted: unsupported Unicode escape sequence"}
)

// fakeSink is Nakama's storage and leaderboards; the scripts make writes fail.
type fakeSink struct {
	mu       sync.Mutex
	did      []string
	boards   map[string]string
	attempts int
	script   func(attempt int, target string) error
}

func (s *fakeSink) try(target, what string) error {
	s.mu.Lock()
	s.attempts++
	attempt, script := s.attempts, s.script
	s.mu.Unlock()
	if script != nil {
		if err := script(attempt, target); err != nil {
			return err
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.did = append(s.did, what)
	return nil
}

func (s *fakeSink) StorageWrite(_ context.Context, writes []*runtime.StorageWrite) ([]*api.StorageObjectAck, error) {
	w := writes[0]
	return nil, s.try(w.Key, fmt.Sprintf("%s/%s=%s version %q read %d", w.Collection, w.Key, w.Value, w.Version, w.PermissionRead))
}

func (s *fakeSink) StorageRead(context.Context, []*runtime.StorageRead) ([]*api.StorageObject, error) {
	return nil, nil
}

func (s *fakeSink) LeaderboardCreate(
	_ context.Context, id string, authoritative bool, order, operator, reset string, _ map[string]any, ranks bool,
) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.boards == nil {
		s.boards = make(map[string]string)
	}
	s.boards[id] = fmt.Sprintf("%t %s %s %q %t", authoritative, order, operator, reset, ranks)
	return nil
}

func (s *fakeSink) LeaderboardRecordWrite(
	_ context.Context, id, owner, _ string, score, _ int64, _ map[string]any, _ *int,
) (*api.LeaderboardRecord, error) {
	return nil, s.try(id, fmt.Sprintf("%s %d", id, score))
}

func (s *fakeSink) LeaderboardRecordsList(
	context.Context, string, []string, int, string, int64,
) ([]*api.LeaderboardRecord, []*api.LeaderboardRecord, string, string, error) {
	return nil, nil, "", "", nil
}

func (s *fakeSink) tried() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.attempts
}

func (s *fakeSink) done() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.did)
}

// fakeMeters counts by name.
type fakeMeters struct {
	mu     sync.Mutex
	counts map[string]int
}

func (m *fakeMeters) add(name string, delta int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.counts[name] += delta
}

func (m *fakeMeters) EffectsWait(delta int)        { m.add("waiting", delta) }
func (m *fakeMeters) EffectFailed()                { m.add("failed", 1) }
func (m *fakeMeters) EffectSetAside(reason Reason) { m.add(string(reason), 1) }

func (m *fakeMeters) all() map[string]int {
	m.mu.Lock()
	defer m.mu.Unlock()
	all := maps.Clone(m.counts)
	maps.DeleteFunc(all, func(_ string, count int) bool { return count == 0 })
	return all
}

// fakeLogger keeps what was logged, fields included.
type fakeLogger struct {
	runtime.Logger
	fields map[string]any
	lines  *lines
}

type lines struct {
	mu   sync.Mutex
	text []string
}

func (l *fakeLogger) Warn(format string, _ ...any)  { l.write(format) }
func (l *fakeLogger) Error(format string, _ ...any) { l.write(format) }

func (l *fakeLogger) WithFields(fields map[string]any) runtime.Logger {
	return &fakeLogger{fields: fields, lines: l.lines}
}

func (l *fakeLogger) write(format string) {
	l.lines.mu.Lock()
	defer l.lines.mu.Unlock()
	l.lines.text = append(l.lines.text, format+fmt.Sprint(l.fields))
}

func (l *fakeLogger) all() string {
	l.lines.mu.Lock()
	defer l.lines.mu.Unlock()
	return strings.Join(l.lines.text, "\n")
}

// testWorker is a worker whose pauses take no time but are noted.
type testWorker struct {
	*Worker
	t      *testing.T
	sink   *fakeSink
	meters *fakeMeters
	log    *fakeLogger

	mu     sync.Mutex
	at     time.Time
	paused []time.Duration
}

func newTestWorker(t *testing.T, folder string) *testWorker {
	b := &testWorker{
		t: t, sink: &fakeSink{}, meters: &fakeMeters{counts: make(map[string]int)}, log: &fakeLogger{lines: &lines{}},
		at: clockStart,
	}
	b.Worker = New(Config{
		Sink: b.sink, Folder: folder, Meters: b.meters, Logger: b.log, Now: b.now,
		Panicked: func(any) { b.meters.add("panics", 1) },
	})
	b.Worker.after = func(d time.Duration) <-chan time.Time {
		b.mu.Lock()
		defer b.mu.Unlock()
		b.paused, b.at = append(b.paused, d), b.at.Add(d)
		over := make(chan time.Time, 1)
		over <- b.at
		return over
	}
	return b
}

func (b *testWorker) now() time.Time {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.at
}

// hold makes pauses last until the worker hurries or stops.
func (b *testWorker) hold() {
	b.Worker.after = func(time.Duration) <-chan time.Time { return nil }
}

func (b *testWorker) await(what string, done func() bool) {
	b.t.Helper()
	for end := time.Now().Add(hung); !done(); time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			b.t.Fatalf("waited in vain for %s", what)
		}
	}
}

func (b *testWorker) finish() {
	b.t.Helper()
	b.await("the effects to be finished", b.Idle)
}

func storing(key string) *pb.Effect {
	w := &pb.StorageWrite{Collection: "c", Key: key, Value: []byte("{}"), CreateOnly: true}
	return expiring(&pb.Effect{Kind: &pb.Effect_StorageWrite{StorageWrite: w}})
}

func ranking(board string, score int64) *pb.Effect {
	w := &pb.LeaderboardWrite{
		LeaderboardId: board, OwnerId: ann, Score: score, Operator: pb.Operator_OPERATOR_INCREMENT,
	}
	return expiring(&pb.Effect{Kind: &pb.Effect_LeaderboardWrite{LeaderboardWrite: w}})
}

func expiring(effect *pb.Effect) *pb.Effect {
	effect.ExpiresUnixMs = clockStart.Add(time.Hour).UnixMilli()
	return effect
}

func (b *testWorker) add(effects ...*pb.Effect) {
	b.Worker.Add(effects)
}
