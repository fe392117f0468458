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
	answerToOne func(context.Context, *pb.MatchLoopRequest) (*pb.MatchLoopResponse, error)
	answerToAll func(context.Context, *pb.MatchBatchRequest) (*pb.MatchBatchResponse, error)
)

// service is a real gRPC server that answers as a test scripts it and writes down what it received.
type service struct {
	pb.UnimplementedMatchHandlerServiceServer
	addr string

	mu    sync.Mutex
	one   answerToOne
	all   answerToAll    // nil, or an answer of nil: each of the calls as if it were alone
	calls [][]string     // the method and the matches of each RPC since the last take
	seen  map[string]int // how often each match was called, ever
}

func startService(t *testing.T) *service {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s := &service{addr: listener.Addr().String(), one: echo, seen: make(map[string]int)}
	server := grpc.NewServer()
	pb.RegisterMatchHandlerServiceServer(server, s)
	go func() { _ = server.Serve(listener) }()
	t.Cleanup(server.Stop)
	return s
}

// echo answers the match id as state, so that a test sees whose answer it got.
func echo(_ context.Context, req *pb.MatchLoopRequest) (*pb.MatchLoopResponse, error) {
	return &pb.MatchLoopResponse{Step: &pb.Step{State: []byte(req.MatchId)}}, nil
}

// MatchLoop answers by the script.
func (s *service) MatchLoop(ctx context.Context, req *pb.MatchLoopRequest) (*pb.MatchLoopResponse, error) {
	one, _ := s.receive("MatchLoop", req)
	return one(ctx, req)
}

// MatchBatch answers by the script of batches, or as the real service does: each call as MatchLoop would have been.
func (s *service) MatchBatch(ctx context.Context, req *pb.MatchBatchRequest) (*pb.MatchBatchResponse, error) {
	one, all := s.receive("MatchBatch", req.Calls...)
	if all != nil {
		if resp, err := all(ctx, req); resp != nil || err != nil {
			return resp, err
		}
	}
	return eachAlone(ctx, one, req), nil
}

// receive writes an RPC down and returns the script.
func (s *service) receive(method string, calls ...*pb.MatchLoopRequest) (answerToOne, answerToAll) {
	s.mu.Lock()
	defer s.mu.Unlock()
	line := []string{method}
	for _, call := range calls {
		line = append(line, call.MatchId)
		s.seen[call.MatchId]++
	}
	s.calls = append(s.calls, line)
	return s.one, s.all
}

func eachAlone(ctx context.Context, one answerToOne, req *pb.MatchBatchRequest) *pb.MatchBatchResponse {
	resp := &pb.MatchBatchResponse{}
	for _, call := range req.Calls {
		result := &pb.MatchBatchResult{}
		if answer, err := one(ctx, call); err == nil {
			result.Result = &pb.MatchBatchResult_Response{Response: answer}
		} else {
			failure := &pb.CallFailure{Code: int32(status.Code(err)), Message: status.Convert(err).Message()}
			result.Result = &pb.MatchBatchResult_Failure{Failure: failure}
		}
		resp.Results = append(resp.Results, result)
	}
	return resp
}

// onOne scripts MatchLoop, and each call of a batch, from now on.
func (s *service) onOne(answer answerToOne) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.one = answer
}

// onAll scripts MatchBatch; nil restores the answer of a service that is well.
func (s *service) onAll(answer answerToAll) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.all = answer
}

// holding scripts batches to be answered only after something was closed; it tells when one has come.
func (s *service) holding(until <-chan struct{}) <-chan struct{} {
	come := make(chan struct{}, 8)
	s.onAll(func(context.Context, *pb.MatchBatchRequest) (*pb.MatchBatchResponse, error) {
		come <- struct{}{}
		<-until
		return nil, nil
	})
	return come
}

// failing scripts batches to fail with a code.
func (s *service) failing(code codes.Code) {
	s.onAll(func(context.Context, *pb.MatchBatchRequest) (*pb.MatchBatchResponse, error) {
		return nil, scriptedError(code)
	})
}

// failingFor scripts the calls of one match to fail with a code.
func (s *service) failingFor(matchID string, code codes.Code) {
	s.onOne(func(ctx context.Context, req *pb.MatchLoopRequest) (*pb.MatchLoopResponse, error) {
		if req.MatchId == matchID {
			return nil, scriptedError(code)
		}
		return echo(ctx, req)
	})
}

func scriptedError(code codes.Code) error {
	return status.Error(code, "scripted")
}

// times returns how often a match was called, alone or in a batch.
func (s *service) times(matchID string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.seen[matchID]
}

func (s *service) received() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.calls)
}

// take returns the RPCs since the last take: the method and the matches of each.
func (s *service) take() [][]string {
	s.mu.Lock()
	defer s.mu.Unlock()
	calls := slices.Clone(s.calls)
	s.calls = nil
	return calls
}
