package main

import (
	"context"
	"errors"
	"testing"

	"github.com/heroiclabs/nakama-common/runtime"
	"google.golang.org/grpc/codes"

	"setmatch/nakama/pb"
)

//proves:thread 10
func TestEveryCallbackSurvivesAPanicAndKeepsItsState(t *testing.T) {
	cases := map[string]func(*rig) any{
		"MatchJoinAttempt": func(r *rig) any { next, _, _ := r.attempt("bob"); return next },
		"MatchJoin":        func(r *rig) any { return r.join("bob") },
		"MatchLeave":       func(r *rig) any { return r.leave(runtime.PresenceReasonLeave, "ann") },
		"MatchLoop":        func(r *rig) any { return r.loop(r.input("ann", "x")) },
		"MatchTerminate":   func(r *rig) any { return r.terminate(10) },
		"MatchSignal":      func(r *rig) any { next, _ := r.signal("x"); return next },
	}
	for name, call := range cases {
		t.Run(name, func(t *testing.T) {
			r := newMatch(t)
			r.match.clock.since = clockStart
			r.shim.now = nil
			if next := call(r); next != any(r.match) {
				t.Errorf("got %v", next)
			}
			if got := r.nakama.counter(recoveredPanics); got != 1 {
				t.Errorf("%d panics counted", got)
			}
		})
	}
}

func TestAPanicInMatchInitCreatesNoMatch(t *testing.T) {
	r := newRig(t)
	r.shim.now = nil
	ctx, cancel := matchContext("match.node")
	defer cancel()
	state, rate, _ := r.adapter.MatchInit(ctx, r.logger, nil, r.nakama, nil)
	if state != nil || rate != failedTickRate {
		t.Errorf("got %#v, %d", state, rate)
	}
}

func TestAPanicWhileSendingDoesNotRepeatTheCall(t *testing.T) {
	r := newMatch(t)
	r.out.panics = true
	r.service.loopReply(func(s *pb.Step) {
		s.Broadcasts = []*pb.Broadcast{{Message: notice("hello"), Everyone: true}}
		s.Log = [][]byte{[]byte("1")}
	})
	r.loop(r.input("ann", "x"))
	r.out.panics = false
	r.loops(3)
	wantMethods(t, r, "MatchLoop")
	if string(r.match.state) != "state 2" || len(r.match.record.lines) != 1 {
		t.Error("the step was lost")
	}
}

func TestAPanicWhileSayingThatTheMatchGoesOnLosesNothing(t *testing.T) {
	r := newMatch(t)
	r.service.failing(codes.Unavailable, "MatchLoop")
	r.loop(r.input("ann", "x"))
	r.loops(20)
	r.service.well()
	r.service.take()
	r.out.panics = true
	r.loops(20)
	r.out.panics = false
	r.loops(20)
	wantMethods(t, r, "MatchLoop")
	if string(r.match.state) != "state 2" {
		t.Errorf("the step was lost: %s", r.match.state)
	}
}

//proves:thread 10
func TestRPCsAndHooksSurviveAPanic(t *testing.T) {
	r := newRig(t)
	l := &lobbyCalls{shim: r.shim, locks: newKeyLocks()}
	r.nakama.adapter = nil
	_, createErr := l.create(context.Background(), r.logger, nil, r.nakama, "")
	_, findErr := l.find(as("ann"), r.logger, nil, r.nakama, "")
	_, signalErr := l.signal(context.Background(), r.logger, nil, nil, `{"matchId":"m","cmd":"c"}`)
	_, hookErr := (&matchmaker{shim: r.shim}).matched(context.Background(), r.logger, nil, r.nakama, []runtime.MatchmakerEntry{nil})
	for name, err := range map[string]error{"create": createErr, "find": findErr, "signal": signalErr, "hook": hookErr} {
		var told *runtime.Error
		if !errors.As(err, &told) || told.Code != int(codes.Internal) {
			t.Errorf("%s: got %v", name, err)
		}
	}
}
