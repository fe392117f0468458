package match

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

	"setmatch/nakama/internal/failure"
	"setmatch/nakama/internal/fake"
	"setmatch/nakama/pb"
)

var everyCallback = []string{
	"MatchReserve", "MatchJoinAttempt", "MatchJoin", "MatchLoop", "MatchTerminate", "MatchSignal",
}

// callSummaries returns a short text for each call: its method, inputs, joins and leaves.
func callSummaries(calls []fake.ServiceCall) []string {
	list := []string{}
	for _, call := range calls {
		line := call.Method
		switch req := call.Req.(type) {
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

func TestQueueIsSentInOrderAfterOutage(t *testing.T) {
	r := newMatch(t)
	r.service.FailWith(codes.Unavailable, everyCallback...)
	r.join("ann")
	r.join("bob")
	r.loop(r.input("ann", "1"), r.input("bob", "2"))
	r.advance(50)
	r.loop(r.input("ann", "3"))
	r.leave(runtime.PresenceReasonDisconnect, "ann")
	r.advance(50)
	r.loop(r.input("bob", "4"))
	r.service.Reset()
	r.service.TakeCalls()
	r.advance(2000)
	r.loop(r.input("bob", "5"))
	want := []string{"MatchJoin ann bob", "MatchLoop 1 2 3 4 5 -ann"}
	if got := callSummaries(r.service.TakeCalls()); !reflect.DeepEqual(got, want) {
		t.Errorf("delivered %q, want %q", got, want)
	}
}

func TestInputIsSentOnce(t *testing.T) {
	r := newMatch(t)
	r.loop(r.input("ann", "1"))
	r.loop(r.input("ann", "2"))
	want := []string{"MatchLoop 1", "MatchLoop 2"}
	if got := callSummaries(r.service.TakeCalls()); !reflect.DeepEqual(got, want) {
		t.Errorf("delivered %q, want %q", got, want)
	}
}

func TestMatchClockExcludesOutage(t *testing.T) {
	r := newMatch(t)
	r.service.FailWith(codes.Unavailable, "MatchLoop")
	r.advance(100)
	r.loop(r.input("ann", "1"))
	r.advance(70_000)
	r.loop(r.input("ann", "2"))
	r.service.Reset()
	r.service.TakeCalls()
	r.advance(5000)
	r.loop()
	request := r.service.TakeCalls()[0].Req.(*pb.MatchLoopRequest)
	if request.NowMs != 100 || request.Inputs[1].ReceivedMs != 100 || request.Inputs[1].ReceivedUnixMs != r.clock.Now().UnixMilli()-5000 {
		t.Errorf("after an outage from 100: %v", request)
	}
	r.advance(30)
	r.loop(r.input("ann", "3"))
	if got := r.service.TakeCalls()[0].Req.(*pb.MatchLoopRequest).NowMs; got != 130 {
		t.Errorf("30 ms after the outage the clock is %d, want 130", got)
	}
}

func TestOneFailingCallPerTick(t *testing.T) {
	r := newMatch(t)
	r.service.FailWith(codes.Unavailable, everyCallback...)
	r.join("ann")
	r.join("bob")
	r.leave(runtime.PresenceReasonLeave, "bob")
	r.attempt("cid")
	r.signal("snapshot")
	r.loop(r.input("ann", "1"))
	wantMethods(t, r, "MatchJoin")
}

func TestBackoffDoublesUpToCeiling(t *testing.T) {
	r := newMatch(t)
	r.service.FailWith(codes.Unavailable, "MatchLoop")
	r.loop(r.input("ann", "1"))
	tried := []int64{}
	for ms := int64(10); ms <= 6000; ms += 10 {
		r.service.TakeCalls()
		r.advance(10)
		r.loop()
		if len(r.service.TakeCalls()) > 0 {
			tried = append(tried, ms)
		}
	}
	want := []int64{50, 150, 350, 750, 1550, 2550, 3550, 4550, 5550}
	if !reflect.DeepEqual(tried, want) {
		t.Errorf("calls after %v ms, want %v", tried, want)
	}
}

func TestBackoffIsResetAfterSuccess(t *testing.T) {
	r := newMatch(t)
	for range 2 {
		r.service.FailWith(codes.Unavailable, "MatchLoop")
		r.loop(r.input("ann", "x"))
		r.loops(10)
		r.service.Reset()
		r.loops(20)
		r.service.TakeCalls()
	}
	r.service.FailWith(codes.Unavailable, "MatchLoop")
	r.loop(r.input("ann", "x"))
	r.loops(1)
	wantMethods(t, r, "MatchLoop", "MatchLoop")
}

func TestNewConnectionIsUsedImmediately(t *testing.T) {
	r := newMatch(t)
	r.service.FailWith(codes.Unavailable, "MatchLoop")
	r.loop(r.input("ann", "x"))
	r.loops(40)
	r.service.TakeCalls()
	r.disconnect()
	r.reconnect()
	r.loop()
	wantMethods(t, r, "MatchLoop")
}

func TestSlowServiceMakesProgress(t *testing.T) {
	r := newMatch(t)
	r.shared.timing.loopDeadline = 30 * time.Millisecond
	var missed atomic.Int64
	r.service.Handle("MatchLoop", func(ctx context.Context, _ any) (any, error) {
		if end, _ := ctx.Deadline(); time.Until(end) < 200*time.Millisecond {
			missed.Add(1)
			<-ctx.Done()
		}
		return nil, nil
	})
	r.loop(r.input("ann", "slow"))
	for i := 0; r.match.queue.size() > 0 && i < 50; i++ {
		r.advance(1000)
		r.loop()
	}
	if r.match.queue.size() > 0 || missed.Load() == 0 {
		t.Errorf("%d inputs in the queue after %d timeouts", r.match.queue.size(), missed.Load())
	}
	if got := r.match.outage.Deadline(r.shared.timing.loopDeadline, r.shared.timing.deadlineCeiling); got != r.shared.timing.loopDeadline {
		t.Errorf("after the success the deadline is %v", got)
	}
}

//proves:thread 1
func TestPauseAndResumeSendOneNoticeEach(t *testing.T) {
	r := newMatch(t)
	r.service.FailWith(codes.Unavailable, "MatchLoop")
	r.loop(r.input("ann", "x"))
	r.loops(9)
	wantActions(t, r)
	r.loops(1)
	wantActions(t, r, "paused to all")
	if r.nakama.Gauge("set_paused_matches") != 1 {
		t.Error("the paused match is not counted")
	}
	r.loops(100)
	wantActions(t, r)
	r.service.Reset()
	r.loops(40)
	wantActions(t, r, "resumed to all")
	if r.nakama.Gauge("set_paused_matches") != 0 {
		t.Error("the paused match is still counted")
	}
}

func TestShortOutageSendsNoNotice(t *testing.T) {
	r := newMatch(t)
	r.service.FailWith(codes.Unavailable, "MatchLoop")
	r.loop(r.input("ann", "x"))
	r.service.Reset()
	r.loops(5)
	wantActions(t, r)
}

func TestIdleMatchDetectsOutageWithoutCall(t *testing.T) {
	r := newMatch(t)
	r.loops(2)
	r.disconnect()
	r.loops(20)
	wantActions(t, r, "paused to all")
	r.reconnect()
	r.loops(1)
	wantActions(t, r, "resumed to all")
	wantMethods(t, r)
	if got := r.match.nowMs(); got != 150 {
		t.Errorf("the clock is %d, want 150, the time at which the lost connection was detected", got)
	}
}

func TestPoisonCodes(t *testing.T) {
	poison := map[codes.Code]bool{
		codes.Internal: true, codes.Unknown: true, codes.InvalidArgument: true, codes.DataLoss: true,
	}
	for code := codes.Canceled; code <= codes.Unauthenticated; code++ {
		if got := failure.IsPoison(fake.ScriptedError(code)); got != poison[code] {
			t.Errorf("%v is poison: %t", code, got)
		}
	}
}

func TestPausedMatchRetriesAfterFailedJoinAttempt(t *testing.T) {
	r := newMatch(t)
	r.service.FailWith(codes.Unavailable, "MatchJoinAttempt")
	r.attempt("ann")
	r.service.Reset()
	r.service.TakeCalls()
	r.loop()
	r.loops(2)
	wantMethods(t, r, "MatchLoop")
	if r.match.outage.Down {
		t.Error("the outage has not ended")
	}
}

func TestLaterWakeTimeIsKeptDuringOutage(t *testing.T) {
	r := newMatch(t)
	r.service.LoopReply(func(s *pb.Step) { s.WakeAtMs = proto.Int64(1000) })
	r.loop(r.input("ann", "x"))
	r.disconnect()
	r.loops(100)
	r.reconnect()
	r.loops(1)
	r.service.TakeCalls()
	r.loops(18)
	wantMethods(t, r)
	r.loops(1)
	wantMethods(t, r, "MatchLoop")
}

func TestFailuresInLongOutageAreLoggedAtPowersOfTwo(t *testing.T) {
	r := newMatch(t)
	r.service.FailWith(codes.Unavailable, "MatchLoop")
	r.loop(r.input("ann", "x"))
	r.loops(5900)
	var failures []string
	for _, line := range strings.Split(r.logger.All(), "\n") {
		if _, fields, failed := strings.Cut(line, "call to the rules service failed"); failed {
			failures = append(failures, fields)
		}
	}
	if calls := len(r.service.TakeCalls()); calls < 256 || calls >= 512 || len(failures) != 9 {
		t.Errorf("%d failed calls were logged as %q", calls, failures)
	}
}
