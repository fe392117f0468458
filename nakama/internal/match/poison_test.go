package match

import (
	"context"
	"reflect"
	"strings"
	"testing"

	"github.com/heroiclabs/nakama-common/runtime"
	"google.golang.org/grpc/codes"
	"google.golang.org/protobuf/proto"

	"setmatch/nakama/internal/config"
	"setmatch/nakama/internal/fake"
	"setmatch/nakama/internal/refusal"
	"setmatch/nakama/internal/telemetry"
	"setmatch/nakama/pb"
)

// failOnInput scripts MatchLoop to fail on calls that contain a certain input.
func failOnInput(r *fixture, bad string) {
	r.service.Handle("MatchLoop", func(_ context.Context, req any) (any, error) {
		for _, input := range req.(*pb.MatchLoopRequest).Inputs {
			if string(input.Data) == bad {
				return nil, fake.ScriptedError(codes.Internal)
			}
		}
		return nil, nil
	})
}

func TestOnlyInputThatFailsAloneIsDropped(t *testing.T) {
	r := newMatch(t)
	failOnInput(r, "bad")
	r.loop(r.input("ann", "bad"), r.input("bob", "good"), r.input("bob", "last"))
	r.loops(40)
	want := []string{
		"MatchLoop bad good last", "MatchLoop bad good last",
		"MatchLoop", "MatchLoop bad", "MatchLoop", "MatchLoop bad", "MatchLoop", "MatchLoop bad",
		"MatchLoop", "MatchLoop good", "MatchLoop last",
	}
	if got := callSummaries(r.service.TakeCalls()); !reflect.DeepEqual(got, want) {
		t.Errorf("calls %q, want %q", got, want)
	}
	if got := r.nakama.Counter(telemetry.PoisonedInputs); got != 1 {
		t.Errorf("%d poisoned inputs counted, want 1", got)
	}
	if r.match.outage.Down {
		t.Error("the outage has not ended")
	}
}

func TestInputBehindFailingLeaveIsNotDropped(t *testing.T) {
	r := newMatch(t)
	r.service.FailWith(codes.Internal, "MatchLoop")
	r.leave(runtime.PresenceReasonLeave, "ann")
	r.loop()
	r.loops(40)
	r.loop(r.input("bob", "claim"))
	r.loops(40)
	r.service.Reset()
	r.service.TakeCalls()
	r.loops(40)
	if got := callSummaries(r.service.TakeCalls()); !reflect.DeepEqual(got, []string{"MatchLoop -ann", "MatchLoop claim"}) {
		t.Errorf("delivered %q", got)
	}
}

// A probe at the time of the drain could reach a deadline of the game before a claim that was received earlier.
func TestProbeIsNotLaterThanItsInput(t *testing.T) {
	r := newMatch(t)
	r.service.FailWith(codes.Internal, "MatchLoop")
	r.advance(100)
	input := r.input("ann", "claim").(*fake.Input)
	input.ReceivedUnixMs -= 40
	r.loop(input)
	r.loops(20)
	r.service.Reset()
	r.service.TakeCalls()
	r.loops(40)
	calls := r.service.TakeCalls()
	if got := callSummaries(calls); !reflect.DeepEqual(got, []string{"MatchLoop", "MatchLoop claim"}) {
		t.Fatalf("calls %q", got)
	}
	if got := calls[0].Req.(*pb.MatchLoopRequest).NowMs; got != 60 {
		t.Errorf("the probe is at %d, want 60, the time of the input", got)
	}
}

func TestMatchSurvivesStreamOfFailingInputs(t *testing.T) {
	r := newMatch(t)
	failOnInput(r, "bad")
	for i := range 1200 {
		r.advance(50)
		if i%4 == 0 {
			r.loop(r.input("ann", "bad"))
		} else {
			r.loop()
		}
	}
	if r.match.ending.over {
		t.Fatal("the match was closed")
	}
	r.loops(400)
	if r.match.outage.Down || r.match.queue.size() > 0 {
		t.Errorf("the outage has not ended, %d items in the queue", r.match.queue.size())
	}
}

func TestInputIsNotDroppedForEarlierFailures(t *testing.T) {
	r := newMatch(t)
	r.service.LoopReply(func(s *pb.Step) { s.WakeAtMs = proto.Int64(0) })
	r.loop(r.input("ann", "x"))
	r.service.FailWith(codes.Internal, "MatchLoop")
	for range 4 {
		r.advance(1000)
		r.loop()
	}
	r.advance(1000)
	r.loop(r.input("ann", "claim"))
	r.service.Reset()
	r.service.TakeCalls()
	r.loops(40)
	if got := callSummaries(r.service.TakeCalls()); !reflect.DeepEqual(got, []string{"MatchLoop claim"}) {
		t.Errorf("delivered %q", got)
	}
}

func TestInputIsNotDroppedAfterLossOfProvenLink(t *testing.T) {
	r := newMatch(t)
	r.service.FailWith(codes.Internal, "MatchLoop")
	r.loop(r.input("ann", "x"))
	lost, _ := dial(t, config.Settings{Addr: "127.0.0.1:1"}).shared.Rules.Links.Pick(0, nil)
	for range maxPoisonFailures {
		r.match.calls.provenLink = lost
		r.match.deliverRun(r.tick, r.out, r.match.queue.head())
	}
	if r.match.queue.size() != 1 {
		t.Error("the input was dropped")
	}
}

func TestDroppedInputsSendNoOverflowNotice(t *testing.T) {
	r := newMatch(t)
	r.join("ann")
	failOnInput(r, "bad")
	r.out.TakeActions()
	r.loop(r.input("ann", "bad"))
	r.loops(4)
	wantActions(t, r)
}

func TestDroppedInputsAreLoggedWithoutContent(t *testing.T) {
	r := newMatch(t)
	failOnInput(r, "secret-of-a-player")
	r.loop(r.input("ann", "secret-of-a-player"))
	r.loops(40)
	log := r.logger.All()
	if !strings.Contains(log, "dropped a player's input") || strings.Contains(log, "secret") || strings.Contains(log, "state 1") {
		t.Errorf("logged:\n%s", log)
	}
}

func TestJoinsAndLeavesAreNeverDropped(t *testing.T) {
	r := newMatch(t)
	r.service.FailWith(codes.Internal, "MatchJoin")
	r.join("ann")
	r.loops(60)
	r.service.Reset()
	r.service.TakeCalls()
	r.loops(20)
	if got := callSummaries(r.service.TakeCalls()); !reflect.DeepEqual(got, []string{"MatchJoin ann"}) {
		t.Errorf("delivered %q", got)
	}
}

func TestUnavailableServiceDropsNoInput(t *testing.T) {
	r := newMatch(t)
	r.service.FailWith(codes.Unavailable, "MatchLoop")
	r.loop(r.input("ann", "x"))
	r.loops(1200)
	if r.match.queue.counts.Total().Inputs != 1 {
		t.Error("the input was dropped")
	}
}

func TestOnlyConsecutiveFailuresDropInput(t *testing.T) {
	r := newMatch(t)
	r.service.FailWith(codes.Internal, "MatchLoop")
	r.loop(r.input("ann", "x"))
	for _, code := range []codes.Code{codes.Internal, codes.Unavailable, codes.Internal, codes.Internal} {
		r.service.FailWith(code, "MatchLoop")
		r.advance(1000)
		r.loop()
	}
	if r.match.queue.counts.Total().Inputs != 1 {
		t.Error("the input was dropped")
	}
}

func TestInternalErrorsOfAllReplicasAreAnOutage(t *testing.T) {
	r := newMatch(t)
	r.service.FailWith(codes.Internal, everyCallback...)
	r.advance(100)
	r.loop(r.input("ann", "first"), r.input("bob", "second"))
	r.loops(4 * 60 * 20)
	if r.match.ending.over || r.match.queue.counts.Total().Inputs != 2 || r.match.nowMs() != 100 {
		t.Fatalf("over %t, %d inputs, clock %d", r.match.ending.over, r.match.queue.counts.Total().Inputs, r.match.nowMs())
	}
	wantActions(t, r, "paused to all")
	r.service.Reset()
	r.service.TakeCalls()
	r.loops(40)
	want := []string{"MatchLoop", "MatchLoop first", "MatchLoop second"}
	if got := callSummaries(r.service.TakeCalls()); !reflect.DeepEqual(got, want) {
		t.Errorf("delivered %q, want %q", got, want)
	}
	wantActions(t, r, "resumed to all")
}

func TestInternalErrorsForFiveMinutesCloseMatch(t *testing.T) {
	r := newMatch(t)
	r.service.FailWith(codes.Internal, "MatchJoin")
	r.join("ann")
	r.loops(5*60*20 - 1)
	if r.match.ending.over {
		t.Fatal("the match was closed before five minutes had passed")
	}
	r.loops(1)
	if r.loop() != nil {
		t.Fatal("the match is still running")
	}
	wantActions(t, r, "paused to all", "closed to all")
	r.waitUntil("the rescue write", func() bool { return len(r.nakama.Writes()) == 1 })
}

func TestInternalErrorOnJoinAttemptStartsNoOutage(t *testing.T) {
	r := newMatch(t)
	r.service.FailWith(codes.Internal, "MatchJoinAttempt", "MatchSignal")
	next, allow, reason := r.attempt("ann")
	_, answer := r.signal("snapshot")
	if next == nil || allow || reason != refusal.ServiceUnavailable || answer != signalUnavailable {
		t.Errorf("next %v, allow %t, reason %q, answer %q", next, allow, reason, answer)
	}
	if r.match.outage.Down {
		t.Error("an outage was started")
	}
}
