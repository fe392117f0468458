package fake

import (
	"context"
	"fmt"
	"net"
	"path"
	"sync"
	"testing"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"

	"setmatch/nakama/pb"
)

// otherOpCode is the key of the overflow notice for all op codes without a notice of their own.
const otherOpCode = 0

// Service is a real gRPC server with scripted responses.
type Service struct {
	pb.UnimplementedMatchHandlerServiceServer
	Addr   string
	Server *grpc.Server

	mu     sync.Mutex
	script map[string]Handler
	calls  []ServiceCall
	states int
}

// Handler returns the response of one method. A nil response with a nil error means the standard response.
type Handler func(ctx context.Context, req any) (any, error)

// ServiceCall is one call that the service received.
type ServiceCall struct {
	Method string
	Req    any
	Header metadata.MD
}

// NewService returns a service that is not started.
func NewService() *Service {
	return &Service{script: make(map[string]Handler)}
}

// StartService starts a service on a free port of loopback. It stops at the end of the test.
func StartService(t testing.TB, options ...grpc.ServerOption) *Service {
	t.Helper()
	f := NewService()
	f.Serve(t, "127.0.0.1:0", options...)
	t.Cleanup(func() { f.Server.Stop() })
	return f
}

// Serve starts the server at an address, also again after a stop.
func (f *Service) Serve(t testing.TB, addr string, options ...grpc.ServerOption) {
	t.Helper()
	listener, err := net.Listen("tcp", addr)
	if err != nil {
		t.Fatal(err)
	}
	f.Addr = listener.Addr().String()
	f.Server = grpc.NewServer(append(options, grpc.UnaryInterceptor(f.intercept))...)
	pb.RegisterMatchHandlerServiceServer(f.Server, f)
	go func() { _ = f.Server.Serve(listener) }()
}

func (f *Service) intercept(
	ctx context.Context, req any, info *grpc.UnaryServerInfo, _ grpc.UnaryHandler,
) (any, error) {
	method := path.Base(info.FullMethod)
	header, _ := metadata.FromIncomingContext(ctx)
	f.mu.Lock()
	f.calls = append(f.calls, ServiceCall{Method: method, Req: req, Header: header})
	scripted := f.script[method]
	f.mu.Unlock()
	if scripted != nil {
		if resp, err := scripted(ctx, req); resp != nil || err != nil {
			return resp, err
		}
	}
	return f.standard(method, req), nil
}

// Handle sets the handler of a method; nil restores the standard response.
func (f *Service) Handle(method string, h Handler) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.script[method] = h
}

// Scripted returns the handler of a method, nil for the standard response.
func (f *Service) Scripted(method string) Handler {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.script[method]
}

// FailWith scripts methods to fail with a code.
func (f *Service) FailWith(code codes.Code, methods ...string) {
	for _, method := range methods {
		f.Handle(method, func(context.Context, any) (any, error) { return nil, status.Error(code, "scripted") })
	}
}

// Reset restores the standard responses of all methods.
func (f *Service) Reset() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.script = make(map[string]Handler)
}

// TakeCalls returns the calls since the last TakeCalls.
func (f *Service) TakeCalls() []ServiceCall {
	f.mu.Lock()
	defer f.mu.Unlock()
	calls := f.calls
	f.calls = nil
	return calls
}

// TakeMethods returns the methods of the calls since the last TakeCalls.
func (f *Service) TakeMethods() []string {
	names := []string{}
	for _, call := range f.TakeCalls() {
		names = append(names, call.Method)
	}
	return names
}

// Step returns a step with a new state.
func (f *Service) Step() *pb.Step {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.states++
	return &pb.Step{State: fmt.Appendf(nil, "state %d", f.states)}
}

func (f *Service) standard(method string, req any) any {
	switch method {
	case "MatchOptions":
		options := req.(*pb.MatchOptionsRequest).Options
		return &pb.MatchOptionsResponse{Options: options, Key: "key" + string(options), Seats: 2}
	case "MatchInit":
		return f.InitReply(`{"open":1,"players":0,"seats":2,"key":"key"}`)
	case "MatchJoinAttempt":
		return &pb.MatchJoinAttemptResponse{Step: f.Step(), Allow: true}
	case "MatchJoin":
		return &pb.MatchJoinResponse{Step: f.Step()}
	case "MatchReserve":
		return &pb.MatchReserveResponse{Step: f.Step(), Granted: true}
	case "MatchLoop":
		return &pb.MatchLoopResponse{Step: f.Step()}
	case "MatchBatch":
		return f.Batch(req.(*pb.MatchBatchRequest))
	case "MatchTerminate":
		return &pb.MatchTerminateResponse{Step: f.Step()}
	default:
		return &pb.MatchSignalResponse{Step: f.Step(), Data: `{"received":true}`}
	}
}

// InitReply returns the standard response of MatchInit with a label.
func (f *Service) InitReply(label string) *pb.MatchInitResponse {
	step := f.Step()
	step.Label = &label
	return &pb.MatchInitResponse{
		Step: step, TickRate: 20, Seats: 2, RescueCollection: "rescued",
		Notices: &pb.Notices{
			Paused: Notice("paused"), Resumed: Notice("resumed"), Closed: Notice("closed"), Restarting: Notice("restarting"),
			Overflow: map[int64]*pb.Message{otherOpCode: Notice("overflow")},
		},
	}
}

// Notice returns a notice of the shim.
func Notice(text string) *pb.Message {
	return &pb.Message{OpCode: 109, Data: []byte(text)}
}

// LoopReply scripts MatchLoop to return the standard step with a change.
func (f *Service) LoopReply(change func(*pb.Step)) {
	f.Handle("MatchLoop", func(context.Context, any) (any, error) {
		step := f.Step()
		change(step)
		return &pb.MatchLoopResponse{Step: step}, nil
	})
}

// ScriptedError returns a gRPC error with a code.
func ScriptedError(code codes.Code) error {
	return status.Error(code, "scripted")
}

// Batch returns the response of MatchBatch: for each call, the response of the scripted MatchLoop.
func (f *Service) Batch(req *pb.MatchBatchRequest) *pb.MatchBatchResponse {
	resp := &pb.MatchBatchResponse{}
	for _, call := range req.Calls {
		resp.Results = append(resp.Results, f.result(call))
	}
	return resp
}

func (f *Service) result(call *pb.MatchLoopRequest) *pb.MatchBatchResult {
	scripted := f.Scripted("MatchLoop")
	var answer any
	var err error
	if scripted != nil {
		answer, err = scripted(context.Background(), call)
	}
	if err != nil {
		failure := &pb.CallFailure{Code: int32(status.Code(err)), Message: status.Convert(err).Message()}
		return &pb.MatchBatchResult{Result: &pb.MatchBatchResult_Failure{Failure: failure}}
	}
	if answer == nil {
		answer = f.standard("MatchLoop", call)
	}
	return &pb.MatchBatchResult{Result: &pb.MatchBatchResult_Response{Response: answer.(*pb.MatchLoopResponse)}}
}
