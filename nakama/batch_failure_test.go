package main

import (
	"context"
	"fmt"
	"reflect"
	"slices"
	"testing"
	"time"

	"google.golang.org/grpc/codes"

	"setmatch/nakama/pb"
)

// failingFor scripts the calls of one match to fail with a code.
func (b *batchRig) failingFor(matchID string, code codes.Code) {
	b.service.on("MatchLoop", func(_ context.Context, req any) (any, error) {
		if id := req.(*pb.MatchLoopRequest).MatchId; id != matchID {
			return &pb.MatchLoopResponse{Step: &pb.Step{State: []byte(id)}}, nil
		}
		return nil, scriptedError(code)
	})
}

// together makes calls of matches that share a batch.
func (b *batchRig) together(matches ...string) {
	b.t.Helper()
	b.calls(matches...)
	b.alarms.ring()
}

// wantSingles wants a batch, and after it each of its calls alone, in any order.
func (b *batchRig) wantSingles(matches ...string) {
	b.t.Helper()
	got := b.rpcs()
	batch, singles := "MatchBatch", []string{}
	for _, id := range matches {
		batch += " " + id
		singles = append(singles, "MatchLoop "+id)
	}
	if len(got) == 0 || got[0] != batch {
		b.t.Fatalf("calls %q", got)
	}
	slices.Sort(got[1:])
	if !reflect.DeepEqual(got[1:], singles) {
		b.t.Errorf("after the batch came %q, want %q", got[1:], singles)
	}
}

func TestOneThatFailsInABatchFailsAlone(t *testing.T) {
	for _, code := range []codes.Code{codes.Internal, codes.InvalidArgument, codes.FailedPrecondition} {
		b := newBatchRig(t)
		b.failingFor("bad", code)
		b.together("a", "bad", "c")
		b.wantAnswers("a: a", "c: c", fmt.Sprintf("bad: %v scripted", code))
		b.wantRPCs("MatchBatch a bad c")
	}
}

func TestABatchThatCannotReachTheServiceFailsForEachAsIfItWereAlone(t *testing.T) {
	for _, code := range []codes.Code{
		codes.Unavailable, codes.DeadlineExceeded, codes.Canceled, codes.Unauthenticated, codes.PermissionDenied,
	} {
		b := newBatchRig(t)
		b.service.failing(code, "MatchBatch")
		b.together("a", "b")
		b.wantAnswers(fmt.Sprintf("a: %v scripted", code), fmt.Sprintf("b: %v scripted", code))
		b.wantRPCs("MatchBatch a b")
	}
}

func TestABatchThatFailsByItsContentIsMadeCallByCall(t *testing.T) {
	for _, code := range []codes.Code{
		codes.Internal, codes.Unknown, codes.InvalidArgument, codes.ResourceExhausted, codes.DataLoss,
		codes.FailedPrecondition, codes.Unimplemented,
	} {
		b := newBatchRig(t)
		b.failingFor("bad", codes.Internal)
		b.service.failing(code, "MatchBatch")
		b.together("a", "bad", "c")
		b.wantAnswers("a: a", "bad: Internal scripted", "c: c")
		b.wantSingles("a", "bad", "c")
	}
}

func TestAnAnswerThatHasNotOnePartForEachCallIsNotUsed(t *testing.T) {
	part := &pb.MatchBatchResult{Result: &pb.MatchBatchResult_Response{
		Response: &pb.MatchLoopResponse{Step: &pb.Step{State: []byte("whose?")}},
	}}
	for count := range 4 {
		if count == 2 {
			continue
		}
		b := newBatchRig(t)
		b.service.on("MatchBatch", func(context.Context, any) (any, error) {
			return &pb.MatchBatchResponse{Results: slices.Repeat([]*pb.MatchBatchResult{part}, count)}, nil
		})
		b.together("a", "b")
		b.wantAnswers("a: a", "b: b")
		b.wantSingles("a", "b")
	}
}

func TestAnAnswerTooLargeForOneMessageComesCallByCall(t *testing.T) {
	b := newBatchRig(t)
	large := make([]byte, 3<<20)
	b.service.on("MatchLoop", func(context.Context, any) (any, error) {
		return &pb.MatchLoopResponse{Step: &pb.Step{State: large}}, nil
	})
	b.together("a", "b")
	for answer := range b.answers(2) {
		if len(answer) != len("a: ")+len(large) {
			t.Errorf("answered %.40q", answer)
		}
	}
	b.wantSingles("a", "b")
}

func TestACallThatCannotBeWrittenTakesNoOtherWithIt(t *testing.T) {
	b := newBatchRig(t)
	b.together("a", "\xff")
	got := b.answers(2)
	if !got["a: a"] {
		t.Errorf("answers %v", got)
	}
	b.wantRPCs("MatchLoop a")
}

func TestAPartThatIsNeitherAnswerNorFailureIsRefusedByItsMatchAlone(t *testing.T) {
	parts := map[string]*pb.MatchBatchResult{
		"nothing":              {},
		"no step":              {Result: &pb.MatchBatchResult_Response{Response: &pb.MatchLoopResponse{}}},
		"a failure that is OK": {Result: &pb.MatchBatchResult_Failure{Failure: &pb.CallFailure{}}},
	}
	for name, part := range parts {
		o := outcomeOf(part)
		if _, err := checked(o.resp.GetStep(), o.err); !isMalformed(err) || o.alone {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestACodeThatGRPCDoesNotKnowIsUnknown(t *testing.T) {
	cases := map[int32]codes.Code{-1: codes.Unknown, 5: codes.NotFound, 16: codes.Unauthenticated, 17: codes.Unknown}
	for number, want := range cases {
		if got := knownCode(number); got != want {
			t.Errorf("%d is %v, want %v", number, got, want)
		}
	}
}

func TestAServiceThatKnowsNoBatchesIsSpared(t *testing.T) {
	b := newBatchRig(t)
	clock := &fakeClock{at: time.Now()}
	b.client.now = clock.now
	b.service.failing(codes.Unimplemented, "MatchBatch")
	b.together("a", "b")
	b.wantAnswers("a: a", "b: b")
	b.wantSingles("a", "b")
	b.calls("c", "d")
	b.answers(2)
	b.wantRPCs("MatchLoop c", "MatchLoop d")

	clock.pass(unbatchedFor)
	b.service.on("MatchBatch", nil)
	b.together("e", "f")
	b.wantAnswers("e: e", "f: f")
	b.wantRPCs("MatchBatch e f")
}

func TestAPanicWhileABatchIsSentIsSurvivedByItsCalls(t *testing.T) {
	b := newBatchRig(t)
	var panicked []any
	b.client.panicked = func(value ...any) { panicked = append(panicked, value...) }
	b.client.meters = nil
	b.together("a", "b")
	b.wantAnswers("a: a", "b: b")
	if len(panicked) != 1 {
		t.Errorf("reported %v", panicked)
	}
	b.wantSingles("a", "b")
}

func TestAConnectionThatClosesEndsItsBatches(t *testing.T) {
	b := newBatchRig(t)
	held := make(chan struct{})
	defer close(held)
	begun := make(chan struct{})
	b.service.on("MatchBatch", func(context.Context, any) (any, error) { close(begun); <-held; return nil, nil })
	b.together("a", "b")
	<-begun
	b.calls("c", "d")
	b.shim.rules.close()
	b.alarms.ring()
	closing := "grpc: the client connection is closing"
	b.wantAnswers("a: Canceled "+closing, "b: Canceled "+closing, "c: Canceled "+closing, "d: Canceled "+closing)
}

func TestNothingOfABatchStays(t *testing.T) {
	b := newBatchRig(t)
	for _, code := range []codes.Code{codes.OK, codes.Internal, codes.Unavailable} {
		b.service.failing(code, "MatchBatch")
		if code == codes.OK {
			b.service.on("MatchBatch", nil)
		}
		b.together("a", "b", "c")
		b.answers(3)
		b.await("the end of the batch", func() bool {
			b.client.mu.Lock()
			defer b.client.mu.Unlock()
			return b.client.flying == 1 && b.client.forming == nil
		})
	}
}
