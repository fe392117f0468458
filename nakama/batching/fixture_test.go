package batching

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/status"

	"setmatch/nakama/internal/fake"
	"setmatch/nakama/pb"
)

// fixture is a batcher with fake timers and a test service.
type fixture struct {
	t       *testing.T
	service *service
	conn    *grpc.ClientConn
	batcher *Batcher
	host    *fakeHost
	timers  *fakeTimers
	results chan string // "match: result" of each call that has ended
}

// newIdleFixture returns a fixture without a call in flight.
func newIdleFixture(t *testing.T) *fixture {
	t.Helper()
	f := &fixture{t: t, service: startService(t), host: &fakeHost{}, timers: &fakeTimers{}, results: make(chan string, 1024)}
	f.batcher = New(time.Millisecond, f.host)
	f.batcher.afterFunc = f.timers.afterFunc
	f.conn = dial(t, f.service.addr)
	t.Cleanup(f.wantNoPanic)
	return f
}

// wantNoPanic fails the test if an unscripted panic was reported.
func (f *fixture) wantNoPanic() {
	f.host.mu.Lock()
	defer f.host.mu.Unlock()
	if !f.host.panics && len(f.host.panicked) > 0 {
		f.t.Errorf("panics %v", f.host.panicked)
	}
}

func dial(t *testing.T, addr string, more ...grpc.DialOption) *grpc.ClientConn {
	t.Helper()
	plain := grpc.WithTransportCredentials(insecure.NewCredentials())
	conn, err := grpc.NewClient(addr, append(more, plain, grpc.WithNoProxy())...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	return conn
}

// newFixture returns a fixture with one call in flight until the test ends, so that other calls wait for a batch.
func newFixture(t *testing.T) *fixture {
	t.Helper()
	f := newIdleFixture(t)
	f.holdCall()
	return f
}

// holdCall starts a call that stays in flight until the test ends.
func (f *fixture) holdCall() {
	f.t.Helper()
	released := make(chan struct{})
	f.t.Cleanup(func() { close(released) })
	f.service.onLoop(func(ctx context.Context, req *pb.MatchLoopRequest) (*pb.MatchLoopResponse, error) {
		<-released
		return echo(ctx, req)
	})
	go func() { _, _ = f.loop(context.Background(), loopOf("held")) }()
	f.waitUntil("the held call", func() bool { return len(f.service.takeRPCs()) == 1 })
	f.service.onLoop(echo)
}

// waitUntil waits until a condition is true.
func (f *fixture) waitUntil(what string, condition func() bool) {
	f.t.Helper()
	fake.WaitUntil(f.t, what, condition)
}

// loop makes a call through the batcher.
func (f *fixture) loop(ctx context.Context, req *pb.MatchLoopRequest) (*pb.MatchLoopResponse, error) {
	return f.batcher.Call(pb.NewMatchHandlerServiceClient(f.conn), ctx, req)
}

func loopOf(matchID string, inputs ...string) *pb.MatchLoopRequest {
	req := &pb.MatchLoopRequest{MatchId: matchID}
	for _, data := range inputs {
		req.Inputs = append(req.Inputs, &pb.Input{Data: []byte(data)})
	}
	return req
}

// startCall starts a call and returns when the call is in the pending batch or has reached the service.
func (f *fixture) startCall(ctx context.Context, req *pb.MatchLoopRequest) {
	f.t.Helper()
	before := f.service.callCount(req.MatchId)
	go func() { f.results <- req.MatchId + ": " + resultText(f.loop(ctx, req)) }()
	f.waitUntil("the start of the call", func() bool {
		return f.isPending(req) || f.service.callCount(req.MatchId) > before
	})
}

// startCalls starts one call of each match, in this order.
func (f *fixture) startCalls(matches ...string) {
	f.t.Helper()
	for _, id := range matches {
		f.startCall(context.Background(), loopOf(id))
	}
}

// startBatch starts calls and flushes the batch.
func (f *fixture) startBatch(matches ...string) {
	f.t.Helper()
	f.startCalls(matches...)
	f.timers.fire()
}

// isPending reports whether a call is in the pending batch.
func (f *fixture) isPending(req *pb.MatchLoopRequest) bool {
	f.batcher.mu.Lock()
	defer f.batcher.mu.Unlock()
	return f.batcher.pending != nil &&
		slices.ContainsFunc(f.batcher.pending.members, func(m *member) bool { return m.req == req })
}

// waitInFlight waits until the number of RPCs in flight is `count` and no batch is pending.
func (f *fixture) waitInFlight(count int) {
	f.t.Helper()
	f.waitUntil(fmt.Sprint(count, " RPCs in flight"), func() bool {
		f.batcher.mu.Lock()
		defer f.batcher.mu.Unlock()
		return f.batcher.inFlight == count && f.batcher.pending == nil
	})
}

// waitResults waits for the results of `count` calls and returns them as a set.
func (f *fixture) waitResults(count int) map[string]bool {
	f.t.Helper()
	got := make(map[string]bool)
	for range count {
		select {
		case one := <-f.results:
			got[one] = true
		case <-time.After(fake.Timeout):
			f.t.Fatalf("timeout while waiting for result %d", len(got)+1)
		}
	}
	return got
}

func (f *fixture) wantResults(want ...string) {
	f.t.Helper()
	got := f.waitResults(len(want))
	for _, one := range want {
		if !got[one] {
			f.t.Errorf("results %v, want %q", got, one)
		}
	}
}

// resultText returns the state of a response, or the code and the message of an error.
func resultText(resp *pb.MatchLoopResponse, err error) string {
	if err != nil {
		return fmt.Sprint(status.Code(err), " ", status.Convert(err).Message())
	}
	return string(resp.GetStep().GetState())
}

// takeRPCs returns the RPCs that the service received since the last call of takeRPCs, each as "method match...".
func (f *fixture) takeRPCs() []string {
	list := []string{}
	for _, rpc := range f.service.takeRPCs() {
		list = append(list, strings.Join(rpc, " "))
	}
	return list
}

func (f *fixture) wantRPCs(want ...string) {
	f.t.Helper()
	f.waitUntil(fmt.Sprint("RPCs ", want), func() bool { return f.service.rpcCount() >= len(want) })
	if got := f.takeRPCs(); !slices.Equal(got, want) {
		f.t.Errorf("RPCs %q, want %q", got, want)
	}
}

// wantBatchThenSingles checks that a batch was sent, and then each of its calls as a single RPC, in any order.
func (f *fixture) wantBatchThenSingles(matches ...string) {
	f.t.Helper()
	got := f.takeRPCs()
	singles := []string{}
	for _, id := range matches {
		singles = append(singles, "MatchLoop "+id)
	}
	if want := "MatchBatch " + strings.Join(matches, " "); len(got) == 0 || got[0] != want {
		f.t.Fatalf("RPCs %q, want first %q", got, want)
	}
	slices.Sort(got[1:])
	if !slices.Equal(got[1:], singles) {
		f.t.Errorf("RPCs after the batch %q, want %q", got[1:], singles)
	}
}
