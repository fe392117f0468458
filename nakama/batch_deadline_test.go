package main

import (
	"context"
	"testing"
	"time"
)

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
