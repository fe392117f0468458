package main

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/heroiclabs/nakama-common/runtime"
	"google.golang.org/grpc/connectivity"

	"setmatch/nakama/internal/limits"
)

// hung is how long a test waits for something before it says that it will never come.
const hung = 20 * time.Second

// rig is one match between a fake Nakama and a fake service, with a clock that the test moves.
type rig struct {
	t       testing.TB
	service *fakeService
	nakama  *fakeNakama
	logger  *fakeLogger
	shim    *shim
	adapter *matchAdapter
	clock   *fakeClock
	match   *matchState
	out     *fakeDispatcher
	ctx     context.Context
	cancel  context.CancelFunc
	tick    int64
}

// generous is settings with limits that no test meets by accident.
func generous() settings {
	return settings{limits: limits.Config{Matches: 1000, MatchesPerUser: 1000, CallsInFlight: 1000}}
}

// newRig makes everything but the match.
func newRig(t testing.TB) *rig {
	t.Helper()
	r := &rig{
		t: t, service: startService(t), nakama: newFakeNakama(), logger: newFakeLogger(), out: &fakeDispatcher{},
		clock: &fakeClock{at: time.Date(2026, 11, 29, 12, 0, 0, 0, time.UTC)},
	}
	r.shim = newShim(r.nakama, r.logger, generous())
	rules, err := dialRules(settings{addr: r.service.addr, connections: 1}, r.shim.meters, t.Error)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(rules.close)
	r.shim.rules = rules
	r.shim.now = r.clock.now
	r.adapter = &matchAdapter{shim: r.shim}
	r.nakama.adapter = r.adapter
	t.Cleanup(r.nakama.stopMatches)
	r.await("a connection", func() bool { return rules.reachable(0) })
	return r
}

// newMatch makes a rig with a match that has just begun; the calls of its creation are taken.
func newMatch(t testing.TB) *rig {
	t.Helper()
	r := newRig(t)
	r.ctx, r.cancel = matchContext("match.node")
	t.Cleanup(r.cancel)
	state, _, _ := r.adapter.MatchInit(r.ctx, r.logger, nil, r.nakama, nil)
	if state == nil {
		t.Fatal("the match did not begin")
	}
	r.match = state.(*matchState)
	r.service.take()
	return r
}

// await waits for what another goroutine does.
func (r *rig) await(what string, done func() bool) {
	r.t.Helper()
	for end := time.Now().Add(hung); !done(); time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			r.t.Fatalf("waited in vain for %s", what)
		}
	}
}

// pass lets time go by.
func (r *rig) pass(ms int64) {
	r.clock.pass(time.Duration(ms) * time.Millisecond)
}

// loop plays one tick with some inputs and returns what Nakama gets back.
func (r *rig) loop(messages ...runtime.MatchData) any {
	next := r.adapter.MatchLoop(r.ctx, r.logger, nil, r.nakama, r.out, r.tick, r.match, messages)
	r.tick++
	return next
}

// loops plays ticks without input, each 50 ms after the one before.
func (r *rig) loops(count int) {
	for range count {
		r.pass(50)
		r.loop()
	}
}

func (r *rig) join(names ...string) any {
	return r.adapter.MatchJoin(r.ctx, r.logger, nil, r.nakama, r.out, r.tick, r.match, presences(names))
}

func (r *rig) leave(reason runtime.PresenceReason, name string) any {
	gone := presence(name)
	gone.reason = reason
	return r.adapter.MatchLeave(r.ctx, r.logger, nil, r.nakama, r.out, r.tick, r.match, []runtime.Presence{gone})
}

func (r *rig) attempt(name string) (any, bool, string) {
	return r.adapter.MatchJoinAttempt(
		r.ctx, r.logger, nil, r.nakama, r.out, r.tick, r.match, presence(name), map[string]string{"from": "test"})
}

func (r *rig) terminate(grace int) any {
	return r.adapter.MatchTerminate(r.ctx, r.logger, nil, r.nakama, r.out, r.tick, r.match, grace)
}

func (r *rig) signal(text string) (any, string) {
	return r.adapter.MatchSignal(r.ctx, r.logger, nil, r.nakama, r.out, r.tick, r.match, text)
}

// unplug makes the connections look gone, plug makes them look made again.
func (r *rig) unplug() { r.shim.rules.note(r.shim.rules.links[0], connectivity.TransientFailure) }
func (r *rig) plug()   { r.shim.rules.note(r.shim.rules.links[0], connectivity.Ready) }

// input is what a player sends, received now.
func (r *rig) input(name, data string) runtime.MatchData {
	return &fakeInput{fakePresence: presence(name), data: data, at: r.clock.now().UnixMilli()}
}

type fakeClock struct {
	mu sync.Mutex
	at time.Time
}

func (c *fakeClock) now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.at
}

func (c *fakeClock) pass(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.at = c.at.Add(d)
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

// fakeDispatcher writes down what a match does to its players, in order.
type fakeDispatcher struct {
	did    []string
	broken bool
	panics bool
}

func (d *fakeDispatcher) BroadcastMessage(
	op int64, data []byte, targets []runtime.Presence, sender runtime.Presence, reliable bool,
) error {
	if d.panics {
		panic("scripted")
	}
	if !reliable || sender != nil {
		return errors.New("not as the match sends")
	}
	return d.do(fmt.Sprintf("%s to %s", data, audience(targets)))
}

func (d *fakeDispatcher) BroadcastMessageDeferred(int64, []byte, []runtime.Presence, runtime.Presence, bool) error {
	return errors.New("not as the match sends")
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
	d.did = append(d.did, what)
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

// took returns what was done since the last time.
func (d *fakeDispatcher) took() []string {
	did := d.did
	d.did = nil
	if did == nil {
		return []string{}
	}
	return did
}
