package main

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

func (b *batchRig) wantRPCs(want ...string) {
	b.t.Helper()
	b.await(fmt.Sprint("calls ", want), func() bool {
		b.service.mu.Lock()
		defer b.service.mu.Unlock()
		return len(b.service.calls) >= len(want)
	})
	if got := b.rpcs(); !reflect.DeepEqual(got, want) {
		b.t.Errorf("calls %q, want %q", got, want)
	}
}

func TestACallThatFindsNoOtherGoesAtOnceAndAlone(t *testing.T) {
	b := newIdleBatchRig(t)
	for _, id := range []string{"a", "b", "c"} {
		b.calls(id)
		b.wantAnswers(id + ": " + id)
	}
	b.wantRPCs("MatchLoop a", "MatchLoop b", "MatchLoop c")
	if len(b.alarms.set) > 0 {
		t.Errorf("waited %v", b.alarms.set)
	}
}

func TestCallsThatFindOthersOnTheirWayShareOneInTheOrderOfComing(t *testing.T) {
	b := newBatchRig(t)
	b.calls("c", "a", "b")
	if got := b.service.methods(); len(got) > 0 {
		t.Errorf("calls %q before the window ended", got)
	}
	b.alarms.ring()
	b.wantAnswers("a: a", "b: b", "c: c")
	b.wantRPCs("MatchBatch c a b")
}

func TestABatchWaitsOnceHoweverManyJoinIt(t *testing.T) {
	b := newBatchRig(t)
	b.calls("a", "b", "c")
	if want := []time.Duration{time.Millisecond}; !reflect.DeepEqual(b.alarms.set, want) {
		t.Errorf("waits %v, want %v", b.alarms.set, want)
	}
	b.alarms.ring()
	b.answers(3)
	b.calls("d")
	if len(b.alarms.set) != 2 {
		t.Errorf("waits %v", b.alarms.set)
	}
	b.alarms.ring()
	b.answers(1)
}

func TestACallThatFoundNoCompanyGoesAsItself(t *testing.T) {
	b := newBatchRig(t)
	b.calls("a")
	b.alarms.ring()
	b.wantAnswers("a: a")
	b.wantRPCs("MatchLoop a")
}

func TestBatchesDoNotWaitForEachOther(t *testing.T) {
	b := newBatchRig(t)
	held := make(chan struct{})
	b.service.on("MatchBatch", func(context.Context, any) (any, error) { <-held; return nil, nil })
	for _, pair := range [][]string{{"a", "b"}, {"c", "d"}, {"e", "f"}} {
		b.calls(pair...)
		b.alarms.ring()
		b.await("the batch", func() bool {
			return len(b.rpcs()) > 0
		})
	}
	close(held)
	b.answers(6)
}

func TestAFullBatchGoesAtOnce(t *testing.T) {
	b := newBatchRig(t)
	for i := range maxBatchCalls + 1 {
		b.calls(fmt.Sprint("m", i))
	}
	b.answers(maxBatchCalls)
	calls := b.service.take()
	if len(calls) != 1 || len(calls[0].req.(*pb.MatchBatchRequest).Calls) != maxBatchCalls {
		t.Errorf("got %d calls", len(calls))
	}
	b.alarms.ring()
	b.wantAnswers(fmt.Sprintf("m%d: m%d", maxBatchCalls, maxBatchCalls))
	b.wantRPCs(fmt.Sprint("MatchLoop m", maxBatchCalls))
}

func TestWhatDoesNotFitGoesWithTheNextBatch(t *testing.T) {
	third := strings.Repeat("x", maxBatchBytes/3)
	inputs := make([]string, maxBatchInputs/3)
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
			b := newBatchRig(t)
			for _, id := range []string{"a", "b", "c", "d", "e"} {
				b.call(context.Background(), c.req(id))
			}
			b.alarms.ring()
			b.answers(5)
			got := b.rpcs()
			slices.Sort(got)
			if !reflect.DeepEqual(got, c.want) {
				t.Errorf("calls %q, want %q", got, c.want)
			}
		})
	}
}

func TestACallThatFillsABatchByItselfGoesAlone(t *testing.T) {
	for name, req := range map[string]*pb.MatchLoopRequest{
		"bytes":  loopOf("big", strings.Repeat("x", maxBatchBytes)),
		"inputs": loopOf("big", make([]string, maxBatchInputs+1)...),
	} {
		t.Run(name, func(t *testing.T) {
			b := newBatchRig(t)
			b.call(context.Background(), req)
			b.wantAnswers("big: big")
			b.wantRPCs("MatchLoop big")
		})
	}
}

func TestAMatchInDoubtCallsAlone(t *testing.T) {
	cases := map[string]struct {
		after []codes.Code
		alone bool
	}{
		"well":             {nil, false},
		"away":             {[]codes.Code{codes.Unavailable, codes.Unavailable}, false},
		"two misses":       {[]codes.Code{codes.DeadlineExceeded, codes.DeadlineExceeded}, false},
		"three misses":     {slices.Repeat([]codes.Code{codes.DeadlineExceeded}, 3), true},
		"fails by content": {[]codes.Code{codes.Internal}, true},
		"needs a newer":    {[]codes.Code{codes.FailedPrecondition}, true},
	}
	for name, c := range cases {
		b := newBatchRig(t)
		b.calls("a")
		m := &matchState{shim: b.shim}
		for _, code := range c.after {
			m.countMiss(scriptedError(code))
			m.countPoison(scriptedError(code))
		}
		go func() { _, _ = m.loopRPC()(b.shim.rules.links[0].client, context.Background(), loopOf("m")) }()
		b.await(name, func() bool { return b.moment().calls == 2 || b.moment().received == 1 })
		if alone := b.moment().calls == 1; alone != c.alone {
			t.Errorf("%s: alone %t", name, alone)
		}
		b.alarms.ring()
		b.answers(1)
	}
}

func TestBatchesAreCounted(t *testing.T) {
	b := newBatchRig(t)
	b.calls("a", "b", "c")
	b.alarms.ring()
	b.answers(3)
	b.service.failing(codes.Unavailable, "MatchBatch")
	b.calls("d", "e")
	b.alarms.ring()
	b.answers(2)
	want := map[string]int64{
		"set_rules_calls code=OK method=MatchBatch":          1,
		"set_rules_calls code=Unavailable method=MatchBatch": 1,
		"set_rules_batched_calls":                            5,
	}
	for name, count := range want {
		if got := b.nakama.counter(name); got != count {
			t.Errorf("%s is %d, want %d", name, got, count)
		}
	}
}

func TestNoCallIsSharedWhereNoneIsToWaitOrCallsAreTraced(t *testing.T) {
	if got := (settings{batchMs: 3}).window(); got != 3*time.Millisecond {
		t.Errorf("the window is %v", got)
	}
	for _, s := range []settings{{batchMs: 0}, {batchMs: 1, trace: true}} {
		b := newBatchRig(t)
		b.client.window = s.window()
		b.calls("a", "b")
		b.answers(2)
		b.wantRPCs("MatchLoop a", "MatchLoop b")
	}
}

func TestAMatchInDoubtAboutReplicasCallsInCompanyAgainLater(t *testing.T) {
	b := newBatchRig(t)
	clock := &fakeClock{at: time.Now()}
	b.shim.now = clock.now
	m := &matchState{shim: b.shim}
	m.countMiss(scriptedError(codes.FailedPrecondition))
	clock.pass(choosyFor)
	go func() { _, _ = m.loopRPC()(b.shim.rules.links[0].client, context.Background(), loopOf("m")) }()
	b.await("company", func() bool { return b.moment().calls == 1 })
	b.alarms.ring()
}

func TestABatchGoesOverTheConnectionOfItsFirst(t *testing.T) {
	b := newBatchRig(t)
	other := startService(t)
	other.echoing()
	r, rules := dial(t, settings{addr: other.addr})
	r.await("a connection", rules.allReady)
	answered := make(chan string, 1)
	go func() { answered <- told(b.client.call(rules.links[0].client, context.Background(), loopOf("first"))) }()
	b.await("the first", func() bool { return b.moment().calls == 1 })
	b.calls("second")
	b.alarms.ring()
	b.wantAnswers("second: second")
	if got := <-answered; got != "first" {
		t.Errorf("answered %q", got)
	}
	wantNoCalls(t, b.service)
	if got := other.methods(); !reflect.DeepEqual(got, []string{"MatchBatch"}) {
		t.Errorf("calls %q", got)
	}
}
