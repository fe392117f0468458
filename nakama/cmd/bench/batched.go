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

// window is how long a call waits for other calls: the plugin's default.
const window = batching.DefaultWindowMs * time.Millisecond

// batchedCalls makes calls through the plugin's batcher and counts the RPCs.
type batchedCalls struct {
	batcher *batching.Batcher
	rpcs    atomic.Int64
}

func newBatchedCalls(c *counts) *batchedCalls {
	return &batchedCalls{batcher: batching.New(window, host{c})}
}

// caller returns a function that makes MatchLoop calls over a connection.
func (b *batchedCalls) caller(client pb.MatchHandlerServiceClient) loopCall {
	counted := countedClient{client, &b.rpcs}
	return func(request *pb.MatchLoopRequest) (*pb.MatchLoopResponse, error) {
		ctx, cancel := context.WithTimeout(context.Background(), callTimeout)
		defer cancel()
		return b.batcher.Call(counted, ctx, request)
	}
}

// host receives the events of the batcher.
type host struct{ *counts }

// Shared counts the calls of a batch that the service rejected because of its load. The batcher retries them as single RPCs.
func (h host) Shared(calls int, _ time.Duration, err error) {
	if status.Code(err) == codes.ResourceExhausted {
		h.refused.Add(int64(calls))
	}
}

// Malformed returns an error that ends the measurement.
func (h host) Malformed(problem string) error { return errors.New(problem) }

// Panicked ends the measurement.
func (h host) Panicked(value any) { panic(value) }

// countedClient counts RPCs.
type countedClient struct {
	pb.MatchHandlerServiceClient
	rpcs *atomic.Int64
}

// MatchLoop counts one RPC.
func (c countedClient) MatchLoop(
	ctx context.Context, request *pb.MatchLoopRequest, options ...grpc.CallOption,
) (*pb.MatchLoopResponse, error) {
	c.rpcs.Add(1)
	return c.MatchHandlerServiceClient.MatchLoop(ctx, request, options...)
}

// MatchBatch counts one RPC for all calls of the batch.
func (c countedClient) MatchBatch(
	ctx context.Context, request *pb.MatchBatchRequest, options ...grpc.CallOption,
) (*pb.MatchBatchResponse, error) {
	c.rpcs.Add(1)
	return c.MatchHandlerServiceClient.MatchBatch(ctx, request, options...)
}
