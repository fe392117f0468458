package main

import (
	"context"
	"fmt"
	"reflect"
	"testing"

	"google.golang.org/grpc/codes"
	"google.golang.org/protobuf/proto"

	"setmatch/nakama/pb"
)

func wantMethods(t *testing.T, r *rig, want ...string) {
	t.Helper()
	if got := r.service.methods(); !reflect.DeepEqual(got, append([]string{}, want...)) {
		t.Errorf("calls %q, want %q", got, want)
	}
}

func wantDone(t *testing.T, r *rig, want ...string) {
	t.Helper()
	if got := r.out.took(); !reflect.DeepEqual(got, append([]string{}, want...)) {
		t.Errorf("did %q, want %q", got, want)
	}
}

func TestAnIdleTickAllocatesNothing(t *testing.T) {
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

func TestIdleMatchMakesNoCall(t *testing.T) {
	r := newMatch(t)
	r.loops(1000)
	wantMethods(t, r)
}

func TestMatchIsCalledWhenItsTimeHasCome(t *testing.T) {
	r := newMatch(t)
	r.service.loopReply(func(s *pb.Step) { s.WakeAtMs = proto.Int64(1000) })
	r.loop(r.input("ann", "x"))
	r.service.well()
	r.service.take()
	r.loops(19)
	wantMethods(t, r)
	r.loops(1)
	wantMethods(t, r, "MatchLoop")
	r.loops(20)
	wantMethods(t, r)
}

func TestInputsOfOneTickGoIntoOneCall(t *testing.T) {
	r := newMatch(t)
	r.tick = 7
	r.pass(345)
	r.loop(r.input("bob", "1"), r.input("ann", "2"))
	calls := r.service.take()
	if len(calls) != 1 {
		t.Fatalf("%d calls", len(calls))
	}
	unixMs := r.clock.now().UnixMilli()
	want := &pb.MatchLoopRequest{
		MatchId: "match.node", Node: "node", Tick: 7, NowMs: 345, UnixTimeMs: unixMs, State: []byte("state 1"),
		Inputs: []*pb.Input{
			{Tick: 7, ReceivedMs: 345, ReceivedUnixMs: unixMs, UserId: "user of bob", SessionId: "bob", OpCode: 1, Data: []byte("1")},
			{Tick: 7, ReceivedMs: 345, ReceivedUnixMs: unixMs, UserId: "user of ann", SessionId: "ann", OpCode: 1, Data: []byte("2")},
		},
	}
	if got := calls[0].req.(*pb.MatchLoopRequest); !proto.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

func TestEveryCallCarriesTheStateOfTheLastAnswer(t *testing.T) {
	r := newMatch(t)
	for want := 1; want <= 3; want++ {
		r.loop(r.input("ann", "x"))
		got := string(r.service.take()[0].req.(*pb.MatchLoopRequest).State)
		if got != fmt.Sprintf("state %d", want) {
			t.Errorf("call %d carries %q", want, got)
		}
	}
}

func TestInputIsDueWhenItCame(t *testing.T) {
	r := newMatch(t)
	r.pass(100)
	r.loop()
	cases := []struct {
		name    string
		ageMs   int64
		want    int64
		because string
	}{
		{"in between", 20, 130, "20 ms before the drain at 150"},
		{"before the last drain", 90, 150, "not before the drain of the tick before"},
		{"in the future", -500, 250, "not after its own drain"},
	}
	for _, c := range cases {
		r.pass(50)
		input := r.input("ann", c.name).(*fakeInput)
		input.at -= c.ageMs
		r.loop(input)
		got := r.service.take()[0].req.(*pb.MatchLoopRequest).Inputs[0].ReceivedMs
		if got != c.want {
			t.Errorf("%s: received at %d, want %d: %s", c.name, got, c.want, c.because)
		}
	}
}

func TestASlowCallDoesNotMoveTheTimeOfTheTick(t *testing.T) {
	r := newMatch(t)
	r.service.failing(codes.Unavailable, "MatchLoop", "MatchJoin")
	r.pass(50)
	r.loop(r.input("ann", "before"))
	r.join("bob")
	r.service.on("MatchLoop", nil)
	r.service.on("MatchJoin", func(context.Context, any) (any, error) {
		r.pass(200)
		return nil, nil
	})
	r.pass(1000)
	r.service.take()
	r.loop(r.input("ann", "after"))
	calls := r.service.take()
	if got := calls[2].req.(*pb.MatchLoopRequest).NowMs; len(calls) != 3 || got != 50 {
		t.Errorf("last of %d calls at %d, want the third at 50, the time of the last drain", len(calls), got)
	}
}

func TestInputsBeyondTheBoundAreRefusedToTheirSender(t *testing.T) {
	r := newMatch(t)
	r.join("ann", "bob")
	r.out.took()
	r.service.failing(codes.Unavailable, "MatchLoop")
	for range mostOfOne.inputs {
		r.loop(r.input("ann", "kept"))
	}
	r.out.took()
	r.loop(r.input("ann", "refused"), r.input("bob", "kept"))
	wantDone(t, r, "overflow to [ann]")
	if got := r.match.queue.ofAll.inputs; got != mostOfOne.inputs+1 {
		t.Errorf("%d inputs wait", got)
	}
	if got := r.nakama.counter(refusedInputs); got != 1 {
		t.Errorf("%d refused inputs counted", got)
	}
}

func TestMatchIsCalledOnceForInputAndTime(t *testing.T) {
	r := newMatch(t)
	r.service.loopReply(func(s *pb.Step) { s.WakeAtMs = proto.Int64(0) })
	r.loop(r.input("ann", "x"))
	wantMethods(t, r, "MatchLoop")
}
