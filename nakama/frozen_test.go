package main

import (
	"context"
	"testing"
	"time"

	"google.golang.org/grpc/codes"

	"setmatch/nakama/pb"
)

// slowFailure scripts MatchLoop to take its time and then to fail.
func slowFailure(r *rig, ms int64) {
	r.service.on("MatchLoop", func(context.Context, any) (any, error) {
		r.pass(ms)
		return nil, scriptedError(codes.Unavailable)
	})
}

func TestClockStandsAtTheBeginningOfTheFailingCall(t *testing.T) {
	r := newMatch(t)
	slowFailure(r, 200)
	r.pass(100)
	r.loop(r.input("ann", "x"))
	if got := r.match.nowMs(); got != 100 {
		t.Errorf("it shows %d, want the 100 at which the call was begun", got)
	}
}

func TestThePauseIsCountedFromTheBeginningOfTheFailingCall(t *testing.T) {
	r := newMatch(t)
	slowFailure(r, 200)
	r.loop(r.input("ann", "x"))
	r.unplug()
	r.pass(299)
	r.loop()
	wantDone(t, r)
	r.pass(1)
	r.loop()
	wantDone(t, r, "paused to all")
}

func TestInputThatComesWhileTheClockStandsIsDueThen(t *testing.T) {
	r := newMatch(t)
	r.pass(100)
	r.loop()
	r.pass(30)
	r.service.failing(codes.Unavailable, "MatchJoinAttempt")
	r.attempt("bob")
	r.pass(40)
	input := r.input("ann", "x").(*fakeInput)
	input.at -= 35
	r.pass(1000)
	r.tick++
	r.loop(input)
	got := r.service.take()
	if ms := got[len(got)-1].req.(*pb.MatchLoopRequest).Inputs[0].ReceivedMs; ms != 130 {
		t.Errorf("received at %d, want the 130 at which the clock stood", ms)
	}
}

func TestOneFailingCallATickHoweverLongTheTickTakes(t *testing.T) {
	r := newMatch(t)
	r.service.failing(codes.Unavailable, everyCallback...)
	r.join("ann")
	r.clock.pass(time.Hour / 60)
	r.join("bob")
	wantMethods(t, r, "MatchJoin")
}

func TestAConnectionThatFailsEveryCallIsNoEndOfThePause(t *testing.T) {
	r := newMatch(t)
	r.unplug()
	r.loop(r.input("ann", "x"))
	r.loops(20)
	wantDone(t, r, "paused to all")
	r.service.failing(codes.Unavailable, "MatchLoop")
	r.plug()
	r.loops(20)
	wantDone(t, r)
	r.service.well()
	r.loops(20)
	wantDone(t, r, "resumed to all")
}
