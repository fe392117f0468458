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

// dial opens the connections of some settings and a shim that calls over them.
func dial(t *testing.T, s settings) (*rig, *rulesPool) {
	t.Helper()
	if s.connections == 0 {
		s.connections = 1
	}
	n := newFakeNakama()
	r := &rig{t: t, nakama: n, shim: newShim(n, newFakeLogger(), generous())}
	rules, err := dialRules(s, r.shim.meters, t.Error)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(rules.close)
	r.shim.rules = rules
	return r, rules
}

func ask(r *rig, place int) error {
	do := pb.MatchHandlerServiceClient.MatchOptions
	_, err := invoke(context.Background(), r.shim, place, "MatchOptions", hung, do, &pb.MatchOptionsRequest{})
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
	if rules.reachable(0) || len(rules.links) != 4 {
		t.Errorf("%d connections, reachable %t", len(rules.links), rules.reachable(0))
	}
	if err := ask(r, 0); status.Code(err) != codes.Unavailable {
		t.Errorf("got %v", err)
	}
}

func TestConnectionsAreMadeWithoutACall(t *testing.T) {
	f := startService(t)
	r, rules := dial(t, settings{addr: f.addr, connections: 4})
	r.await("all connections", rules.allReady)
	wantNoCalls(t, f)
}

func wantNoCalls(t *testing.T, f *fakeService) {
	t.Helper()
	if calls := f.methods(); len(calls) > 0 {
		t.Errorf("calls %q", calls)
	}
}

func TestARestartedServiceIsFoundAgain(t *testing.T) {
	f := startService(t)
	r, rules := dial(t, settings{addr: f.addr, connections: 2})
	r.await("all connections", rules.allReady)
	for range 3 {
		epoch := rules.epoch.Load()
		f.server.Stop()
		r.await("the loss", func() bool { return !rules.reachable(0) })
		f.serve(t, f.addr)
		r.await("all connections", rules.allReady)
		if rules.epoch.Load() != epoch+2 {
			t.Errorf("%d new connections were noted, want 2", rules.epoch.Load()-epoch)
		}
		if err := ask(r, 0); err != nil {
			t.Error(err)
		}
	}
}

func TestSeveralAddressesShareTheCalls(t *testing.T) {
	services := []*fakeService{startService(t), startService(t), startService(t)}
	addr := fmt.Sprintf("%s,%s, %s", services[0].addr, services[1].addr, services[2].addr)
	r, rules := dial(t, settings{addr: addr})
	r.await("a connection", rules.allReady)
	for _, f := range services {
		r.await("calls at each address", func() bool { _ = ask(r, 0); return len(f.take()) > 0 })
	}
	services[0].server.Stop()
	services[1].server.Stop()
	r.await("the last address alone", func() bool { return ask(r, 0) == nil && ask(r, 0) == nil && ask(r, 0) == nil })
}

func TestANameCanBeLookedUp(t *testing.T) {
	f := startService(t)
	r, rules := dial(t, settings{addr: "dns:///" + f.addr})
	r.await("a connection", rules.allReady)
	if err := ask(r, 0); err != nil {
		t.Error(err)
	}
}

func TestAMatchStaysOnItsConnectionWhileThatWorks(t *testing.T) {
	rules := &rulesPool{links: []*rulesLink{{}, {}, {}}}
	for _, link := range rules.links {
		rules.note(link, connectivity.Ready)
	}
	for place := range 6 {
		if link, ready := rules.pick(place); link != rules.links[place%3] || !ready {
			t.Errorf("place %d went elsewhere", place)
		}
	}
	rules.note(rules.links[1], connectivity.TransientFailure)
	if link, ready := rules.pick(1); link != rules.links[2] || !ready {
		t.Error("did not go to the next connection that stands")
	}
	rules.note(rules.links[1], connectivity.Ready)
	if link, _ := rules.pick(4); link != rules.links[1] {
		t.Error("did not come back")
	}
}

func TestMatchesSpreadOverTheConnections(t *testing.T) {
	counts := make(map[int]int)
	for i := range 4000 {
		counts[placeOf(fmt.Sprintf("%08x-0000-4000-8000-000000000000.nakama1", i*7919))%4]++
	}
	for place := range 4 {
		if counts[place] < 800 || counts[place] > 1200 {
			t.Errorf("%d of 4000 matches are on connection %d", counts[place], place)
		}
	}
}

func TestAFailureOfTheServiceMovesAMatchToAnotherConnection(t *testing.T) {
	cases := map[codes.Code]int{
		codes.DeadlineExceeded: 3, codes.Unavailable: 3, codes.FailedPrecondition: 3, codes.Internal: 2,
	}
	for code, want := range cases {
		m := &matchState{shim: &shim{timing: standardTiming(), now: time.Now}, place: 2}
		m.countMiss(status.Error(code, ""))
		if m.place != want {
			t.Errorf("%v: at place %d, want %d", code, m.place, want)
		}
	}
}

func TestAMatchGoesOnThroughARestart(t *testing.T) {
	r := newMatch(t)
	r.loop(r.input("ann", "1"))
	r.service.server.Stop()
	r.await("the loss", func() bool { return !r.shim.rules.reachable(0) })
	r.loop(r.input("ann", "2"))
	r.loops(20)
	r.service.serve(t, r.service.addr)
	r.await("the connection", func() bool { return r.shim.rules.reachable(0) })
	r.loops(1)
	want := []string{"MatchLoop 1", "MatchLoop 2"}
	if got := seen(r.service.take()); fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("delivered %q, want %q", got, want)
	}
	wantDone(t, r, "paused to all", "resumed to all")
}

func TestReconnectingIsNeverFarApart(t *testing.T) {
	if got := reconnectBackoff().MaxDelay; got != 500*time.Millisecond {
		t.Errorf("connections are tried up to %v apart", got)
	}
}
