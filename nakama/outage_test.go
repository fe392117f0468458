package main

import (
	"context"
	"fmt"
	"reflect"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/heroiclabs/nakama-common/runtime"
	"google.golang.org/grpc/codes"
	"google.golang.org/protobuf/proto"

	"setmatch/nakama/pb"
)

var everyCallback = []string{
	"MatchReserve", "MatchJoinAttempt", "MatchJoin", "MatchLoop", "MatchTerminate", "MatchSignal",
}

// seen writes calls down shortly, with what they bring.
func seen(calls []serviceCall) []string {
	list := []string{}
	for _, call := range calls {
		line := call.method
		switch req := call.req.(type) {
		case *pb.MatchLoopRequest:
			for _, input := range req.Inputs {
				line += " " + string(input.Data)
			}
			for _, leave := range req.Leaves {
				line += fmt.Sprintf(" -%s", leave.Presence.SessionId)
			}
		case *pb.MatchJoinRequest:
			for _, presence := range req.Presences {
				line += " " + presence.SessionId
			}
		}
		list = append(list, line)
	}
	return list
}

func TestWhatHappensInAnOutageIsDeliveredInOrderAfterIt(t *testing.T) {
	r := newMatch(t)
	r.service.failing(codes.Unavailable, everyCallback...)
	r.join("ann")
	r.join("bob")
	r.loop(r.input("ann", "1"), r.input("bob", "2"))
	r.pass(50)
	r.loop(r.input("ann", "3"))
	r.leave(runtime.PresenceReasonDisconnect, "ann")
	r.pass(50)
	r.loop(r.input("bob", "4"))
	r.service.well()
	r.service.take()
	r.pass(2000)
	r.loop(r.input("bob", "5"))
	want := []string{"MatchJoin ann bob", "MatchLoop 1 2 3 4 5 -ann"}
	if got := seen(r.service.take()); !reflect.DeepEqual(got, want) {
		t.Errorf("delivered %q, want %q", got, want)
	}
}

func TestNothingIsDeliveredTwice(t *testing.T) {
	r := newMatch(t)
	r.loop(r.input("ann", "1"))
	r.loop(r.input("ann", "2"))
	want := []string{"MatchLoop 1", "MatchLoop 2"}
	if got := seen(r.service.take()); !reflect.DeepEqual(got, want) {
		t.Errorf("delivered %q, want %q", got, want)
	}
}

func TestMatchClockLeavesTheOutageOut(t *testing.T) {
	r := newMatch(t)
	r.service.failing(codes.Unavailable, "MatchLoop")
	r.pass(100)
	r.loop(r.input("ann", "1"))
	r.pass(70_000)
	r.loop(r.input("ann", "2"))
	r.service.well()
	r.service.take()
	r.pass(5000)
	r.loop()
	request := r.service.take()[0].req.(*pb.MatchLoopRequest)
	if request.NowMs != 100 || request.Inputs[1].ReceivedMs != 100 || request.Inputs[1].ReceivedUnixMs != r.clock.now().UnixMilli()-5000 {
		t.Errorf("after an outage that began at 100: %v", request)
	}
	r.pass(30)
	r.loop(r.input("ann", "3"))
	if got := r.service.take()[0].req.(*pb.MatchLoopRequest).NowMs; got != 130 {
		t.Errorf("30 ms after the outage the clock shows %d, want 130", got)
	}
}

func TestOneFailingCallATick(t *testing.T) {
	r := newMatch(t)
	r.service.failing(codes.Unavailable, everyCallback...)
	r.join("ann")
	r.join("bob")
	r.leave(runtime.PresenceReasonLeave, "bob")
	r.attempt("cid")
	r.signal("snapshot")
	r.loop(r.input("ann", "1"))
	wantMethods(t, r, "MatchJoin")
}

func TestTriesGetRarer(t *testing.T) {
	r := newMatch(t)
	r.service.failing(codes.Unavailable, "MatchLoop")
	r.loop(r.input("ann", "1"))
	tried := []int64{}
	for ms := int64(10); ms <= 6000; ms += 10 {
		r.service.take()
		r.pass(10)
		r.loop()
		if len(r.service.take()) > 0 {
			tried = append(tried, ms)
		}
	}
	want := []int64{50, 150, 350, 750, 1550, 2550, 3550, 4550, 5550}
	if !reflect.DeepEqual(tried, want) {
		t.Errorf("tried after %v ms, want %v", tried, want)
	}
}

func TestTriesBeginAnewAfterASuccess(t *testing.T) {
	r := newMatch(t)
	for range 2 {
		r.service.failing(codes.Unavailable, "MatchLoop")
		r.loop(r.input("ann", "x"))
		r.loops(10)
		r.service.well()
		r.loops(20)
		r.service.take()
	}
	r.service.failing(codes.Unavailable, "MatchLoop")
	r.loop(r.input("ann", "x"))
	r.loops(1)
	wantMethods(t, r, "MatchLoop", "MatchLoop")
}

func TestANewConnectionIsTriedAtOnce(t *testing.T) {
	r := newMatch(t)
	r.service.failing(codes.Unavailable, "MatchLoop")
	r.loop(r.input("ann", "x"))
	r.loops(40)
	r.service.take()
	r.unplug()
	r.plug()
	r.loop()
	wantMethods(t, r, "MatchLoop")
}

func TestDeadlinesDoubleAfterMissesUpToTheCeiling(t *testing.T) {
	m := &matchState{shim: &shim{timing: standardTiming()}}
	got := []time.Duration{}
	for range 6 {
		got = append(got, m.deadline(250*time.Millisecond))
		m.countMiss(context.DeadlineExceeded)
	}
	want := []time.Duration{250 * time.Millisecond, 500 * time.Millisecond, time.Second, 2 * time.Second, 2 * time.Second, 2 * time.Second}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

func TestASlowServiceMakesProgress(t *testing.T) {
	r := newMatch(t)
	r.shim.timing.loopDeadline = 30 * time.Millisecond
	var missed atomic.Int64
	r.service.on("MatchLoop", func(ctx context.Context, _ any) (any, error) {
		if end, _ := ctx.Deadline(); time.Until(end) < 200*time.Millisecond {
			missed.Add(1)
			<-ctx.Done()
		}
		return nil, nil
	})
	r.loop(r.input("ann", "slow"))
	for i := 0; r.match.queue.size() > 0 && i < 50; i++ {
		r.pass(1000)
		r.loop()
	}
	if r.match.queue.size() > 0 || missed.Load() == 0 {
		t.Errorf("%d inputs still wait after %d missed deadlines", r.match.queue.size(), missed.Load())
	}
	if got := r.match.deadline(r.shim.timing.loopDeadline); got != r.shim.timing.loopDeadline {
		t.Errorf("after the success the deadline is %v", got)
	}
}

//proves:thread 1
func TestPlayersAreToldOnceOfAPauseAndOnceOfItsEnd(t *testing.T) {
	r := newMatch(t)
	r.service.failing(codes.Unavailable, "MatchLoop")
	r.loop(r.input("ann", "x"))
	r.loops(9)
	wantDone(t, r)
	r.loops(1)
	wantDone(t, r, "paused to all")
	if r.nakama.gauge("set_paused_matches") != 1 {
		t.Error("no paused match is shown")
	}
	r.loops(100)
	wantDone(t, r)
	r.service.well()
	r.loops(40)
	wantDone(t, r, "resumed to all")
	if r.nakama.gauge("set_paused_matches") != 0 {
		t.Error("a paused match is still shown")
	}
}

func TestAShortOutageIsNotMentioned(t *testing.T) {
	r := newMatch(t)
	r.service.failing(codes.Unavailable, "MatchLoop")
	r.loop(r.input("ann", "x"))
	r.service.well()
	r.loops(5)
	wantDone(t, r)
}

func TestAnIdleMatchSeesTheConnectionGoAndComeWithoutACall(t *testing.T) {
	r := newMatch(t)
	r.loops(2)
	r.unplug()
	r.loops(20)
	wantDone(t, r, "paused to all")
	r.plug()
	r.loops(1)
	wantDone(t, r, "resumed to all")
	wantMethods(t, r)
	if got := r.match.nowMs(); got != 150 {
		t.Errorf("the clock shows %d, want the 150 ms at which the connection was seen gone", got)
	}
}

func TestKindsOfFailure(t *testing.T) {
	poison := map[codes.Code]bool{
		codes.Internal: true, codes.Unknown: true, codes.InvalidArgument: true, codes.DataLoss: true,
	}
	for code := codes.Canceled; code <= codes.Unauthenticated; code++ {
		r := scriptedError(code)
		if got := isPoison(r); got != poison[code] {
			t.Errorf("%v is poison: %t", code, got)
		}
	}
}

func TestAPausedMatchAsksAgainWhenOnlyAnAttemptFailed(t *testing.T) {
	r := newMatch(t)
	r.service.failing(codes.Unavailable, "MatchJoinAttempt")
	r.attempt("ann")
	r.service.well()
	r.service.take()
	r.loop()
	r.loops(2)
	wantMethods(t, r, "MatchLoop")
	if r.match.outage.down {
		t.Error("the match still stands")
	}
}

func TestALaterWakeTimeIsKeptOverAnOutage(t *testing.T) {
	r := newMatch(t)
	r.service.loopReply(func(s *pb.Step) { s.WakeAtMs = proto.Int64(1000) })
	r.loop(r.input("ann", "x"))
	r.unplug()
	r.loops(100)
	r.plug()
	r.loops(1)
	r.service.take()
	r.loops(18)
	wantMethods(t, r)
	r.loops(1)
	wantMethods(t, r, "MatchLoop")
}

func TestALongOutageIsLoggedMoreAndMoreSeldom(t *testing.T) {
	r := newMatch(t)
	r.service.failing(codes.Unavailable, "MatchLoop")
	r.loop(r.input("ann", "x"))
	r.loops(5900)
	var failures []string
	for _, line := range strings.Split(r.logger.all(), "\n") {
		if _, fields, failed := strings.Cut(line, "call to the rules service failed"); failed {
			failures = append(failures, fields)
		}
	}
	if calls := len(r.service.take()); calls < 256 || calls >= 512 || len(failures) != 9 {
		t.Errorf("%d failed calls were logged as %q", calls, failures)
	}
}
