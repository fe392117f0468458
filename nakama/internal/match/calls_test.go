package match

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
	n := fake.NewNakama()
	r := &fixture{t: t, nakama: n, shared: New(n, fake.NewLogger(), highLimits())}
	r.useRules(s, nil)
	return r
}

// waitReady waits until links have become ready a number of times.
func (r *fixture) waitReady(count int64) {
	r.t.Helper()
	r.waitUntil(fmt.Sprint(count, " connections"), func() bool { return r.shared.Rules.Links.Connects() >= count })
}

// callOptions makes one call over the link of a key.
func callOptions(r *fixture, key links.Key) error {
	call := optionsCall(fake.Timeout)
	link, _ := r.shared.Rules.Links.Pick(key, nil)
	_, err := call.Over(context.Background(), r.shared.Rules, link)
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
	if r.shared.Rules.Links.Reachable() {
		t.Error("the service is reachable")
	}
	if err := callOptions(r, 0); status.Code(err) != codes.Unavailable {
		t.Errorf("got %v", err)
	}
}

func TestConnectionsOpenWithoutCall(t *testing.T) {
	f := fake.StartService(t)
	dial(t, config.Settings{Addr: f.Addr, Connections: 4}).waitReady(4)
	wantNoCalls(t, f)
}

func wantNoCalls(t *testing.T, f *fake.Service) {
	t.Helper()
	if calls := f.TakeMethods(); len(calls) > 0 {
		t.Errorf("calls %q", calls)
	}
}

func TestClientReconnectsToRestartedService(t *testing.T) {
	f := fake.StartService(t)
	r := dial(t, config.Settings{Addr: f.Addr, Connections: 2})
	r.waitReady(2)
	for range 3 {
		connects := r.shared.Rules.Links.Connects()
		f.Server.Stop()
		r.waitUntil("the loss", func() bool { return !r.shared.Rules.Links.Reachable() })
		f.Serve(t, f.Addr)
		r.waitReady(connects + 2)
		if got := r.shared.Rules.Links.Connects() - connects; got != 2 {
			t.Errorf("%d new connections, want 2", got)
		}
		if err := callOptions(r, 0); err != nil {
			t.Error(err)
		}
	}
}

func TestCallsAreSpreadOverAddresses(t *testing.T) {
	services := []*fake.Service{fake.StartService(t), fake.StartService(t), fake.StartService(t)}
	addr := fmt.Sprintf("%s,%s, %s", services[0].Addr, services[1].Addr, services[2].Addr)
	r := dial(t, config.Settings{Addr: addr})
	r.waitReady(3)
	callAll(r, 300)
	for i, f := range services {
		if got := len(f.TakeCalls()); got < 70 {
			t.Errorf("%d of 300 calls were made to address %d", got, i)
		}
	}
	services[0].Server.Stop()
	services[1].Server.Stop()
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
	r.service.Handle("MatchOptions", func(ctx context.Context, _ any) (any, error) {
		select {
		case <-ctx.Done():
		case <-time.After(50 * time.Millisecond):
		}
		return nil, ctx.Err()
	})
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Millisecond)
	defer cancel()
	if _, err := r.shared.Rules.Options(ctx, "{}"); err != nil || !r.shared.Rules.Links.HasOther(nil) {
		t.Errorf("error %v, and the link is avoided: %t", err, !r.shared.Rules.Links.HasOther(nil))
	}
}

func TestDNSAddressIsResolved(t *testing.T) {
	f := fake.StartService(t)
	r := dial(t, config.Settings{Addr: "dns:///" + f.Addr})
	r.waitReady(1)
	if err := callOptions(r, 0); err != nil {
		t.Error(err)
	}
}

func TestMatchContinuesAfterServiceRestart(t *testing.T) {
	r := newMatch(t)
	r.loop(r.input("ann", "1"))
	r.service.Server.Stop()
	r.waitUntil("the loss", func() bool { return !r.shared.Rules.Links.Reachable() })
	r.loop(r.input("ann", "2"))
	r.loops(20)
	r.service.Serve(t, r.service.Addr)
	r.waitUntil("the connection", r.shared.Rules.Links.Reachable)
	r.loops(1)
	want := []string{"MatchLoop 1", "MatchLoop 2"}
	if got := callSummaries(r.service.TakeCalls()); fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("delivered %q, want %q", got, want)
	}
	wantActions(t, r, "paused to all", "resumed to all")
}
