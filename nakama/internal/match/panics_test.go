package match

import (
	"testing"

	"github.com/heroiclabs/nakama-common/runtime"
	"google.golang.org/grpc/codes"

	"setmatch/nakama/internal/fake"
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
			r.shared.now = nil
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
	r.shared.now = nil
	ctx, cancel := fake.MatchContext("match.node")
	defer cancel()
	state, rate, _ := r.adapter.MatchInit(ctx, r.logger, nil, r.nakama, nil)
	if state != nil || rate != failedTickRate {
		t.Errorf("got %#v, %d", state, rate)
	}
}

func TestPanicWhileBroadcastingDoesNotRepeatCall(t *testing.T) {
	r := newMatch(t)
	r.out.Panics = true
	r.service.LoopReply(func(s *pb.Step) {
		s.Broadcasts = []*pb.Broadcast{{Message: fake.Notice("hello"), Everyone: true}}
		s.Log = [][]byte{[]byte("1")}
	})
	r.loop(r.input("ann", "x"))
	r.out.Panics = false
	r.loops(3)
	wantMethods(t, r, "MatchLoop")
	if string(r.match.service.state) != "state 2" || len(r.match.service.record.lines) != 1 {
		t.Error("the step was lost")
	}
}

func TestPanicWhileSendingResumedLosesNothing(t *testing.T) {
	r := newMatch(t)
	r.service.FailWith(codes.Unavailable, "MatchLoop")
	r.loop(r.input("ann", "x"))
	r.loops(20)
	r.service.Reset()
	r.service.TakeCalls()
	r.out.Panics = true
	r.loops(20)
	r.out.Panics = false
	r.loops(20)
	wantMethods(t, r, "MatchLoop")
	if string(r.match.service.state) != "state 2" {
		t.Errorf("the step was lost: %s", r.match.service.state)
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
