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

	"setmatch/nakama/internal/fake"
	"setmatch/nakama/pb"
)

const ann = "0b7e6c5d-0000-4000-8000-00000000000a"

var (
	clockStart  = time.Date(2026, 11, 29, 12, 0, 0, 0, time.UTC)
	errDatabase = errors.New("scripted: outage of the database")
	errRejected = &pgconn.PgError{Code: "22P05", Message: "scripted: unsupported Unicode escape sequence"}
)

// fakeSink is Nakama's storage and leaderboards. A script makes writes fail.
type fakeSink struct {
	mu       sync.Mutex
	written  []string          // descriptions of successful writes
	boards   map[string]string // properties by leaderboard id
	attempts int
	script   func(attempt int, target string) error // returns the error of an attempt; nil: none
}

func (s *fakeSink) attempt(target, description string) error {
	s.mu.Lock()
	s.attempts++
	number, script := s.attempts, s.script
	s.mu.Unlock()
	if script != nil {
		if err := script(number, target); err != nil {
			return err
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.written = append(s.written, description)
	return nil
}

func (s *fakeSink) StorageWrite(_ context.Context, writes []*runtime.StorageWrite) ([]*api.StorageObjectAck, error) {
	w := writes[0]
	return nil, s.attempt(w.Key, fmt.Sprintf("%s/%s=%s version %q read %d", w.Collection, w.Key, w.Value, w.Version, w.PermissionRead))
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
	return nil, s.attempt(id, fmt.Sprintf("%s %d", id, score))
}

func (s *fakeSink) LeaderboardRecordsList(
	context.Context, string, []string, int, string, int64,
) ([]*api.LeaderboardRecord, []*api.LeaderboardRecord, string, string, error) {
	return nil, nil, "", "", nil
}

func (s *fakeSink) attemptCount() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.attempts
}

func (s *fakeSink) writes() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.written)
}

// fakeMeters counts events by name.
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

func (m *fakeMeters) nonZero() map[string]int {
	m.mu.Lock()
	defer m.mu.Unlock()
	counts := maps.Clone(m.counts)
	maps.DeleteFunc(counts, func(_ string, count int) bool { return count == 0 })
	return counts
}

// fakeLogger records messages with their fields.
type fakeLogger struct {
	runtime.Logger
	fields map[string]any
	lines  *lines
}

type lines struct {
	mu    sync.Mutex
	texts []string
}

func (l *fakeLogger) Warn(format string, _ ...any)  { l.write(format) }
func (l *fakeLogger) Error(format string, _ ...any) { l.write(format) }

func (l *fakeLogger) WithFields(fields map[string]any) runtime.Logger {
	return &fakeLogger{fields: fields, lines: l.lines}
}

func (l *fakeLogger) write(format string) {
	l.lines.mu.Lock()
	defer l.lines.mu.Unlock()
	l.lines.texts = append(l.lines.texts, format+fmt.Sprint(l.fields))
}

func (l *fakeLogger) text() string {
	l.lines.mu.Lock()
	defer l.lines.mu.Unlock()
	return strings.Join(l.lines.texts, "\n")
}

// testWorker is a worker with a fake clock. Pauses advance the clock and are recorded.
type testWorker struct {
	*Worker
	t      *testing.T
	sink   *fakeSink
	meters *fakeMeters
	log    *fakeLogger

	mu     sync.Mutex
	at     time.Time
	pauses []time.Duration
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
		b.pauses, b.at = append(b.pauses, d), b.at.Add(d)
		fired := make(chan time.Time, 1)
		fired <- b.at
		return fired
	}
	return b
}

func (b *testWorker) now() time.Time {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.at
}

// blockPauses makes pauses last until the worker drains or stops.
func (b *testWorker) blockPauses() {
	b.Worker.after = func(time.Duration) <-chan time.Time { return nil }
}

func (b *testWorker) waitUntil(what string, condition func() bool) {
	b.t.Helper()
	fake.WaitUntil(b.t, what, condition)
}

// waitIdle waits until all effects are written or set aside.
func (b *testWorker) waitIdle() {
	b.t.Helper()
	b.waitUntil("idle worker", b.Idle)
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
	b.Worker.Add(nil, effects)
}
