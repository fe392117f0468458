package main

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"time"

	"google.golang.org/grpc/status"

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

// echoing scripts MatchLoop to answer the match id as state, so that a test sees whose answer it got.
func (f *fakeService) echoing() {
	f.on("MatchLoop", func(_ context.Context, req any) (any, error) {
		return &pb.MatchLoopResponse{Step: &pb.Step{State: []byte(req.(*pb.MatchLoopRequest).MatchId)}}, nil
	})
}

// alarms are timers that ring when the test says so.
type alarms struct {
	mu   sync.Mutex
	list []*alarm
	set  []time.Duration
}

type alarm struct {
	mu   sync.Mutex
	ring func()
}

func (a *alarms) later(d time.Duration, f func()) stopper {
	a.mu.Lock()
	defer a.mu.Unlock()
	one := &alarm{ring: f}
	a.list, a.set = append(a.list, one), append(a.set, d)
	return one
}

// Stop reports whether the alarm had neither rung nor been stopped.
func (a *alarm) Stop() bool {
	return a.take() != nil
}

func (a *alarm) take() func() {
	a.mu.Lock()
	defer a.mu.Unlock()
	ring := a.ring
	a.ring = nil
	return ring
}

// ring lets every alarm ring that was not stopped.
func (a *alarms) ring() {
	a.mu.Lock()
	list := a.list
	a.list = nil
	a.mu.Unlock()
	for _, one := range list {
		if ring := one.take(); ring != nil {
			go ring()
		}
	}
}

// batchRig is one connection that shares calls, with alarms in the test's hand.
type batchRig struct {
	*rig
	client *batcher
	alarms *alarms
	answer chan string
}

// newBatchRig makes a connection on which one call is on its way until the test ends, so that others wait for company.
func newBatchRig(t *testing.T) *batchRig {
	t.Helper()
	b := newIdleBatchRig(t)
	held := make(chan struct{})
	t.Cleanup(func() { close(held) })
	b.service.on("MatchLoop", func(context.Context, any) (any, error) { <-held; return nil, nil })
	go func() { _, _ = b.loop(context.Background(), loopOf("held")) }()
	b.await("the call that is held", func() bool { return len(b.service.take()) == 1 })
	b.service.echoing()
	return b
}

// newIdleBatchRig makes a connection without any call.
func newIdleBatchRig(t *testing.T) *batchRig {
	t.Helper()
	f := startService(t)
	r, rules := dial(t, settings{addr: f.addr, batchMs: 1})
	r.service = f
	r.await("a connection", rules.allReady)
	b := &batchRig{rig: r, client: rules.batcher, alarms: &alarms{}, answer: make(chan string, 1024)}
	b.client.later = b.alarms.later
	f.echoing()
	return b
}

// loop makes a call that may be shared.
func (b *batchRig) loop(ctx context.Context, req *pb.MatchLoopRequest) (*pb.MatchLoopResponse, error) {
	return b.client.call(b.shim.rules.links[0].client, ctx, req)
}

func loopOf(matchID string, inputs ...string) *pb.MatchLoopRequest {
	req := &pb.MatchLoopRequest{MatchId: matchID}
	for _, data := range inputs {
		req.Inputs = append(req.Inputs, &pb.Input{Data: []byte(data)})
	}
	return req
}

// call begins a call and returns when it waits for company, or is on its way. Its answer comes to b.answers.
func (b *batchRig) call(ctx context.Context, req *pb.MatchLoopRequest) {
	b.t.Helper()
	before := b.moment()
	go func() { b.answer <- req.MatchId + ": " + told(b.loop(ctx, req)) }()
	b.await("the call to begin", func() bool { return b.moment() != before })
}

// calls begins calls of several matches, one after the other.
func (b *batchRig) calls(matches ...string) {
	b.t.Helper()
	for _, id := range matches {
		b.call(context.Background(), loopOf(id))
	}
}

// moment is what every call that begins changes: the batch that forms, or what the service has received.
func (b *batchRig) moment() (now struct {
	forming         *batch
	calls, received int
}) {
	b.client.mu.Lock()
	defer b.client.mu.Unlock()
	b.service.mu.Lock()
	defer b.service.mu.Unlock()
	now.received = len(b.service.calls)
	if now.forming = b.client.forming; now.forming != nil {
		now.calls = now.forming.load.calls
	}
	return now
}

// answers waits for that many answers, in any order.
func (b *batchRig) answers(count int) map[string]bool {
	b.t.Helper()
	got := make(map[string]bool)
	for range count {
		select {
		case one := <-b.answer:
			got[one] = true
		case <-time.After(hung):
			b.t.Fatalf("waited in vain for answer %d", len(got)+1)
		}
	}
	return got
}

func (b *batchRig) wantAnswers(want ...string) {
	b.t.Helper()
	got := b.answers(len(want))
	for _, one := range want {
		if !got[one] {
			b.t.Errorf("answers %v, want %q", got, one)
		}
	}
}

func told(resp *pb.MatchLoopResponse, err error) string {
	if err != nil {
		return fmt.Sprint(failureName(err), " ", status.Convert(err).Message())
	}
	return string(resp.GetStep().GetState())
}

// rpcs writes down the calls that the service received: a batch with the matches in it.
func (b *batchRig) rpcs() []string {
	list := []string{}
	for _, call := range b.service.take() {
		line := call.method
		switch req := call.req.(type) {
		case *pb.MatchBatchRequest:
			for _, one := range req.Calls {
				line += " " + one.MatchId
			}
		case *pb.MatchLoopRequest:
			line += " " + req.MatchId
		}
		list = append(list, line)
	}
	return list
}
