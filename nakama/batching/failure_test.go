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

func TestFailedCallDoesNotAffectItsBatch(t *testing.T) {
	for _, code := range []codes.Code{codes.Internal, codes.InvalidArgument, codes.FailedPrecondition} {
		f := newFixture(t)
		f.service.failMatch("bad", code)
		f.startBatch("a", "bad", "c")
		f.wantResults("a: a", "c: c", fmt.Sprintf("bad: %v scripted", code))
		f.wantRPCs("MatchBatch a bad c")
	}
}

func TestUnreachableServiceFailsEachCallOfBatch(t *testing.T) {
	for _, code := range []codes.Code{
		codes.Unavailable, codes.DeadlineExceeded, codes.Canceled, codes.Unauthenticated, codes.PermissionDenied,
	} {
		f := newFixture(t)
		f.service.failBatches(code)
		f.startBatch("a", "b")
		f.wantResults(fmt.Sprintf("a: %v scripted", code), fmt.Sprintf("b: %v scripted", code))
		f.wantRPCs("MatchBatch a b")
	}
}

func TestBatchFailedByContentIsRetriedCallByCall(t *testing.T) {
	for _, code := range []codes.Code{
		codes.Internal, codes.Unknown, codes.InvalidArgument, codes.ResourceExhausted, codes.DataLoss,
		codes.FailedPrecondition, codes.Unimplemented,
	} {
		f := newFixture(t)
		f.service.failMatch("bad", codes.Internal)
		f.service.failBatches(code)
		f.startBatch("a", "bad", "c")
		f.wantResults("a: a", "bad: Internal scripted", "c: c")
		f.wantBatchThenSingles("a", "bad", "c")
	}
}

func TestResponseWithWrongNumberOfResultsIsIgnored(t *testing.T) {
	result := &pb.MatchBatchResult{Result: &pb.MatchBatchResult_Response{
		Response: &pb.MatchLoopResponse{Step: &pb.Step{State: []byte("unknown")}},
	}}
	for count := range 4 {
		if count == 2 {
			continue
		}
		f := newFixture(t)
		f.service.onBatch(func(context.Context, *pb.MatchBatchRequest) (*pb.MatchBatchResponse, error) {
			return &pb.MatchBatchResponse{Results: slices.Repeat([]*pb.MatchBatchResult{result}, count)}, nil
		})
		f.startBatch("a", "b")
		f.wantResults("a: a", "b: b")
		f.wantBatchThenSingles("a", "b")
	}
}

func TestTooLargeResponseIsRetriedCallByCall(t *testing.T) {
	f := newFixture(t)
	large := make([]byte, 3<<20)
	f.service.onLoop(func(context.Context, *pb.MatchLoopRequest) (*pb.MatchLoopResponse, error) {
		return &pb.MatchLoopResponse{Step: &pb.Step{State: large}}, nil
	})
	f.startBatch("a", "b")
	for result := range f.waitResults(2) {
		if len(result) != len("a: ")+len(large) {
			t.Errorf("result %.40q", result)
		}
	}
	f.wantBatchThenSingles("a", "b")
}

func TestUnserializableCallDoesNotAffectItsBatch(t *testing.T) {
	f := newFixture(t)
	f.startBatch("a", "\xff")
	got := f.waitResults(2)
	if !got["a: a"] {
		t.Errorf("results %v", got)
	}
	f.wantRPCs("MatchLoop a")
}

func TestInvalidResultAffectsOnlyItsCall(t *testing.T) {
	f := newFixture(t)
	f.service.onBatch(func(context.Context, *pb.MatchBatchRequest) (*pb.MatchBatchResponse, error) {
		return &pb.MatchBatchResponse{Results: []*pb.MatchBatchResult{
			{},
			{Result: &pb.MatchBatchResult_Failure{Failure: &pb.CallFailure{}}},
			{Result: &pb.MatchBatchResult_Response{Response: &pb.MatchLoopResponse{Step: &pb.Step{State: []byte("c")}}}},
		}}, nil
	})
	f.startBatch("a", "b", "c")
	f.wantResults("a: ", "b: Unknown malformed: a failure without a code", "c: c")
	f.wantRPCs("MatchBatch a b c")
}

func TestUndefinedCodeBecomesUnknown(t *testing.T) {
	cases := map[int32]codes.Code{-1: codes.Unknown, 5: codes.NotFound, 16: codes.Unauthenticated, 17: codes.Unknown}
	for number, want := range cases {
		if got := knownCode(number); got != want {
			t.Errorf("%d is %v, want %v", number, got, want)
		}
	}
}

func TestUnimplementedDisablesBatchesForSomeTime(t *testing.T) {
	f := newFixture(t)
	var elapsed atomic.Int64
	f.batcher.now = func() time.Time { return time.Unix(0, elapsed.Load()) }
	f.service.failBatches(codes.Unimplemented)
	f.startBatch("a", "b")
	f.wantResults("a: a", "b: b")
	f.wantBatchThenSingles("a", "b")
	f.startCalls("c", "d")
	f.waitResults(2)
	f.wantRPCs("MatchLoop c", "MatchLoop d")

	elapsed.Store(int64(unbatchedFor))
	f.service.onBatch(nil)
	f.startBatch("e", "f")
	f.wantResults("e: e", "f: f")
	f.wantRPCs("MatchBatch e f")
}

func TestPanicDuringFlushIsRecovered(t *testing.T) {
	f := newFixture(t)
	f.host.panics = true
	f.startBatch("a", "b")
	f.wantResults("a: a", "b: b")
	if got := f.host.panicked; len(got) != 1 || got[0] != "scripted" {
		t.Errorf("reported %v", got)
	}
	f.wantBatchThenSingles("a", "b")
}

func TestClosedConnectionCancelsItsBatches(t *testing.T) {
	f := newFixture(t)
	released := make(chan struct{})
	defer close(released)
	arrived := f.service.holdBatches(released)
	f.startBatch("a", "b")
	<-arrived
	f.startCalls("c", "d")
	_ = f.conn.Close()
	f.timers.fire()
	canceled := "Canceled grpc: the client connection is closing"
	f.wantResults("a: "+canceled, "b: "+canceled, "c: "+canceled, "d: "+canceled)
}

func TestNoBatchStaysInFlight(t *testing.T) {
	f := newFixture(t)
	for _, code := range []codes.Code{codes.OK, codes.Internal, codes.Unavailable} {
		f.service.failBatches(code)
		if code == codes.OK {
			f.service.onBatch(nil)
		}
		f.startBatch("a", "b", "c")
		f.waitResults(3)
		f.waitInFlight(1)
	}
}
