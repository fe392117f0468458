package match

import (
	"context"
	"fmt"
	"reflect"
	"testing"

	"google.golang.org/grpc/codes"
	"google.golang.org/protobuf/proto"

	"setmatch/nakama/internal/backlog"
	"setmatch/nakama/internal/fake"
	"setmatch/nakama/internal/telemetry"
	"setmatch/nakama/pb"
)

func wantMethods(t *testing.T, r *fixture, want ...string) {
	t.Helper()
	if got := r.service.TakeMethods(); !reflect.DeepEqual(got, append([]string{}, want...)) {
		t.Errorf("calls %q, want %q", got, want)
	}
}

func wantActions(t *testing.T, r *fixture, want ...string) {
	t.Helper()
	if got := r.out.TakeActions(); !reflect.DeepEqual(got, append([]string{}, want...)) {
		t.Errorf("actions %q, want %q", got, want)
	}
}

func TestIdleTickAllocatesNothing(t *testing.T) {
	r := newMatch(t)
	if got := testing.AllocsPerRun(1000, func() { r.loop() }); got != 0 {
		t.Errorf("%v allocations", got)
	}
}

func BenchmarkIdleTick(b *testing.B) {
	r := newMatch(b)
	b.ReportAllocs()
	for b.Loop() {
		r.loop()
	}
}

func TestIdleMatchSendsNoCall(t *testing.T) {
	r := newMatch(t)
	r.loops(1000)
	wantMethods(t, r)
}

func TestMatchLoopIsCalledAtWakeTime(t *testing.T) {
	r := newMatch(t)
	r.service.LoopReply(func(s *pb.Step) { s.WakeAtMs = proto.Int64(1000) })
	r.loop(r.input("ann", "x"))
	r.service.Reset()
	r.service.TakeCalls()
	r.loops(19)
	wantMethods(t, r)
	r.loops(1)
	wantMethods(t, r, "MatchLoop")
	r.loops(20)
	wantMethods(t, r)
}

func TestInputsOfOneTickAreSentInOneCall(t *testing.T) {
	r := newMatch(t)
	r.tick = 7
	r.advance(345)
	r.loop(r.input("bob", "1"), r.input("ann", "2"))
	calls := r.service.TakeCalls()
	if len(calls) != 1 {
		t.Fatalf("%d calls", len(calls))
	}
	unixMs := r.clock.Now().UnixMilli()
	want := &pb.MatchLoopRequest{
		MatchId: "match.node", Node: "node", Tick: 7, NowMs: 345, UnixTimeMs: unixMs, State: []byte("state 1"),
		Inputs: []*pb.Input{
			{Tick: 7, ReceivedMs: 345, ReceivedUnixMs: unixMs, UserId: "user of bob", SessionId: "bob", OpCode: 1, Data: []byte("1")},
			{Tick: 7, ReceivedMs: 345, ReceivedUnixMs: unixMs, UserId: "user of ann", SessionId: "ann", OpCode: 1, Data: []byte("2")},
		},
	}
	if got := calls[0].Req.(*pb.MatchLoopRequest); !proto.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

func TestCallCarriesStateOfLastResponse(t *testing.T) {
	r := newMatch(t)
	for want := 1; want <= 3; want++ {
		r.loop(r.input("ann", "x"))
		got := string(r.service.TakeCalls()[0].Req.(*pb.MatchLoopRequest).State)
		if got != fmt.Sprintf("state %d", want) {
			t.Errorf("call %d carries %q", want, got)
		}
	}
}

func TestInputHasItsReceiveTime(t *testing.T) {
	r := newMatch(t)
	r.advance(100)
	r.loop()
	cases := []struct {
		name   string
		ageMs  int64
		want   int64
		reason string
	}{
		{"between two drains", 20, 130, "20 ms before the drain at 150"},
		{"before the last drain", 90, 150, "not before the drain of the previous tick"},
		{"in the future", -500, 250, "not after its own drain"},
	}
	for _, c := range cases {
		r.advance(50)
		input := r.input("ann", c.name).(*fake.Input)
		input.ReceivedUnixMs -= c.ageMs
		r.loop(input)
		got := r.service.TakeCalls()[0].Req.(*pb.MatchLoopRequest).Inputs[0].ReceivedMs
		if got != c.want {
			t.Errorf("%s: received at %d, want %d: %s", c.name, got, c.want, c.reason)
		}
	}
}

func TestSlowCallDoesNotChangeTickTime(t *testing.T) {
	r := newMatch(t)
	r.service.FailWith(codes.Unavailable, "MatchLoop", "MatchJoin")
	r.advance(50)
	r.loop(r.input("ann", "before"))
	r.join("bob")
	r.service.Handle("MatchLoop", nil)
	r.service.Handle("MatchJoin", func(context.Context, any) (any, error) {
		r.advance(200)
		return nil, nil
	})
	r.advance(1000)
	r.service.TakeCalls()
	r.loop(r.input("ann", "after"))
	calls := r.service.TakeCalls()
	if got := calls[2].Req.(*pb.MatchLoopRequest).NowMs; len(calls) != 3 || got != 50 {
		t.Errorf("last of %d calls at %d, want the third at 50, the time of the last drain", len(calls), got)
	}
}

func TestInputAboveLimitSendsOverflowNoticeToSender(t *testing.T) {
	r := newMatch(t)
	r.join("ann", "bob")
	r.out.TakeActions()
	r.service.FailWith(codes.Unavailable, "MatchLoop")
	for range backlog.User.Inputs {
		r.loop(r.input("ann", "kept"))
	}
	r.out.TakeActions()
	r.loop(r.input("ann", "rejected"), r.input("bob", "kept"))
	wantActions(t, r, "overflow to [ann]")
	if got := r.match.queue.counts.Total().Inputs; got != backlog.User.Inputs+1 {
		t.Errorf("%d inputs in the queue", got)
	}
	if got := r.nakama.Counter(telemetry.RefusedInputs); got != 1 {
		t.Errorf("%d rejected inputs counted", got)
	}
}

func TestInputAndWakeTimeShareOneCall(t *testing.T) {
	r := newMatch(t)
	r.service.LoopReply(func(s *pb.Step) { s.WakeAtMs = proto.Int64(0) })
	r.loop(r.input("ann", "x"))
	wantMethods(t, r, "MatchLoop")
}

func TestInputFollowsSecondAttemptOfJoinedConnection(t *testing.T) {
	r := newMatch(t)
	r.attempt("ann")
	r.join("ann")
	r.attempt("ann")
	r.service.TakeCalls()
	r.loop(r.input("ann", "1"))
	wantMethods(t, r, "MatchLoop")
}
