package batching

import (
	"context"
	"net"
	"slices"
	"sync"
	"testing"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"setmatch/nakama/pb"
)

type (
	loopHandler  func(context.Context, *pb.MatchLoopRequest) (*pb.MatchLoopResponse, error)
	batchHandler func(context.Context, *pb.MatchBatchRequest) (*pb.MatchBatchResponse, error)
)

// service is a gRPC server with scripted handlers that records the received RPCs.
type service struct {
	pb.UnimplementedMatchHandlerServiceServer
	addr string

	mu         sync.Mutex
	loop       loopHandler
	batch      batchHandler   // if nil, or if it returns nil, `loop` handles each call of the batch
	rpcs       [][]string     // method and match ids of each RPC since the last takeRPCs
	callCounts map[string]int // total calls of each match
}

func startService(t *testing.T) *service {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s := &service{addr: listener.Addr().String(), loop: echo, callCounts: make(map[string]int)}
	server := grpc.NewServer()
	pb.RegisterMatchHandlerServiceServer(server, s)
	go func() { _ = server.Serve(listener) }()
	t.Cleanup(server.Stop)
	return s
}

// echo returns the match id as state, so that a test can check which response a call received.
func echo(_ context.Context, req *pb.MatchLoopRequest) (*pb.MatchLoopResponse, error) {
	return &pb.MatchLoopResponse{Step: &pb.Step{State: []byte(req.MatchId)}}, nil
}

func (s *service) MatchLoop(ctx context.Context, req *pb.MatchLoopRequest) (*pb.MatchLoopResponse, error) {
	loop, _ := s.record("MatchLoop", req)
	return loop(ctx, req)
}

// MatchBatch calls the batch handler, or, as the real service does, the MatchLoop handler for each call.
func (s *service) MatchBatch(ctx context.Context, req *pb.MatchBatchRequest) (*pb.MatchBatchResponse, error) {
	loop, batch := s.record("MatchBatch", req.Calls...)
	if batch != nil {
		if resp, err := batch(ctx, req); resp != nil || err != nil {
			return resp, err
		}
	}
	return handleEach(ctx, loop, req), nil
}

// record records an RPC and returns the handlers.
func (s *service) record(method string, calls ...*pb.MatchLoopRequest) (loopHandler, batchHandler) {
	s.mu.Lock()
	defer s.mu.Unlock()
	rpc := []string{method}
	for _, call := range calls {
		rpc = append(rpc, call.MatchId)
		s.callCounts[call.MatchId]++
	}
	s.rpcs = append(s.rpcs, rpc)
	return s.loop, s.batch
}

func handleEach(ctx context.Context, loop loopHandler, req *pb.MatchBatchRequest) *pb.MatchBatchResponse {
	resp := &pb.MatchBatchResponse{}
	for _, call := range req.Calls {
		result := &pb.MatchBatchResult{}
		if response, err := loop(ctx, call); err == nil {
			result.Result = &pb.MatchBatchResult_Response{Response: response}
		} else {
			failure := &pb.CallFailure{Code: int32(status.Code(err)), Message: status.Convert(err).Message()}
			result.Result = &pb.MatchBatchResult_Failure{Failure: failure}
		}
		resp.Results = append(resp.Results, result)
	}
	return resp
}

// onLoop sets the handler of MatchLoop and of each call of a batch.
func (s *service) onLoop(handler loopHandler) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.loop = handler
}

// onBatch sets the handler of MatchBatch; nil restores the default.
func (s *service) onBatch(handler batchHandler) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.batch = handler
}

// holdBatches makes batches wait until a channel is closed. It returns a channel that receives a value for each batch.
func (s *service) holdBatches(until <-chan struct{}) <-chan struct{} {
	arrived := make(chan struct{}, 8)
	s.onBatch(func(context.Context, *pb.MatchBatchRequest) (*pb.MatchBatchResponse, error) {
		arrived <- struct{}{}
		<-until
		return nil, nil
	})
	return arrived
}

// failBatches makes batches fail with a code.
func (s *service) failBatches(code codes.Code) {
	s.onBatch(func(context.Context, *pb.MatchBatchRequest) (*pb.MatchBatchResponse, error) {
		return nil, scriptedError(code)
	})
}

// failMatch makes the calls of one match fail with a code.
func (s *service) failMatch(matchID string, code codes.Code) {
	s.onLoop(func(ctx context.Context, req *pb.MatchLoopRequest) (*pb.MatchLoopResponse, error) {
		if req.MatchId == matchID {
			return nil, scriptedError(code)
		}
		return echo(ctx, req)
	})
}

func scriptedError(code codes.Code) error {
	return status.Error(code, "scripted")
}

// callCount returns the number of calls of a match, single or in a batch.
func (s *service) callCount(matchID string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.callCounts[matchID]
}

func (s *service) rpcCount() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.rpcs)
}

// takeRPCs returns method and match ids of each RPC since the last takeRPCs.
func (s *service) takeRPCs() [][]string {
	s.mu.Lock()
	defer s.mu.Unlock()
	rpcs := slices.Clone(s.rpcs)
	s.rpcs = nil
	return rpcs
}
