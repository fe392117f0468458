package main

import (
	"context"
	"fmt"
	"reflect"
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
	heavy := strings.Repeat("x", maxBatchBytes/3)
	many := make([]string, maxBatchInputs/3)
	for name, req := range map[string]func(string) *pb.MatchLoopRequest{
		"bytes":  func(id string) *pb.MatchLoopRequest { return loopOf(id, heavy) },
		"inputs": func(id string) *pb.MatchLoopRequest { return loopOf(id, many...) },
	} {
		t.Run(name, func(t *testing.T) {
			b := newBatchRig(t)
			for _, id := range []string{"a", "b", "c", "d", "e"} {
				r := req(id)
				if id == "c" {
					r.State = []byte(heavy) // the third is heavier than a third
					r.Inputs = append(r.Inputs, make([]*pb.Input, 2)...)
				}
				b.call(context.Background(), r)
			}
			b.alarms.ring()
			b.answers(5)
			got := b.rpcs()
			if len(got) != 3 || strings.Join(got, " ") == "" {
				t.Errorf("calls %q", got)
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

func TestEachCallHasItsOwnDeadline(t *testing.T) {
	b := newBatchRig(t)
	held := make(chan struct{})
	b.service.on("MatchBatch", func(context.Context, any) (any, error) { <-held; return nil, nil })
	soon, cancel := context.WithTimeout(context.Background(), 20*time.Millisecond)
	defer cancel()
	b.call(soon, loopOf("hasty"))
	b.calls("patient", "third")
	b.alarms.ring()
	b.wantAnswers("hasty: DeadlineExceeded context deadline exceeded")
	close(held)
	b.wantAnswers("patient: patient", "third: third")
}

func TestADeadlineCountsWhileACallWaitsForCompany(t *testing.T) {
	b := newBatchRig(t)
	soon, cancel := context.WithTimeout(context.Background(), time.Millisecond)
	defer cancel()
	b.call(soon, loopOf("hasty"))
	b.calls("a", "b")
	b.wantAnswers("hasty: DeadlineExceeded context deadline exceeded")
	b.alarms.ring()
	b.answers(2)
	b.wantRPCs("MatchBatch a b")
}

func TestABatchLastsAsLongAsTheLastOfItsCalls(t *testing.T) {
	b := newBatchRig(t)
	ends := make(chan time.Time, 1)
	b.service.on("MatchBatch", func(ctx context.Context, _ any) (any, error) {
		deadline, _ := ctx.Deadline()
		ends <- deadline
		return nil, nil
	})
	latest := time.Now().Add(time.Hour)
	for i, id := range []string{"a", "b", "c"} {
		ctx, cancel := context.WithDeadline(context.Background(), latest.Add(time.Duration(-i)*time.Minute))
		defer cancel()
		b.call(ctx, loopOf(id))
	}
	b.alarms.ring()
	b.answers(3)
	if off := (<-ends).Sub(latest).Abs(); off > time.Minute/2 {
		t.Errorf("the batch ends %v away from the last of its calls", off)
	}
}

func TestABatchEndsWhenAllHaveGivenUp(t *testing.T) {
	b := newBatchRig(t)
	begun, ended := make(chan struct{}), make(chan struct{})
	b.service.on("MatchBatch", func(ctx context.Context, _ any) (any, error) {
		close(begun)
		<-ctx.Done()
		close(ended)
		return nil, ctx.Err()
	})
	var giveUp []context.CancelFunc
	for _, id := range []string{"a", "b"} {
		ctx, cancel := context.WithCancel(context.Background())
		giveUp = append(giveUp, cancel)
		b.call(ctx, loopOf(id))
	}
	b.alarms.ring()
	<-begun
	giveUp[0]()
	b.wantAnswers("a: Canceled context canceled")
	select {
	case <-ended:
		t.Error("the batch ended while one still waited for it")
	default:
	}
	giveUp[1]()
	b.wantAnswers("b: Canceled context canceled")
	<-ended
}

func TestABatchThatNobodyWaitsForIsNotSent(t *testing.T) {
	b := newBatchRig(t)
	ctx, cancel := context.WithCancel(context.Background())
	b.call(ctx, loopOf("a"))
	b.call(ctx, loopOf("b"))
	cancel()
	b.answers(2)
	b.alarms.ring()
	b.await("the end of the batch", func() bool {
		b.client.mu.Lock()
		defer b.client.mu.Unlock()
		return b.client.forming == nil && b.client.flying == 1
	})
	wantNoCalls(t, b.service)
}

func TestASuspectHasNoCompany(t *testing.T) {
	b := newBatchRig(t)
	b.calls("a", "b")
	resp, err := soloLoop(b.client, context.Background(), loopOf("suspect"))
	if told(resp, err) != "suspect" {
		t.Errorf("got %v, %v", resp, err)
	}
	b.alarms.ring()
	b.answers(2)
	b.wantRPCs("MatchLoop suspect", "MatchBatch a b")
}

func TestAMatchInDoubtCallsAlone(t *testing.T) {
	cases := map[string]struct {
		outage outage
		alone  bool
	}{
		"well":          {outage{}, false},
		"away":          {outage{down: true, byCall: true}, false},
		"one miss":      {outage{misses: 1}, false},
		"misses":        {outage{misses: 2}, true},
		"fails by that": {outage{poisonRuns: 1}, true},
	}
	for name, c := range cases {
		b := newBatchRig(t)
		b.calls("a")
		m := &matchState{outage: c.outage}
		go func() { _, _ = m.loopRPC()(b.client, context.Background(), loopOf("m")) }()
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
