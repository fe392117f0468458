package setmatch

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/heroiclabs/nakama-common/runtime"

	"setmatch/nakama/internal/config"
	"setmatch/nakama/internal/fake"
	"setmatch/nakama/internal/limits"
	"setmatch/nakama/internal/links"
	"setmatch/nakama/internal/rules"
)

// testTimeout is how long a test waits for an event.
const testTimeout = 20 * time.Second

// fixture is a match between a fake Nakama and a fake service, with a fake clock.
type fixture struct {
	t       testing.TB
	service *fakeService
	nakama  *fakeNakama
	logger  *fake.Logger
	shim    *shim
	links   *testLinks
	adapter *matchAdapter
	clock   *fake.Clock
	match   *matchState
	out     *fakeDispatcher
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
		t: t, service: startService(t), nakama: newFakeNakama(), logger: fake.NewLogger(), out: &fakeDispatcher{},
		clock: &fake.Clock{At: time.Date(2026, 11, 29, 12, 0, 0, 0, time.UTC)},
	}
	r.shim = newShim(r.nakama, r.logger, highLimits())
	r.useRules(config.Settings{Addr: r.service.addr, Connections: 1}, nil)
	r.shim.now = r.clock.Now
	r.adapter = &matchAdapter{shim: r.shim}
	r.nakama.adapter = r.adapter
	t.Cleanup(r.nakama.stopMatches)
	r.waitUntil("a connection", r.shim.rules.Links.Reachable)
	return r
}

// useRules connects the shim to the addresses of some settings.
func (r *fixture) useRules(s config.Settings, lookup links.LookupFunc) {
	r.t.Helper()
	s.Connections = max(s.Connections, 1)
	pool, err := rules.Dial(s, lookup, r.t.Error)
	if err != nil {
		r.t.Fatal(err)
	}
	r.t.Cleanup(pool.Close)
	r.links = &testLinks{Links: pool}
	r.shim.rules.Links = r.links
	r.shim.batcher = rules.NewBatcher(s.BatchWindow(), r.shim.meters, r.t.Error)
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
	r.ctx, r.cancel = matchContext("match.node")
	t.Cleanup(r.cancel)
	state, _, _ := r.adapter.MatchInit(r.ctx, r.logger, nil, r.nakama, nil)
	if state == nil {
		t.Fatal("MatchInit failed")
	}
	r.match = state.(*matchState)
	r.service.takeCalls()
	return r
}

// waitUntil waits for a condition that another goroutine fulfils.
func (r *fixture) waitUntil(what string, done func() bool) {
	r.t.Helper()
	for end := time.Now().Add(testTimeout); !done(); time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			r.t.Fatalf("timeout while waiting: %s", what)
		}
	}
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
	return r.adapter.MatchJoin(r.ctx, r.logger, nil, r.nakama, r.out, r.tick, r.match, presences(names))
}

func (r *fixture) leave(reason runtime.PresenceReason, name string) any {
	left := presence(name)
	left.reason = reason
	return r.adapter.MatchLeave(r.ctx, r.logger, nil, r.nakama, r.out, r.tick, r.match, []runtime.Presence{left})
}

func (r *fixture) attempt(name string) (any, bool, string) {
	return r.adapter.MatchJoinAttempt(
		r.ctx, r.logger, nil, r.nakama, r.out, r.tick, r.match, presence(name), map[string]string{"from": "test"})
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
	return &fakeInput{fakePresence: presence(name), data: data, at: r.clock.Now().UnixMilli()}
}

type fakePresence struct {
	name   string
	reason runtime.PresenceReason
}

func presence(name string) *fakePresence { return &fakePresence{name: name} }

func presences(names []string) []runtime.Presence {
	list := make([]runtime.Presence, 0, len(names))
	for _, name := range names {
		list = append(list, presence(name))
	}
	return list
}

func (p *fakePresence) GetHidden() bool                   { return false }
func (p *fakePresence) GetPersistence() bool              { return false }
func (p *fakePresence) GetUsername() string               { return "name of " + p.name }
func (p *fakePresence) GetStatus() string                 { return "" }
func (p *fakePresence) GetReason() runtime.PresenceReason { return p.reason }
func (p *fakePresence) GetUserId() string                 { return "user of " + p.name }
func (p *fakePresence) GetSessionId() string              { return p.name }
func (p *fakePresence) GetNodeId() string                 { return "node" }

type fakeInput struct {
	*fakePresence
	data string
	at   int64
}

func (i *fakeInput) GetOpCode() int64      { return 1 }
func (i *fakeInput) GetData() []byte       { return []byte(i.data) }
func (i *fakeInput) GetReliable() bool     { return true }
func (i *fakeInput) GetReceiveTime() int64 { return i.at }

// fakeDispatcher stores the actions of a match in order: broadcasts, labels and kicks.
type fakeDispatcher struct {
	actions []string
	broken  bool
	panics  bool
}

func (d *fakeDispatcher) BroadcastMessage(
	op int64, data []byte, targets []runtime.Presence, sender runtime.Presence, reliable bool,
) error {
	if d.panics {
		panic("scripted")
	}
	if !reliable || sender != nil {
		return errors.New("unexpected arguments")
	}
	return d.do(fmt.Sprintf("%s to %s", data, audience(targets)))
}

func (d *fakeDispatcher) BroadcastMessageDeferred(int64, []byte, []runtime.Presence, runtime.Presence, bool) error {
	return errors.New("unexpected arguments")
}

func (d *fakeDispatcher) MatchKick(targets []runtime.Presence) error {
	return d.do("kick " + audience(targets))
}

func (d *fakeDispatcher) MatchLabelUpdate(label string) error {
	return d.do("label " + label)
}

func (d *fakeDispatcher) do(what string) error {
	if d.broken {
		return errors.New("scripted")
	}
	d.actions = append(d.actions, what)
	return nil
}

func audience(targets []runtime.Presence) string {
	if targets == nil {
		return "all"
	}
	names := []string{}
	for _, target := range targets {
		names = append(names, target.GetSessionId())
	}
	return fmt.Sprint(names)
}

// takeActions returns the actions since the last call.
func (d *fakeDispatcher) takeActions() []string {
	actions := d.actions
	d.actions = nil
	if actions == nil {
		return []string{}
	}
	return actions
}
