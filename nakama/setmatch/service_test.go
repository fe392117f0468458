package setmatch

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

	"setmatch/nakama/internal/rules"
	"setmatch/nakama/pb"
)

// fakeService is a real gRPC server with scripted responses.
type fakeService struct {
	pb.UnimplementedMatchHandlerServiceServer
	addr   string
	server *grpc.Server

	mu     sync.Mutex
	script map[string]handler
	calls  []serviceCall
	states int
}

// handler returns the response of one method. A nil response with a nil error means the standard response.
type handler func(ctx context.Context, req any) (any, error)

// serviceCall is one call that the service received.
type serviceCall struct {
	method string
	req    any
	header metadata.MD
}

func startService(t testing.TB, options ...grpc.ServerOption) *fakeService {
	t.Helper()
	f := &fakeService{script: make(map[string]handler)}
	f.serve(t, "127.0.0.1:0", options...)
	t.Cleanup(func() { f.server.Stop() })
	return f
}

// serve starts the server at an address, also again after a stop.
func (f *fakeService) serve(t testing.TB, addr string, options ...grpc.ServerOption) {
	t.Helper()
	listener, err := net.Listen("tcp", addr)
	if err != nil {
		t.Fatal(err)
	}
	f.addr = listener.Addr().String()
	f.server = grpc.NewServer(append(options, grpc.UnaryInterceptor(f.intercept))...)
	pb.RegisterMatchHandlerServiceServer(f.server, f)
	go func() { _ = f.server.Serve(listener) }()
}

func (f *fakeService) intercept(
	ctx context.Context, req any, info *grpc.UnaryServerInfo, _ grpc.UnaryHandler,
) (any, error) {
	method := path.Base(info.FullMethod)
	header, _ := metadata.FromIncomingContext(ctx)
	f.mu.Lock()
	f.calls = append(f.calls, serviceCall{method: method, req: req, header: header})
	scripted := f.script[method]
	f.mu.Unlock()
	if scripted != nil {
		if resp, err := scripted(ctx, req); resp != nil || err != nil {
			return resp, err
		}
	}
	return f.standard(method, req), nil
}

// handle sets the handler of a method; nil restores the standard response.
func (f *fakeService) handle(method string, h handler) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.script[method] = h
}

// failWith scripts methods to fail with a code.
func (f *fakeService) failWith(code codes.Code, methods ...string) {
	for _, method := range methods {
		f.handle(method, func(context.Context, any) (any, error) { return nil, status.Error(code, "scripted") })
	}
}

// reset restores the standard responses of all methods.
func (f *fakeService) reset() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.script = make(map[string]handler)
}

// takeCalls returns the calls since the last takeCalls.
func (f *fakeService) takeCalls() []serviceCall {
	f.mu.Lock()
	defer f.mu.Unlock()
	calls := f.calls
	f.calls = nil
	return calls
}

// takeMethods returns the methods of the calls since the last takeCalls.
func (f *fakeService) takeMethods() []string {
	names := []string{}
	for _, call := range f.takeCalls() {
		names = append(names, call.method)
	}
	return names
}

func (f *fakeService) step() *pb.Step {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.states++
	return &pb.Step{State: fmt.Appendf(nil, "state %d", f.states)}
}

func (f *fakeService) standard(method string, req any) any {
	switch method {
	case "MatchOptions":
		options := req.(*pb.MatchOptionsRequest).Options
		return &pb.MatchOptionsResponse{Options: options, Key: "key" + string(options), Seats: 2}
	case "MatchInit":
		return f.initReply(`{"open":1,"players":0,"seats":2,"key":"key"}`)
	case "MatchJoinAttempt":
		return &pb.MatchJoinAttemptResponse{Step: f.step(), Allow: true}
	case "MatchJoin":
		return &pb.MatchJoinResponse{Step: f.step()}
	case "MatchReserve":
		return &pb.MatchReserveResponse{Step: f.step(), Granted: true}
	case "MatchLoop":
		return &pb.MatchLoopResponse{Step: f.step()}
	case "MatchBatch":
		return f.batch(req.(*pb.MatchBatchRequest))
	case "MatchTerminate":
		return &pb.MatchTerminateResponse{Step: f.step()}
	default:
		return &pb.MatchSignalResponse{Step: f.step(), Data: `{"received":true}`}
	}
}

func (f *fakeService) initReply(label string) *pb.MatchInitResponse {
	step := f.step()
	step.Label = &label
	return &pb.MatchInitResponse{
		Step: step, TickRate: 20, Seats: 2, RescueCollection: "rescued",
		Notices: &pb.Notices{
			Paused: notice("paused"), Resumed: notice("resumed"), Closed: notice("closed"), Restarting: notice("restarting"),
			Overflow: map[int64]*pb.Message{rules.OtherOpCode: notice("overflow")},
		},
	}
}

func notice(text string) *pb.Message {
	return &pb.Message{OpCode: 109, Data: []byte(text)}
}

// loopReply scripts MatchLoop to return the standard step with a change.
func (f *fakeService) loopReply(change func(*pb.Step)) {
	f.handle("MatchLoop", func(context.Context, any) (any, error) {
		step := f.step()
		change(step)
		return &pb.MatchLoopResponse{Step: step}, nil
	})
}

func scriptedError(code codes.Code) error {
	return status.Error(code, "scripted")
}
