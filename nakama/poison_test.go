package main

import (
	"context"
	"reflect"
	"strings"
	"testing"

	"google.golang.org/grpc/codes"
	"google.golang.org/protobuf/proto"

	"setmatch/nakama/pb"
)

// poisoned scripts MatchLoop to fail on calls that carry a certain input.
func poisoned(r *rig, bad string) {
	r.service.on("MatchLoop", func(_ context.Context, req any) (any, error) {
		for _, input := range req.(*pb.MatchLoopRequest).Inputs {
			if string(input.Data) == bad {
				return nil, scriptedError(codes.Internal)
			}
		}
		return nil, nil
	})
}

func TestInputsThatAlwaysFailAreDroppedAfterThreeTries(t *testing.T) {
	r := newMatch(t)
	poisoned(r, "bad")
	r.loop(r.input("ann", "bad"), r.input("bob", "good"))
	r.loops(40)
	want := []string{"MatchLoop bad good", "MatchLoop bad good", "MatchLoop bad good", "MatchLoop"}
	if got := seen(r.service.take()); !reflect.DeepEqual(got, want) {
		t.Errorf("calls %q, want %q", got, want)
	}
	if got := r.nakama.counter(poisonedInputs); got != 2 {
		t.Errorf("%d poisoned inputs counted, want 2", got)
	}
	if r.match.outage.down {
		t.Error("the match still stands")
	}
}

func TestAnInputThatCameIntoAFailingCallIsNotDroppedWithIt(t *testing.T) {
	r := newMatch(t)
	poisoned(r, "bad")
	r.loop(r.input("ann", "bad"))
	r.pass(50)
	r.loop()
	r.pass(100)
	r.loop(r.input("bob", "good"))
	r.loops(40)
	want := []string{"MatchLoop bad", "MatchLoop bad", "MatchLoop bad good", "MatchLoop", "MatchLoop good"}
	if got := seen(r.service.take()); !reflect.DeepEqual(got, want) {
		t.Errorf("calls %q, want %q", got, want)
	}
}

// Whoever sends what the service fails on, again and again, must not end the match with it.
func TestAMatchOutlivesAStreamOfInputsThatFail(t *testing.T) {
	r := newMatch(t)
	poisoned(r, "bad")
	for i := range 1200 {
		r.pass(50)
		if i%4 == 0 {
			r.loop(r.input("ann", "bad"))
		} else {
			r.loop()
		}
	}
	if r.match.over {
		t.Fatal("the match was closed")
	}
	r.loops(400)
	if r.match.outage.down || r.match.queue.size() > 0 {
		t.Errorf("the match still stands, %d items wait", r.match.queue.size())
	}
}

func TestAnInputIsNotDroppedForFailuresBeforeItCame(t *testing.T) {
	r := newMatch(t)
	r.service.loopReply(func(s *pb.Step) { s.WakeAtMs = proto.Int64(0) })
	r.loop(r.input("ann", "x"))
	r.service.failing(codes.Internal, "MatchLoop")
	for range 4 {
		r.pass(1000)
		r.loop()
	}
	r.pass(1000)
	r.loop(r.input("ann", "claim"))
	r.service.well()
	r.service.take()
	r.loops(40)
	if got := seen(r.service.take()); !reflect.DeepEqual(got, []string{"MatchLoop claim"}) {
		t.Errorf("delivered %q", got)
	}
}

func TestDroppedInputsAreNotAnsweredWithTheOverflowNotice(t *testing.T) {
	r := newMatch(t)
	r.join("ann")
	poisoned(r, "bad")
	r.out.took()
	r.loop(r.input("ann", "bad"))
	r.loops(4)
	wantDone(t, r)
}

func TestDroppedInputsAreLoggedWithoutTheirContent(t *testing.T) {
	r := newMatch(t)
	poisoned(r, "secret-of-a-player")
	r.loop(r.input("ann", "secret-of-a-player"))
	r.loops(40)
	log := r.logger.all()
	if !strings.Contains(log, "dropped player inputs") || strings.Contains(log, "secret") || strings.Contains(log, "state 1") {
		t.Errorf("logged:\n%s", log)
	}
}

func TestJoinsAndLeavesAreNeverDropped(t *testing.T) {
	r := newMatch(t)
	r.service.failing(codes.Internal, "MatchJoin")
	r.join("ann")
	r.loops(60)
	r.service.well()
	r.service.take()
	r.loops(20)
	if got := seen(r.service.take()); !reflect.DeepEqual(got, []string{"MatchJoin ann"}) {
		t.Errorf("delivered %q", got)
	}
}

func TestAFailureOfTheServiceIsNoPoison(t *testing.T) {
	r := newMatch(t)
	r.service.failing(codes.Unavailable, "MatchLoop")
	r.loop(r.input("ann", "x"))
	r.loops(1200)
	if r.match.queue.ofAll.inputs != 1 {
		t.Error("the input was dropped")
	}
}

func TestOnlyFailuresInARowArePoison(t *testing.T) {
	r := newMatch(t)
	r.service.failing(codes.Internal, "MatchLoop")
	r.loop(r.input("ann", "x"))
	for _, code := range []codes.Code{codes.Internal, codes.Unavailable, codes.Internal, codes.Internal} {
		r.service.failing(code, "MatchLoop")
		r.pass(1000)
		r.loop()
	}
	if r.match.queue.ofAll.inputs != 1 {
		t.Error("the input was dropped")
	}
}

func TestMatchEndsWhenItFailsForTenSecondsWithoutInputs(t *testing.T) {
	r := newMatch(t)
	r.service.failing(codes.Internal, "MatchLoop")
	r.loop(r.input("ann", "x"))
	r.loops(199)
	if r.match.over {
		t.Fatal("the match ended before ten seconds had gone")
	}
	r.loops(1)
	if r.loop() != nil {
		t.Fatal("the match runs on")
	}
	wantDone(t, r, "paused to all", "closed to all")
	r.await("the rescue", func() bool { return len(r.nakama.writes()) == 1 })
}

func TestTheTenSecondsBeginWithTheFirstFailureByContent(t *testing.T) {
	r := newMatch(t)
	r.service.failing(codes.Unavailable, "MatchLoop")
	r.loop(r.input("ann", "x"))
	r.loops(400)
	r.service.failing(codes.Internal, "MatchLoop")
	r.loops(100)
	if r.match.over {
		t.Error("the match was closed five seconds after the first failure by content")
	}
}

func TestAnInternalErrorOnAnAttemptDoesNotStopTheMatch(t *testing.T) {
	r := newMatch(t)
	r.service.failing(codes.Internal, "MatchJoinAttempt", "MatchSignal")
	next, allow, reason := r.attempt("ann")
	_, answer := r.signal("snapshot")
	if next == nil || allow || reason != serviceAway || answer != signalAway {
		t.Errorf("next %v, allow %t, reason %q, answer %q", next, allow, reason, answer)
	}
	if r.match.outage.down {
		t.Error("the match stands")
	}
}
