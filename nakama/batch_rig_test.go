package main

import (
	"context"
	"fmt"
	"testing"
	"time"

	"google.golang.org/grpc/status"

	"setmatch/nakama/batching"
	"setmatch/nakama/pb"
)

// batch answers as the real service does: each call as MatchLoop would have been, by the script of MatchLoop.
func (f *fakeService) batch(req *pb.MatchBatchRequest) *pb.MatchBatchResponse {
	resp := &pb.MatchBatchResponse{}
	for _, call := range req.Calls {
		resp.Results = append(resp.Results, f.result(call))
	}
	return resp
}

func (f *fakeService) result(call *pb.MatchLoopRequest) *pb.MatchBatchResult {
	f.mu.Lock()
	scripted := f.script["MatchLoop"]
	f.mu.Unlock()
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

// company is a connection whose calls share RPCs, on which one call is on its way until the test ends. The others wait until
// a batch is full.
type company struct {
	*rig
	told chan error // what became of each call
}

func newCompany(t *testing.T) *company {
	t.Helper()
	c := dialCompany(t, settings{})
	c.shim.rules.batcher = newBatcher(time.Hour, c.shim.meters, t.Error)
	c.hold()
	return c
}

// dialCompany makes a connection by some settings, without any call.
func dialCompany(t *testing.T, s settings) *company {
	t.Helper()
	f := startService(t)
	s.addr = f.addr
	r, rules := dial(t, s)
	r.service = f
	r.await("a connection", rules.allReady)
	return &company{r, make(chan error, 2*batching.MaxCalls)}
}

// hold makes a call that is on its way until the test ends.
func (c *company) hold() {
	c.t.Helper()
	held := make(chan struct{})
	c.t.Cleanup(func() { close(held) })
	c.service.on("MatchLoop", func(context.Context, any) (any, error) { <-held; return nil, nil })
	go func() { _, _ = c.loop(context.Background(), "held") }()
	c.await("the call that is held", func() bool { return len(c.service.take()) == 1 })
	c.service.on("MatchLoop", nil)
}

// loop makes a call that may be shared.
func (c *company) loop(ctx context.Context, matchID string) (*pb.MatchLoopResponse, error) {
	return c.shim.rules.batcher.Call(c.shim.rules.links[0].client, ctx, &pb.MatchLoopRequest{MatchId: matchID})
}

// come begins so many calls that may be shared.
func (c *company) come(ctx context.Context, count int) {
	for number := range count {
		go func() {
			resp, err := c.loop(ctx, fmt.Sprint("m", number))
			_, err = checked(resp.GetStep(), err)
			c.told <- err
		}()
	}
}

// tell waits for what became of so many calls.
func (c *company) tell(count int) []error {
	c.t.Helper()
	var list []error
	for range count {
		select {
		case err := <-c.told:
			list = append(list, err)
		case <-time.After(hung):
			c.t.Fatalf("waited in vain for call %d", len(list)+1)
		}
	}
	return list
}

// fill makes the calls of one full batch and returns what became of each.
func (c *company) fill() []error {
	c.t.Helper()
	c.come(context.Background(), batching.MaxCalls)
	return c.tell(batching.MaxCalls)
}
