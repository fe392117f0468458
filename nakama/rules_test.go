package main

import (
	"context"
	"fmt"
	"testing"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/connectivity"
	"google.golang.org/grpc/status"

	"setmatch/nakama/pb"
)

// dial opens the links of some settings and returns a shim that uses them.
func dial(t *testing.T, s settings) (*fixture, *rulesPool) {
	t.Helper()
	if s.connections == 0 {
		s.connections = 1
	}
	n := newFakeNakama()
	r := &fixture{t: t, nakama: n, shim: newShim(n, newFakeLogger(), highLimits())}
	rules, err := dialRules(s, r.shim.meters, t.Error)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(rules.close)
	r.shim.rules = rules
	return r, rules
}

func callOptions(r *fixture, linkIndex int) error {
	do := pb.MatchHandlerServiceClient.MatchOptions
	_, err := invoke(context.Background(), r.shim, linkIndex, "MatchOptions", testTimeout, do, &pb.MatchOptionsRequest{})
	return err
}

func (p *rulesPool) allReady() bool {
	for _, link := range p.links {
		if !link.ready.Load() {
			return false
		}
	}
	return true
}

func TestDialingDoesNotWaitForTheService(t *testing.T) {
	r, rules := dial(t, settings{addr: "127.0.0.1:1", connections: 4})
	if rules.reachable() || len(rules.links) != 4 {
		t.Errorf("%d connections, reachable %t", len(rules.links), rules.reachable())
	}
	if err := callOptions(r, 0); status.Code(err) != codes.Unavailable {
		t.Errorf("got %v", err)
	}
}

func TestConnectionsOpenWithoutCall(t *testing.T) {
	f := startService(t)
	r, rules := dial(t, settings{addr: f.addr, connections: 4})
	r.waitUntil("all connections", rules.allReady)
	wantNoCalls(t, f)
}

func wantNoCalls(t *testing.T, f *fakeService) {
	t.Helper()
	if calls := f.takeMethods(); len(calls) > 0 {
		t.Errorf("calls %q", calls)
	}
}

func TestClientReconnectsToRestartedService(t *testing.T) {
	f := startService(t)
	r, rules := dial(t, settings{addr: f.addr, connections: 2})
	r.waitUntil("all connections", rules.allReady)
	for range 3 {
		connectCount := rules.connectCount.Load()
		f.server.Stop()
		r.waitUntil("the loss", func() bool { return !rules.reachable() })
		f.serve(t, f.addr)
		r.waitUntil("all connections", rules.allReady)
		if rules.connectCount.Load() != connectCount+2 {
			t.Errorf("%d new connections were counted, want 2", rules.connectCount.Load()-connectCount)
		}
		if err := callOptions(r, 0); err != nil {
			t.Error(err)
		}
	}
}

func TestCallsAreSpreadOverAddresses(t *testing.T) {
	services := []*fakeService{startService(t), startService(t), startService(t)}
	addr := fmt.Sprintf("%s,%s, %s", services[0].addr, services[1].addr, services[2].addr)
	r, rules := dial(t, settings{addr: addr})
	r.waitUntil("a connection", rules.allReady)
	for _, f := range services {
		r.waitUntil("calls at each address", func() bool { _ = callOptions(r, 0); return len(f.takeCalls()) > 0 })
	}
	services[0].server.Stop()
	services[1].server.Stop()
	r.waitUntil("all calls use the last address", func() bool { return callOptions(r, 0) == nil && callOptions(r, 0) == nil && callOptions(r, 0) == nil })
}

func TestDNSAddressIsResolved(t *testing.T) {
	f := startService(t)
	r, rules := dial(t, settings{addr: "dns:///" + f.addr})
	r.waitUntil("a connection", rules.allReady)
	if err := callOptions(r, 0); err != nil {
		t.Error(err)
	}
}

func TestMatchStaysOnItsLinkWhileReady(t *testing.T) {
	rules := &rulesPool{links: []*rulesLink{{}, {}, {}}}
	for _, link := range rules.links {
		rules.setState(link, connectivity.Ready)
	}
	for linkIndex := range 6 {
		if link, ready := rules.pick(linkIndex); link != rules.links[linkIndex%3] || !ready {
			t.Errorf("index %d got another link", linkIndex)
		}
	}
	rules.setState(rules.links[1], connectivity.TransientFailure)
	if link, ready := rules.pick(1); link != rules.links[2] || !ready {
		t.Error("the next ready link was not used")
	}
	rules.setState(rules.links[1], connectivity.Ready)
	if link, _ := rules.pick(4); link != rules.links[1] {
		t.Error("the reconnected link was not used")
	}
}

func TestMatchesAreSpreadOverLinks(t *testing.T) {
	counts := make(map[int]int)
	for i := range 4000 {
		counts[linkIndexOf(fmt.Sprintf("%08x-0000-4000-8000-000000000000.nakama1", i*7919))%4]++
	}
	for linkIndex := range 4 {
		if counts[linkIndex] < 800 || counts[linkIndex] > 1200 {
			t.Errorf("%d of 4000 matches are on link %d", counts[linkIndex], linkIndex)
		}
	}
}

func TestServiceFailureMovesMatchToNextLink(t *testing.T) {
	cases := map[codes.Code]int{
		codes.DeadlineExceeded: 3, codes.Unavailable: 3, codes.FailedPrecondition: 3, codes.Internal: 2,
	}
	for code, want := range cases {
		m := &matchState{shim: &shim{timing: standardTiming(), now: time.Now}, linkIndex: 2}
		m.adaptToFailure(status.Error(code, ""))
		if m.linkIndex != want {
			t.Errorf("%v: link index %d, want %d", code, m.linkIndex, want)
		}
	}
}

func TestMatchContinuesAfterServiceRestart(t *testing.T) {
	r := newMatch(t)
	r.loop(r.input("ann", "1"))
	r.service.server.Stop()
	r.waitUntil("the loss", func() bool { return !r.shim.rules.reachable() })
	r.loop(r.input("ann", "2"))
	r.loops(20)
	r.service.serve(t, r.service.addr)
	r.waitUntil("the connection", func() bool { return r.shim.rules.reachable() })
	r.loops(1)
	want := []string{"MatchLoop 1", "MatchLoop 2"}
	if got := callSummaries(r.service.takeCalls()); fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("delivered %q, want %q", got, want)
	}
	wantActions(t, r, "paused to all", "resumed to all")
}

func TestReconnectBackoffIsLimited(t *testing.T) {
	if got := reconnectBackoff().MaxDelay; got != 500*time.Millisecond {
		t.Errorf("the maximum backoff is %v", got)
	}
}
