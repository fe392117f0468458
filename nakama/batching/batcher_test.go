package batching

import (
	"context"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"google.golang.org/grpc/codes"

	"setmatch/nakama/pb"
)

func TestCallOnIdleBatcherIsSentImmediatelyAlone(t *testing.T) {
	f := newIdleFixture(t)
	for _, id := range []string{"a", "b", "c"} {
		f.startCalls(id)
		f.wantResults(id + ": " + id)
	}
	f.wantRPCs("MatchLoop a", "MatchLoop b", "MatchLoop c")
	if len(f.timers.started) > 0 {
		t.Errorf("timers %v, want none", f.timers.started)
	}
}

func TestCallsShareBatchWhileAnRPCIsInFlight(t *testing.T) {
	f := newFixture(t)
	f.startCalls("c", "a", "b")
	f.wantRPCs()
	f.timers.fire()
	f.wantResults("a: a", "b: b", "c: c")
	f.wantRPCs("MatchBatch c a b")
}

func TestBatchStartsOneTimerForAllItsCalls(t *testing.T) {
	f := newFixture(t)
	f.startCalls("a", "b", "c")
	if want := []time.Duration{time.Millisecond}; !reflect.DeepEqual(f.timers.started, want) {
		t.Errorf("timers %v, want %v", f.timers.started, want)
	}
	f.timers.fire()
	f.waitResults(3)
	f.startCalls("d")
	if len(f.timers.started) != 2 {
		t.Errorf("timers %v, want 2", f.timers.started)
	}
	f.timers.fire()
	f.waitResults(1)
}

func TestBatchOfOneCallIsSentAsSingleRPC(t *testing.T) {
	f := newFixture(t)
	f.startCalls("a")
	f.timers.fire()
	f.wantResults("a: a")
	f.wantRPCs("MatchLoop a")
}

func TestBatchesDoNotWaitForEachOther(t *testing.T) {
	f := newFixture(t)
	released := make(chan struct{})
	arrived := f.service.holdBatches(released)
	for _, pair := range [][]string{{"a", "b"}, {"c", "d"}, {"e", "f"}} {
		f.startCalls(pair...)
		f.timers.fire()
		<-arrived
	}
	close(released)
	f.waitResults(6)
}

func TestFullBatchIsSentImmediately(t *testing.T) {
	f := newFixture(t)
	for i := range MaxCalls + 1 {
		f.startCalls(fmt.Sprint("m", i))
	}
	f.waitResults(MaxCalls)
	rpcs := f.service.takeRPCs()
	if len(rpcs) != 1 || len(rpcs[0]) != 1+MaxCalls {
		t.Errorf("RPCs %q", rpcs)
	}
	f.timers.fire()
	f.wantResults(fmt.Sprintf("m%d: m%d", MaxCalls, MaxCalls))
	f.wantRPCs(fmt.Sprint("MatchLoop m", MaxCalls))
}

func TestBatchFullWhenTimerFiresIsSentOnce(t *testing.T) {
	f := newFixture(t)
	f.startCalls("m0")
	flush := f.timers.running[0].take()
	for i := range MaxCalls - 2 {
		f.startCalls(fmt.Sprint("m", i+1))
	}
	go func() { f.results <- resultText(f.loop(context.Background(), loopOf("last"))) }()
	f.waitInFlight(1)
	flush()
	f.waitResults(MaxCalls)
	f.waitInFlight(1)
	if want := []string{fmt.Sprint(MaxCalls, " OK")}; !slices.Equal(f.host.shared, want) {
		t.Errorf("reported %q, want %q", f.host.shared, want)
	}
}

func TestCallThatDoesNotFitStartsNextBatch(t *testing.T) {
	third := strings.Repeat("x", MaxBytes/3)
	inputs := make([]string, MaxInputs/3)
	cases := map[string]struct {
		req  func(id string) *pb.MatchLoopRequest
		want []string
	}{
		"bytes": {
			func(id string) *pb.MatchLoopRequest { return loopOf(id, third) },
			[]string{"MatchBatch a b", "MatchBatch c d", "MatchLoop e"},
		},
		"inputs": {
			func(id string) *pb.MatchLoopRequest { return loopOf(id, append(inputs, "one more")...) },
			[]string{"MatchBatch a b", "MatchBatch c d", "MatchLoop e"},
		},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			f := newFixture(t)
			for _, id := range []string{"a", "b", "c", "d", "e"} {
				f.startCall(context.Background(), c.req(id))
			}
			f.timers.fire()
			f.waitResults(5)
			got := f.takeRPCs()
			slices.Sort(got)
			if !reflect.DeepEqual(got, c.want) {
				t.Errorf("RPCs %q, want %q", got, c.want)
			}
		})
	}
}

func TestCallAboveBatchLimitsIsSentAlone(t *testing.T) {
	for name, req := range map[string]*pb.MatchLoopRequest{
		"bytes":  loopOf("big", strings.Repeat("x", MaxBytes)),
		"inputs": loopOf("big", make([]string, MaxInputs+1)...),
	} {
		t.Run(name, func(t *testing.T) {
			f := newFixture(t)
			f.startCall(context.Background(), req)
			f.wantResults("big: big")
			f.wantRPCs("MatchLoop big")
		})
	}
}

func TestEveryBatchIsReportedToHost(t *testing.T) {
	f := newFixture(t)
	f.startBatch("a", "b", "c")
	f.waitResults(3)
	f.service.failBatches(codes.Unavailable)
	f.startBatch("d", "e")
	f.waitResults(2)
	f.startBatch("f")
	f.waitResults(1)
	if want := []string{"3 OK", "2 Unavailable"}; !slices.Equal(f.host.shared, want) {
		t.Errorf("reported %q, want %q", f.host.shared, want)
	}
}

func TestWindowZeroDisablesBatches(t *testing.T) {
	f := newFixture(t)
	f.batcher.window = 0
	f.startCalls("a", "b")
	f.waitResults(2)
	f.wantRPCs("MatchLoop a", "MatchLoop b")
}

func TestBatchUsesTheConnectionOfItsFirstCall(t *testing.T) {
	f := newFixture(t)
	own, other := f.conn, startService(t)
	f.conn = dial(t, other.addr)
	f.startCalls("first")
	f.conn = own
	f.startCalls("second")
	f.timers.fire()
	f.wantResults("first: first", "second: second")
	f.wantRPCs()
	if got := other.takeRPCs(); len(got) != 1 || !slices.Equal(got[0], []string{"MatchBatch", "first", "second"}) {
		t.Errorf("RPCs %q", got)
	}
}
