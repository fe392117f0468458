package batching

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/status"

	"setmatch/nakama/pb"
)

// hung is how long a test waits for something before it says that it will never come.
const hung = 20 * time.Second

// rig is a batcher and a service, with alarms in the test's hand.
type rig struct {
	t       *testing.T
	service *service
	conn    *grpc.ClientConn
	batcher *Batcher
	host    *host
	alarms  *alarms
	answer  chan string
}

// newIdleRig makes a batcher without any call.
func newIdleRig(t *testing.T) *rig {
	t.Helper()
	r := &rig{t: t, service: startService(t), host: &host{}, alarms: &alarms{}, answer: make(chan string, 1024)}
	r.batcher = New(time.Millisecond, r.host)
	r.batcher.later = r.alarms.later
	r.conn = dial(t, r.service.addr)
	t.Cleanup(r.wantNoPanic)
	return r
}

// wantNoPanic wants none but those that the test wanted.
func (r *rig) wantNoPanic() {
	r.host.mu.Lock()
	defer r.host.mu.Unlock()
	if !r.host.broken && len(r.host.panicked) > 0 {
		r.t.Errorf("panics %v", r.host.panicked)
	}
}

func dial(t *testing.T, addr string, more ...grpc.DialOption) *grpc.ClientConn {
	t.Helper()
	plain := grpc.WithTransportCredentials(insecure.NewCredentials())
	conn, err := grpc.NewClient(addr, append(more, plain, grpc.WithNoProxy())...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	return conn
}

// newRig makes a batcher of which one call is on its way until the test ends, so that others wait for company.
func newRig(t *testing.T) *rig {
	t.Helper()
	r := newIdleRig(t)
	r.hold()
	return r
}

// hold makes a call that is on its way until the test ends.
func (r *rig) hold() {
	r.t.Helper()
	held := make(chan struct{})
	r.t.Cleanup(func() { close(held) })
	r.service.onOne(func(ctx context.Context, req *pb.MatchLoopRequest) (*pb.MatchLoopResponse, error) {
		<-held
		return echo(ctx, req)
	})
	go func() { _, _ = r.loop(context.Background(), loopOf("held")) }()
	r.await("the call that is held", func() bool { return len(r.service.take()) == 1 })
	r.service.onOne(echo)
}

// await waits for what another goroutine does.
func (r *rig) await(what string, done func() bool) {
	r.t.Helper()
	for end := time.Now().Add(hung); !done(); time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			r.t.Fatalf("waited in vain for %s", what)
		}
	}
}

// loop makes a call that may be shared.
func (r *rig) loop(ctx context.Context, req *pb.MatchLoopRequest) (*pb.MatchLoopResponse, error) {
	return r.batcher.Call(pb.NewMatchHandlerServiceClient(r.conn), ctx, req)
}

func loopOf(matchID string, inputs ...string) *pb.MatchLoopRequest {
	req := &pb.MatchLoopRequest{MatchId: matchID}
	for _, data := range inputs {
		req.Inputs = append(req.Inputs, &pb.Input{Data: []byte(data)})
	}
	return req
}

// call begins a call and returns when it waits for company, or has reached the service. Its answer comes to r.answers.
func (r *rig) call(ctx context.Context, req *pb.MatchLoopRequest) {
	r.t.Helper()
	before := r.service.times(req.MatchId)
	go func() { r.answer <- req.MatchId + ": " + told(r.loop(ctx, req)) }()
	r.await("the call to begin", func() bool {
		return r.isForming(req) || r.service.times(req.MatchId) > before
	})
}

// calls begins calls of several matches, one after the other.
func (r *rig) calls(matches ...string) {
	r.t.Helper()
	for _, id := range matches {
		r.call(context.Background(), loopOf(id))
	}
}

// together makes calls of matches that share a batch.
func (r *rig) together(matches ...string) {
	r.t.Helper()
	r.calls(matches...)
	r.alarms.ring()
}

// isForming reports whether a call waits for company.
func (r *rig) isForming(req *pb.MatchLoopRequest) bool {
	r.batcher.mu.Lock()
	defer r.batcher.mu.Unlock()
	return r.batcher.forming != nil &&
		slices.ContainsFunc(r.batcher.forming.members, func(m *member) bool { return m.req == req })
}

// onWay waits until so many RPCs are on their way and no batch forms.
func (r *rig) onWay(count int) {
	r.t.Helper()
	r.await(fmt.Sprint(count, " RPCs on their way"), func() bool {
		r.batcher.mu.Lock()
		defer r.batcher.mu.Unlock()
		return r.batcher.flying == count && r.batcher.forming == nil
	})
}

// answers waits for that many answers, in any order.
func (r *rig) answers(count int) map[string]bool {
	r.t.Helper()
	got := make(map[string]bool)
	for range count {
		select {
		case one := <-r.answer:
			got[one] = true
		case <-time.After(hung):
			r.t.Fatalf("waited in vain for answer %d", len(got)+1)
		}
	}
	return got
}

func (r *rig) wantAnswers(want ...string) {
	r.t.Helper()
	got := r.answers(len(want))
	for _, one := range want {
		if !got[one] {
			r.t.Errorf("answers %v, want %q", got, one)
		}
	}
}

func told(resp *pb.MatchLoopResponse, err error) string {
	if err != nil {
		return fmt.Sprint(status.Code(err), " ", status.Convert(err).Message())
	}
	return string(resp.GetStep().GetState())
}

// rpcs writes down the calls that the service received since the last time: a batch with the matches in it.
func (r *rig) rpcs() []string {
	list := []string{}
	for _, call := range r.service.take() {
		list = append(list, strings.Join(call, " "))
	}
	return list
}

func (r *rig) wantRPCs(want ...string) {
	r.t.Helper()
	r.await(fmt.Sprint("calls ", want), func() bool { return r.service.received() >= len(want) })
	if got := r.rpcs(); !slices.Equal(got, want) {
		r.t.Errorf("calls %q, want %q", got, want)
	}
}

// wantSingles wants a batch, and after it each of its calls alone, in any order.
func (r *rig) wantSingles(matches ...string) {
	r.t.Helper()
	got := r.rpcs()
	singles := []string{}
	for _, id := range matches {
		singles = append(singles, "MatchLoop "+id)
	}
	if want := "MatchBatch " + strings.Join(matches, " "); len(got) == 0 || got[0] != want {
		r.t.Fatalf("calls %q, want first %q", got, want)
	}
	slices.Sort(got[1:])
	if !slices.Equal(got[1:], singles) {
		r.t.Errorf("after the batch came %q, want %q", got[1:], singles)
	}
}
