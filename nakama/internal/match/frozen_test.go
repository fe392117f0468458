package match

import (
	"context"
	"testing"
	"time"

	"google.golang.org/grpc/codes"

	"setmatch/nakama/internal/fake"
	"setmatch/nakama/pb"
)

// failSlowly scripts MatchLoop to fail after some time.
func failSlowly(r *fixture, ms int64) {
	r.service.Handle("MatchLoop", func(context.Context, any) (any, error) {
		r.advance(ms)
		return nil, fake.ScriptedError(codes.Unavailable)
	})
}

func TestClockStopsAtStartOfFailingCall(t *testing.T) {
	r := newMatch(t)
	failSlowly(r, 200)
	r.advance(100)
	r.loop(r.input("ann", "x"))
	if got := r.match.nowMs(); got != 100 {
		t.Errorf("the clock is %d, want 100, the start of the call", got)
	}
}

func TestPauseDelayStartsWithFailingCall(t *testing.T) {
	r := newMatch(t)
	failSlowly(r, 200)
	r.loop(r.input("ann", "x"))
	r.disconnect()
	r.advance(299)
	r.loop()
	wantActions(t, r)
	r.advance(1)
	r.loop()
	wantActions(t, r, "paused to all")
}

func TestInputReceivedInOutageHasFrozenTime(t *testing.T) {
	r := newMatch(t)
	r.advance(100)
	r.loop()
	r.advance(30)
	r.service.FailWith(codes.Unavailable, "MatchJoinAttempt")
	r.attempt("bob")
	r.advance(40)
	input := r.input("ann", "x").(*fake.Input)
	input.ReceivedUnixMs -= 35
	r.advance(1000)
	r.tick++
	r.loop(input)
	got := r.service.TakeCalls()
	if ms := got[len(got)-1].Req.(*pb.MatchLoopRequest).Inputs[0].ReceivedMs; ms != 130 {
		t.Errorf("received at %d, want 130, the time of the frozen clock", ms)
	}
}

func TestOneFailingCallPerLongTick(t *testing.T) {
	r := newMatch(t)
	r.service.FailWith(codes.Unavailable, everyCallback...)
	r.join("ann")
	r.clock.Advance(time.Hour / 60)
	r.join("bob")
	wantMethods(t, r, "MatchJoin")
}

func TestPauseContinuesWhileConnectedCallsFail(t *testing.T) {
	r := newMatch(t)
	r.disconnect()
	r.loop(r.input("ann", "x"))
	r.loops(20)
	wantActions(t, r, "paused to all")
	r.service.FailWith(codes.Unavailable, "MatchLoop")
	r.reconnect()
	r.loops(20)
	wantActions(t, r)
	r.service.Reset()
	r.loops(20)
	wantActions(t, r, "resumed to all")
}
