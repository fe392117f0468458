package setmatch

import (
	"context"
	"fmt"
	"testing"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"setmatch/nakama/internal/config"
	"setmatch/nakama/internal/fake"
	"setmatch/nakama/internal/links"
	"setmatch/nakama/internal/rules"
	"setmatch/nakama/pb"
)

// dial opens the links of some settings and returns a shim that uses them.
func dial(t *testing.T, s config.Settings) *fixture {
	t.Helper()
	n := newFakeNakama()
	r := &fixture{t: t, nakama: n, shim: newShim(n, fake.NewLogger(), highLimits())}
	r.useRules(s, nil)
	return r
}

// waitReady waits until links have become ready a number of times.
func (r *fixture) waitReady(count int64) {
	r.t.Helper()
	r.waitUntil(fmt.Sprint(count, " connections"), func() bool { return r.shim.rules.Links.Connects() >= count })
}

// callOptions makes one call over the link of a key.
func callOptions(r *fixture, key links.Key) error {
	call := optionsCall(testTimeout)
	link, _ := r.shim.rules.Links.Pick(key, nil)
	_, err := call.Over(context.Background(), r.shim.rules, link)
	return err
}

func optionsCall(timeout time.Duration) rules.Call[pb.MatchOptionsRequest, pb.MatchOptionsResponse] {
	return rules.Call[pb.MatchOptionsRequest, pb.MatchOptionsResponse]{
		Method: "MatchOptions", Timeout: timeout, Do: pb.MatchHandlerServiceClient.MatchOptions,
		Req: &pb.MatchOptionsRequest{}, Check: rules.CheckOptions,
	}
}

func TestDialingDoesNotWaitForTheService(t *testing.T) {
	r := dial(t, config.Settings{Addr: "127.0.0.1:1", Connections: 4})
	if r.shim.rules.Links.Reachable() {
		t.Error("the service is reachable")
	}
	if err := callOptions(r, 0); status.Code(err) != codes.Unavailable {
		t.Errorf("got %v", err)
	}
}

func TestConnectionsOpenWithoutCall(t *testing.T) {
	f := startService(t)
	dial(t, config.Settings{Addr: f.addr, Connections: 4}).waitReady(4)
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
	r := dial(t, config.Settings{Addr: f.addr, Connections: 2})
	r.waitReady(2)
	for range 3 {
		connects := r.shim.rules.Links.Connects()
		f.server.Stop()
		r.waitUntil("the loss", func() bool { return !r.shim.rules.Links.Reachable() })
		f.serve(t, f.addr)
		r.waitReady(connects + 2)
		if got := r.shim.rules.Links.Connects() - connects; got != 2 {
			t.Errorf("%d new connections, want 2", got)
		}
		if err := callOptions(r, 0); err != nil {
			t.Error(err)
		}
	}
}

func TestCallsAreSpreadOverAddresses(t *testing.T) {
	services := []*fakeService{startService(t), startService(t), startService(t)}
	addr := fmt.Sprintf("%s,%s, %s", services[0].addr, services[1].addr, services[2].addr)
	r := dial(t, config.Settings{Addr: addr})
	r.waitReady(3)
	callAll(r, 300)
	for i, f := range services {
		if got := len(f.takeCalls()); got < 70 {
			t.Errorf("%d of 300 calls were made to address %d", got, i)
		}
	}
	services[0].server.Stop()
	services[1].server.Stop()
	r.waitUntil("all calls use the last address", func() bool { return callAll(r, 30) == 0 })
}

// callAll makes calls over the links of different keys and returns the number of failed ones.
func callAll(r *fixture, count links.Key) (failed int) {
	for key := range count {
		if callOptions(r, key) != nil {
			failed++
		}
	}
	return failed
}

func TestDeadlineOfClientDoesNotCountAgainstLink(t *testing.T) {
	r := newFixture(t)
	r.service.handle("MatchOptions", func(ctx context.Context, _ any) (any, error) {
		select {
		case <-ctx.Done():
		case <-time.After(50 * time.Millisecond):
		}
		return nil, ctx.Err()
	})
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Millisecond)
	defer cancel()
	if _, err := r.shim.readOptions(ctx, "{}"); err != nil || !r.shim.rules.Links.HasOther(nil) {
		t.Errorf("error %v, and the link is avoided: %t", err, !r.shim.rules.Links.HasOther(nil))
	}
}

func TestDNSAddressIsResolved(t *testing.T) {
	f := startService(t)
	r := dial(t, config.Settings{Addr: "dns:///" + f.addr})
	r.waitReady(1)
	if err := callOptions(r, 0); err != nil {
		t.Error(err)
	}
}

func TestMatchContinuesAfterServiceRestart(t *testing.T) {
	r := newMatch(t)
	r.loop(r.input("ann", "1"))
	r.service.server.Stop()
	r.waitUntil("the loss", func() bool { return !r.shim.rules.Links.Reachable() })
	r.loop(r.input("ann", "2"))
	r.loops(20)
	r.service.serve(t, r.service.addr)
	r.waitUntil("the connection", r.shim.rules.Links.Reachable)
	r.loops(1)
	want := []string{"MatchLoop 1", "MatchLoop 2"}
	if got := callSummaries(r.service.takeCalls()); fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("delivered %q, want %q", got, want)
	}
	wantActions(t, r, "paused to all", "resumed to all")
}
