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

func TestACallThatFindsNoOtherGoesAtOnceAndAlone(t *testing.T) {
	r := newIdleRig(t)
	for _, id := range []string{"a", "b", "c"} {
		r.calls(id)
		r.wantAnswers(id + ": " + id)
	}
	r.wantRPCs("MatchLoop a", "MatchLoop b", "MatchLoop c")
	if len(r.alarms.set) > 0 {
		t.Errorf("waited %v", r.alarms.set)
	}
}

func TestCallsThatFindOthersOnTheirWayShareOneInTheOrderOfComing(t *testing.T) {
	r := newRig(t)
	r.calls("c", "a", "b")
	r.wantRPCs()
	r.alarms.ring()
	r.wantAnswers("a: a", "b: b", "c: c")
	r.wantRPCs("MatchBatch c a b")
}

func TestABatchWaitsOnceHoweverManyJoinIt(t *testing.T) {
	r := newRig(t)
	r.calls("a", "b", "c")
	if want := []time.Duration{time.Millisecond}; !reflect.DeepEqual(r.alarms.set, want) {
		t.Errorf("waits %v, want %v", r.alarms.set, want)
	}
	r.alarms.ring()
	r.answers(3)
	r.calls("d")
	if len(r.alarms.set) != 2 {
		t.Errorf("waits %v", r.alarms.set)
	}
	r.alarms.ring()
	r.answers(1)
}

func TestACallThatFoundNoCompanyGoesAsItself(t *testing.T) {
	r := newRig(t)
	r.calls("a")
	r.alarms.ring()
	r.wantAnswers("a: a")
	r.wantRPCs("MatchLoop a")
}

func TestBatchesDoNotWaitForEachOther(t *testing.T) {
	r := newRig(t)
	held := make(chan struct{})
	begun := r.service.holding(held)
	for _, pair := range [][]string{{"a", "b"}, {"c", "d"}, {"e", "f"}} {
		r.calls(pair...)
		r.alarms.ring()
		<-begun
	}
	close(held)
	r.answers(6)
}

func TestAFullBatchGoesAtOnce(t *testing.T) {
	r := newRig(t)
	for i := range MaxCalls + 1 {
		r.calls(fmt.Sprint("m", i))
	}
	r.answers(MaxCalls)
	calls := r.service.take()
	if len(calls) != 1 || len(calls[0]) != 1+MaxCalls {
		t.Errorf("got %q", calls)
	}
	r.alarms.ring()
	r.wantAnswers(fmt.Sprintf("m%d: m%d", MaxCalls, MaxCalls))
	r.wantRPCs(fmt.Sprint("MatchLoop m", MaxCalls))
}

func TestABatchThatIsFullAsItsTimeIsUpGoesOnce(t *testing.T) {
	r := newRig(t)
	r.calls("m0")
	goes := r.alarms.list[0].take()
	for i := range MaxCalls - 2 {
		r.calls(fmt.Sprint("m", i+1))
	}
	go func() { r.answer <- told(r.loop(context.Background(), loopOf("last"))) }()
	r.onWay(1)
	goes()
	r.answers(MaxCalls)
	r.onWay(1)
	if want := []string{fmt.Sprint(MaxCalls, " OK")}; !slices.Equal(r.host.shared, want) {
		t.Errorf("told %q, want %q", r.host.shared, want)
	}
}

func TestWhatDoesNotFitGoesWithTheNextBatch(t *testing.T) {
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
			r := newRig(t)
			for _, id := range []string{"a", "b", "c", "d", "e"} {
				r.call(context.Background(), c.req(id))
			}
			r.alarms.ring()
			r.answers(5)
			got := r.rpcs()
			slices.Sort(got)
			if !reflect.DeepEqual(got, c.want) {
				t.Errorf("calls %q, want %q", got, c.want)
			}
		})
	}
}

func TestACallThatFillsABatchByItselfGoesAlone(t *testing.T) {
	for name, req := range map[string]*pb.MatchLoopRequest{
		"bytes":  loopOf("big", strings.Repeat("x", MaxBytes)),
		"inputs": loopOf("big", make([]string, MaxInputs+1)...),
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t)
			r.call(context.Background(), req)
			r.wantAnswers("big: big")
			r.wantRPCs("MatchLoop big")
		})
	}
}

func TestEachSharedRPCIsTold(t *testing.T) {
	r := newRig(t)
	r.together("a", "b", "c")
	r.answers(3)
	r.service.failing(codes.Unavailable)
	r.together("d", "e")
	r.answers(2)
	r.together("f")
	r.answers(1)
	if want := []string{"3 OK", "2 Unavailable"}; !slices.Equal(r.host.shared, want) {
		t.Errorf("told %q, want %q", r.host.shared, want)
	}
}

func TestWithoutAWindowNoCallIsShared(t *testing.T) {
	r := newRig(t)
	r.batcher.window = 0
	r.calls("a", "b")
	r.answers(2)
	r.wantRPCs("MatchLoop a", "MatchLoop b")
}

func TestABatchGoesOverTheConnectionOfItsFirst(t *testing.T) {
	r := newRig(t)
	own, other := r.conn, startService(t)
	r.conn = dial(t, other.addr)
	r.calls("first")
	r.conn = own
	r.calls("second")
	r.alarms.ring()
	r.wantAnswers("first: first", "second: second")
	r.wantRPCs()
	if got := other.take(); len(got) != 1 || !slices.Equal(got[0], []string{"MatchBatch", "first", "second"}) {
		t.Errorf("calls %q", got)
	}
}
