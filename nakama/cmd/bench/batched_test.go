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

const rpcMs = 10 // duration of each RPC

// fakeClient answers RPCs after rpcMs and records the number of calls in each.
type fakeClient struct {
	pb.MatchHandlerServiceClient
	failure error // error of batches
	mu      sync.Mutex
	rpcs    []int // number of calls in each RPC
}

func (f *fakeClient) record(calls int) {
	f.mu.Lock()
	f.rpcs = append(f.rpcs, calls)
	f.mu.Unlock()
	time.Sleep(rpcMs * time.Millisecond)
}

func (f *fakeClient) MatchLoop(
	_ context.Context, request *pb.MatchLoopRequest, _ ...grpc.CallOption,
) (*pb.MatchLoopResponse, error) {
	f.record(1)
	return &pb.MatchLoopResponse{Step: &pb.Step{State: []byte(request.MatchId)}}, nil
}

func (f *fakeClient) MatchBatch(
	_ context.Context, request *pb.MatchBatchRequest, _ ...grpc.CallOption,
) (*pb.MatchBatchResponse, error) {
	f.record(len(request.Calls))
	response := &pb.MatchBatchResponse{}
	for _, call := range request.Calls {
		loop := &pb.MatchLoopResponse{Step: &pb.Step{State: []byte(call.MatchId)}}
		result := &pb.MatchBatchResult{Result: &pb.MatchBatchResult_Response{Response: loop}}
		response.Results = append(response.Results, result)
	}
	return response, f.failure
}

// makeCalls starts calls at an interval, and fails the test unless each call gets its own response.
func makeCalls(t *testing.T, call loopCall, count int, interval time.Duration) {
	t.Helper()
	var group sync.WaitGroup
	for i := range count {
		group.Go(func() {
			response, err := call(&pb.MatchLoopRequest{MatchId: fmt.Sprint(i)})
			if got := string(response.GetStep().GetState()); err != nil || got != fmt.Sprint(i) {
				t.Errorf("call %d got %q, %v", i, got, err)
			}
		})
		time.Sleep(interval)
	}
	group.Wait()
}

func TestRPCsAreCounted(t *testing.T) {
	for _, one := range []struct {
		name     string
		interval time.Duration
		failure  error
		want     []int
		refused  int64
	}{
		{"one after the other", (rpcMs + 1) * time.Millisecond, nil, []int{1, 1, 1, 1}, 0},
		{"within the window", 300 * time.Microsecond, nil, []int{1, 3}, 0},
		{"longer than the window", 2 * time.Millisecond, nil, []int{1, 1, 1, 1}, 0},
		{"refused", 300 * time.Microsecond, status.Error(codes.ResourceExhausted, ""), []int{1, 3, 1, 1, 1}, 3},
		{"failed", 300 * time.Microsecond, status.Error(codes.Internal, ""), []int{1, 3, 1, 1, 1}, 0},
	} {
		t.Run(one.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				client, c := &fakeClient{failure: one.failure}, &counts{}
				batched := newBatchedCalls(c)
				makeCalls(t, batched.caller(client), 4, one.interval)
				if !slices.Equal(client.rpcs, one.want) || int(batched.rpcs.Load()) != len(one.want) {
					t.Errorf("RPCs %v (counted %d), want %v", client.rpcs, batched.rpcs.Load(), one.want)
				}
				if c.refused.Load() != one.refused {
					t.Errorf("%d calls were refused, want %d", c.refused.Load(), one.refused)
				}
			})
		})
	}
}
