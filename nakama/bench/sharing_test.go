package main

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"setmatch/nakama/pb"
)

const roadMs = 10

// road answers RPCs after ten milliseconds, batches by the script, and remembers how many calls each had.
type road struct {
	pb.MatchHandlerServiceClient
	failure error // of batches
	mu      sync.Mutex
	went    []int
}

func (r *road) travel(calls int) {
	r.mu.Lock()
	r.went = append(r.went, calls)
	r.mu.Unlock()
	time.Sleep(roadMs * time.Millisecond)
}

func (r *road) MatchLoop(_ context.Context, request *pb.MatchLoopRequest, _ ...grpc.CallOption) (*pb.MatchLoopResponse, error) {
	r.travel(1)
	return &pb.MatchLoopResponse{Step: &pb.Step{State: []byte(request.MatchId)}}, nil
}

func (r *road) MatchBatch(_ context.Context, request *pb.MatchBatchRequest, _ ...grpc.CallOption) (*pb.MatchBatchResponse, error) {
	r.travel(len(request.Calls))
	response := &pb.MatchBatchResponse{}
	for _, call := range request.Calls {
		answer := &pb.MatchLoopResponse{Step: &pb.Step{State: []byte(call.MatchId)}}
		result := &pb.MatchBatchResult{Result: &pb.MatchBatchResult_Response{Response: answer}}
		response.Results = append(response.Results, result)
	}
	return response, r.failure
}

// makeCalls makes calls one after the other, so long apart, and fails unless each gets its own answer.
func makeCalls(t *testing.T, call loopCall, count int, apart time.Duration) {
	t.Helper()
	var group sync.WaitGroup
	for i := range count {
		group.Go(func() {
			response, err := call(&pb.MatchLoopRequest{MatchId: fmt.Sprint(i)})
			if got := string(response.GetStep().GetState()); err != nil || got != fmt.Sprint(i) {
				t.Errorf("call %d got %q, %v", i, got, err)
			}
		})
		time.Sleep(apart)
	}
	group.Wait()
}

func TestTheRPCsOfCallsAreCounted(t *testing.T) {
	for _, one := range []struct {
		name    string
		apart   time.Duration
		failure error
		want    []int
		refused int64
	}{
		{"apart", (roadMs + 1) * time.Millisecond, nil, []int{1, 1, 1, 1}, 0},
		{"within a moment", 300 * time.Microsecond, nil, []int{1, 3}, 0},
		{"a moment apart", 2 * time.Millisecond, nil, []int{1, 1, 1, 1}, 0},
		{"turned away", 300 * time.Microsecond, status.Error(codes.ResourceExhausted, ""), []int{1, 3, 1, 1, 1}, 3},
		{"failed", 300 * time.Microsecond, status.Error(codes.Internal, ""), []int{1, 3, 1, 1, 1}, 0},
	} {
		t.Run(one.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r, n := &road{failure: one.failure}, &counts{}
				all := newSharing(n)
				makeCalls(t, all.calls(r), 4, one.apart)
				if !slices.Equal(r.went, one.want) || int(all.rpcs.Load()) != len(one.want) {
					t.Errorf("went %v (%d), want %v", r.went, all.rpcs.Load(), one.want)
				}
				if n.refused.Load() != one.refused {
					t.Errorf("%d were turned away, want %d", n.refused.Load(), one.refused)
				}
			})
		})
	}
}
