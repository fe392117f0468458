package batching

import (
	"context"
	"fmt"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"google.golang.org/grpc/codes"

	"setmatch/nakama/pb"
)

func TestOneThatFailsInABatchFailsAlone(t *testing.T) {
	for _, code := range []codes.Code{codes.Internal, codes.InvalidArgument, codes.FailedPrecondition} {
		r := newRig(t)
		r.service.failingFor("bad", code)
		r.together("a", "bad", "c")
		r.wantAnswers("a: a", "c: c", fmt.Sprintf("bad: %v scripted", code))
		r.wantRPCs("MatchBatch a bad c")
	}
}

func TestABatchThatCannotReachTheServiceFailsForEachAsIfItWereAlone(t *testing.T) {
	for _, code := range []codes.Code{
		codes.Unavailable, codes.DeadlineExceeded, codes.Canceled, codes.Unauthenticated, codes.PermissionDenied,
	} {
		r := newRig(t)
		r.service.failing(code)
		r.together("a", "b")
		r.wantAnswers(fmt.Sprintf("a: %v scripted", code), fmt.Sprintf("b: %v scripted", code))
		r.wantRPCs("MatchBatch a b")
	}
}

func TestABatchThatFailsByItsContentIsMadeCallByCall(t *testing.T) {
	for _, code := range []codes.Code{
		codes.Internal, codes.Unknown, codes.InvalidArgument, codes.ResourceExhausted, codes.DataLoss,
		codes.FailedPrecondition, codes.Unimplemented,
	} {
		r := newRig(t)
		r.service.failingFor("bad", codes.Internal)
		r.service.failing(code)
		r.together("a", "bad", "c")
		r.wantAnswers("a: a", "bad: Internal scripted", "c: c")
		r.wantSingles("a", "bad", "c")
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
		r := newRig(t)
		r.service.onAll(func(context.Context, *pb.MatchBatchRequest) (*pb.MatchBatchResponse, error) {
			return &pb.MatchBatchResponse{Results: slices.Repeat([]*pb.MatchBatchResult{part}, count)}, nil
		})
		r.together("a", "b")
		r.wantAnswers("a: a", "b: b")
		r.wantSingles("a", "b")
	}
}

func TestAnAnswerTooLargeForOneMessageComesCallByCall(t *testing.T) {
	r := newRig(t)
	large := make([]byte, 3<<20)
	r.service.onOne(func(context.Context, *pb.MatchLoopRequest) (*pb.MatchLoopResponse, error) {
		return &pb.MatchLoopResponse{Step: &pb.Step{State: large}}, nil
	})
	r.together("a", "b")
	for answer := range r.answers(2) {
		if len(answer) != len("a: ")+len(large) {
			t.Errorf("answered %.40q", answer)
		}
	}
	r.wantSingles("a", "b")
}

func TestACallThatCannotBeWrittenTakesNoOtherWithIt(t *testing.T) {
	r := newRig(t)
	r.together("a", "\xff")
	got := r.answers(2)
	if !got["a: a"] {
		t.Errorf("answers %v", got)
	}
	r.wantRPCs("MatchLoop a")
}

func TestAPartThatIsNeitherAnswerNorFailureConcernsItsCallAlone(t *testing.T) {
	r := newRig(t)
	r.service.onAll(func(context.Context, *pb.MatchBatchRequest) (*pb.MatchBatchResponse, error) {
		return &pb.MatchBatchResponse{Results: []*pb.MatchBatchResult{
			{},
			{Result: &pb.MatchBatchResult_Failure{Failure: &pb.CallFailure{}}},
			{Result: &pb.MatchBatchResult_Response{Response: &pb.MatchLoopResponse{Step: &pb.Step{State: []byte("c")}}}},
		}}, nil
	})
	r.together("a", "b", "c")
	r.wantAnswers("a: ", "b: Unknown malformed: a failure without a code", "c: c")
	r.wantRPCs("MatchBatch a b c")
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
	r := newRig(t)
	var passed atomic.Int64
	r.batcher.now = func() time.Time { return time.Unix(0, passed.Load()) }
	r.service.failing(codes.Unimplemented)
	r.together("a", "b")
	r.wantAnswers("a: a", "b: b")
	r.wantSingles("a", "b")
	r.calls("c", "d")
	r.answers(2)
	r.wantRPCs("MatchLoop c", "MatchLoop d")

	passed.Store(int64(unbatchedFor))
	r.service.onAll(nil)
	r.together("e", "f")
	r.wantAnswers("e: e", "f: f")
	r.wantRPCs("MatchBatch e f")
}

func TestAPanicWhileABatchIsSentIsSurvivedByItsCalls(t *testing.T) {
	r := newRig(t)
	r.host.broken = true
	r.together("a", "b")
	r.wantAnswers("a: a", "b: b")
	if got := r.host.panicked; len(got) != 1 || got[0] != "scripted" {
		t.Errorf("reported %v", got)
	}
	r.wantSingles("a", "b")
}

func TestAConnectionThatClosesEndsItsBatches(t *testing.T) {
	r := newRig(t)
	held := make(chan struct{})
	defer close(held)
	begun := r.service.holding(held)
	r.together("a", "b")
	<-begun
	r.calls("c", "d")
	_ = r.conn.Close()
	r.alarms.ring()
	closing := "grpc: the client connection is closing"
	r.wantAnswers("a: Canceled "+closing, "b: Canceled "+closing, "c: Canceled "+closing, "d: Canceled "+closing)
}

func TestNothingOfABatchStays(t *testing.T) {
	r := newRig(t)
	for _, code := range []codes.Code{codes.OK, codes.Internal, codes.Unavailable} {
		r.service.failing(code)
		if code == codes.OK {
			r.service.onAll(nil)
		}
		r.together("a", "b", "c")
		r.answers(3)
		r.onWay(1)
	}
}
