package setmatch

import (
	"context"
	"errors"
	"testing"

	"github.com/heroiclabs/nakama-common/runtime"
	"google.golang.org/grpc/codes"

	"setmatch/nakama/internal/telemetry"
	"setmatch/nakama/pb"
)

//proves:thread 10
func TestCallbackRecoversPanicAndKeepsState(t *testing.T) {
	cases := map[string]func(*fixture) any{
		"MatchJoinAttempt": func(r *fixture) any { next, _, _ := r.attempt("bob"); return next },
		"MatchJoin":        func(r *fixture) any { return r.join("bob") },
		"MatchLeave":       func(r *fixture) any { return r.leave(runtime.PresenceReasonLeave, "ann") },
		"MatchLoop":        func(r *fixture) any { return r.loop(r.input("ann", "x")) },
		"MatchTerminate":   func(r *fixture) any { return r.terminate(10) },
		"MatchSignal":      func(r *fixture) any { next, _ := r.signal("x"); return next },
	}
	for name, call := range cases {
		t.Run(name, func(t *testing.T) {
			r := newMatch(t)
			r.match.clock.since = clockStart
			r.shim.now = nil
			if next := call(r); next != any(r.match) {
				t.Errorf("got %v", next)
			}
			if got := r.nakama.Counter(telemetry.RecoveredPanics); got != 1 {
				t.Errorf("%d panics counted", got)
			}
		})
	}
}

func TestPanicInMatchInitCreatesNoMatch(t *testing.T) {
	r := newFixture(t)
	r.shim.now = nil
	ctx, cancel := matchContext("match.node")
	defer cancel()
	state, rate, _ := r.adapter.MatchInit(ctx, r.logger, nil, r.nakama, nil)
	if state != nil || rate != failedTickRate {
		t.Errorf("got %#v, %d", state, rate)
	}
}

func TestPanicWhileBroadcastingDoesNotRepeatCall(t *testing.T) {
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
	if string(r.match.service.state) != "state 2" || len(r.match.service.record.lines) != 1 {
		t.Error("the step was lost")
	}
}

func TestPanicWhileSendingResumedLosesNothing(t *testing.T) {
	r := newMatch(t)
	r.service.failWith(codes.Unavailable, "MatchLoop")
	r.loop(r.input("ann", "x"))
	r.loops(20)
	r.service.reset()
	r.service.takeCalls()
	r.out.panics = true
	r.loops(20)
	r.out.panics = false
	r.loops(20)
	wantMethods(t, r, "MatchLoop")
	if string(r.match.service.state) != "state 2" {
		t.Errorf("the step was lost: %s", r.match.service.state)
	}
}

//proves:thread 10
func TestLobbyCallsAndHooksRecoverPanic(t *testing.T) {
	r := newFixture(t)
	l := &lobbyCalls{shim: r.shim, locks: newKeyLocks()}
	r.nakama.adapter = nil
	_, createErr := l.create(context.Background(), r.logger, nil, r.nakama, "")
	_, findErr := l.find(asUser("ann"), r.logger, nil, r.nakama, "")
	_, signalErr := l.signal(context.Background(), r.logger, nil, nil, `{"matchId":"m","cmd":"c"}`)
	_, hookErr := (&matchmaker{shim: r.shim}).matched(context.Background(), r.logger, nil, r.nakama, []runtime.MatchmakerEntry{nil})
	for name, err := range map[string]error{"create": createErr, "find": findErr, "signal": signalErr, "hook": hookErr} {
		var converted *runtime.Error
		if !errors.As(err, &converted) || converted.Code != int(codes.Internal) {
			t.Errorf("%s: got %v", name, err)
		}
	}
}

func TestStoppedMatchIsNoLongerCounted(t *testing.T) {
	r := newMatch(t)
	if r.nakama.Gauge("set_matches") != 1 {
		t.Fatalf("%v matches are counted", r.nakama.Gauge("set_matches"))
	}
	r.cancel()
	r.waitUntil("the end of the match", func() bool { return r.nakama.Gauge("set_matches") == 0 })
}
