package match

import (
	"context"
	"testing"
	"time"

	"github.com/heroiclabs/nakama-common/runtime"

	"setmatch/nakama/internal/config"
	"setmatch/nakama/internal/fake"
	"setmatch/nakama/internal/limits"
	"setmatch/nakama/internal/links"
	"setmatch/nakama/internal/rules"
)

// fixture is a match between a fake Nakama and a fake service, with a fake clock.
type fixture struct {
	t       testing.TB
	service *fake.Service
	nakama  *fake.Nakama
	logger  *fake.Logger
	shared  *Shared
	links   *testLinks
	adapter *matchAdapter
	clock   *fake.Clock
	match   *matchState
	out     *fake.Dispatcher
	ctx     context.Context
	cancel  context.CancelFunc
	tick    int64
}

// highLimits returns settings with limits that no test reaches by accident.
func highLimits() config.Settings {
	return config.Settings{Limits: limits.Config{Matches: 1000, MatchesPerUser: 1000, CallsInFlight: 1000}}
}

// newFixture returns a fixture without a match.
func newFixture(t testing.TB) *fixture {
	t.Helper()
	r := &fixture{
		t: t, service: fake.StartService(t), nakama: fake.NewNakama(), logger: fake.NewLogger(), out: &fake.Dispatcher{},
		clock: &fake.Clock{At: time.Date(2026, 11, 29, 12, 0, 0, 0, time.UTC)},
	}
	r.shared = New(r.nakama, r.logger, highLimits())
	r.useRules(config.Settings{Addr: r.service.Addr, Connections: 1}, nil)
	r.shared.now = r.clock.Now
	r.adapter = &matchAdapter{shared: r.shared}
	r.nakama.Handler = r.adapter
	t.Cleanup(r.nakama.StopMatches)
	r.waitUntil("a connection", r.shared.Rules.Links.Reachable)
	return r
}

// useRules connects the shim to the addresses of some settings.
func (r *fixture) useRules(s config.Settings, lookup links.LookupFunc) {
	r.t.Helper()
	s.Connections = max(s.Connections, 1)
	pool, err := rules.Dial(s, lookup, fake.FailOnPanic(r.t))
	if err != nil {
		r.t.Fatal(err)
	}
	r.t.Cleanup(pool.Close)
	r.links = &testLinks{Links: pool}
	r.shared.Rules.Links = r.links
	r.shared.Batcher = rules.NewBatcher(s.BatchWindow(), r.shared.Meters, fake.FailOnPanic(r.t))
}

// testLinks is real links whose connections can seem to be lost.
type testLinks struct {
	rules.Links
	lost       bool
	reconnects int64
}

func (l *testLinks) Reachable() bool { return !l.lost && l.Links.Reachable() }

func (l *testLinks) Connects() int64 { return l.reconnects + l.Links.Connects() }

// newMatch returns a fixture with a new match. The calls of its creation are already removed from the fake service.
func newMatch(t testing.TB) *fixture {
	t.Helper()
	r := newFixture(t)
	r.ctx, r.cancel = fake.MatchContext("match.node")
	t.Cleanup(r.cancel)
	state, _, _ := r.adapter.MatchInit(r.ctx, r.logger, nil, r.nakama, nil)
	if state == nil {
		t.Fatal("MatchInit failed")
	}
	r.match = state.(*matchState)
	r.service.TakeCalls()
	return r
}

// waitUntil waits for a condition that another goroutine fulfils.
func (r *fixture) waitUntil(what string, done func() bool) {
	r.t.Helper()
	fake.WaitUntil(r.t, what, done)
}

// advance advances the fake clock.
func (r *fixture) advance(ms int64) {
	r.clock.Advance(time.Duration(ms) * time.Millisecond)
}

// loop runs one tick with some inputs and returns the new state for Nakama.
func (r *fixture) loop(messages ...runtime.MatchData) any {
	next := r.adapter.MatchLoop(r.ctx, r.logger, nil, r.nakama, r.out, r.tick, r.match, messages)
	r.tick++
	return next
}

// loops runs ticks without input at intervals of 50 ms.
func (r *fixture) loops(count int) {
	for range count {
		r.advance(50)
		r.loop()
	}
}

func (r *fixture) join(names ...string) any {
	return r.adapter.MatchJoin(r.ctx, r.logger, nil, r.nakama, r.out, r.tick, r.match, fake.Presences(names))
}

func (r *fixture) leave(reason runtime.PresenceReason, name string) any {
	left := fake.NewPresence(name)
	left.Reason = reason
	return r.adapter.MatchLeave(r.ctx, r.logger, nil, r.nakama, r.out, r.tick, r.match, []runtime.Presence{left})
}

func (r *fixture) attempt(name string) (any, bool, string) {
	return r.adapter.MatchJoinAttempt(
		r.ctx, r.logger, nil, r.nakama, r.out, r.tick, r.match, fake.NewPresence(name), map[string]string{"from": "test"})
}

func (r *fixture) terminate(grace int) any {
	return r.adapter.MatchTerminate(r.ctx, r.logger, nil, r.nakama, r.out, r.tick, r.match, grace)
}

func (r *fixture) signal(text string) (any, string) {
	return r.adapter.MatchSignal(r.ctx, r.logger, nil, r.nakama, r.out, r.tick, r.match, text)
}

// disconnect and reconnect change the state of the links as gRPC does after a lost and a new connection.
func (r *fixture) disconnect() { r.links.lost = true }

func (r *fixture) reconnect() {
	if r.links.lost {
		r.links.lost = false
		r.links.reconnects++
	}
}

// input returns a player's message that is received now.
func (r *fixture) input(name, data string) runtime.MatchData {
	return fake.NewInput(name, data, r.clock.Now().UnixMilli())
}
