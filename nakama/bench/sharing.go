package main

import (
	"context"
	"errors"
	"sync/atomic"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"setmatch/nakama/batching"
	"setmatch/nakama/pb"
)

// shareWindow is how long calls wait for company: what the plugin does where nothing is set.
const shareWindow = batching.DefaultWindowMs * time.Millisecond

// sharing is calls that share RPCs by the plugin's own code, and the number of those RPCs.
type sharing struct {
	batcher *batching.Batcher
	rpcs    atomic.Int64
}

func newSharing(n *counts) *sharing {
	return &sharing{batcher: batching.New(shareWindow, shareHost{n})}
}

// calls makes MatchLoop calls over a connection, alone or in company.
func (s *sharing) calls(client pb.MatchHandlerServiceClient) loopCall {
	counted := countedClient{client, &s.rpcs}
	return func(request *pb.MatchLoopRequest) (*pb.MatchLoopResponse, error) {
		ctx, cancel := context.WithTimeout(context.Background(), callTimeout)
		defer cancel()
		return s.batcher.Call(counted, ctx, request)
	}
}

// shareHost is what the bench does with what a batcher tells it.
type shareHost struct{ *counts }

// Shared counts the calls of a batch that a service with too many waiting turned away: the batcher makes them again, alone.
func (h shareHost) Shared(calls int, _ time.Duration, err error) {
	if status.Code(err) == codes.ResourceExhausted {
		h.refused.Add(int64(calls))
	}
}

// Malformed makes an error that ends the run.
func (h shareHost) Malformed(problem string) error { return errors.New(problem) }

// Panicked ends the run.
func (h shareHost) Panicked(value any) { panic(value) }

// countedClient counts the RPCs that MatchLoop calls take.
type countedClient struct {
	pb.MatchHandlerServiceClient
	rpcs *atomic.Int64
}

// MatchLoop is one RPC.
func (c countedClient) MatchLoop(
	ctx context.Context, request *pb.MatchLoopRequest, options ...grpc.CallOption,
) (*pb.MatchLoopResponse, error) {
	c.rpcs.Add(1)
	return c.MatchHandlerServiceClient.MatchLoop(ctx, request, options...)
}

// MatchBatch is one RPC for all its calls.
func (c countedClient) MatchBatch(
	ctx context.Context, request *pb.MatchBatchRequest, options ...grpc.CallOption,
) (*pb.MatchBatchResponse, error) {
	c.rpcs.Add(1)
	return c.MatchHandlerServiceClient.MatchBatch(ctx, request, options...)
}
