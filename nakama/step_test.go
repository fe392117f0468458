package main

import (
	"context"
	"testing"

	"github.com/heroiclabs/nakama-common/runtime"
	"google.golang.org/grpc/codes"
	"google.golang.org/protobuf/proto"

	"setmatch/nakama/pb"
)

func TestAudiences(t *testing.T) {
	cases := []struct {
		name     string
		everyone bool
		sessions []string
		want     []string
	}{
		{"everyone", true, nil, []string{"hello to all"}},
		{"one", false, []string{"bob"}, []string{"hello to [bob]"}},
		{"two, in the order given", false, []string{"bob", "ann"}, []string{"hello to [bob ann]"}},
		{"an empty list is nobody, not everybody", false, nil, nil},
		{"unknown connections are left out", false, []string{"ann", "eve"}, []string{"hello to [ann]"}},
		{"only unknown connections is nobody, not everybody", false, []string{"eve"}, nil},
	}
	r := newMatch(t)
	r.join("ann", "bob")
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			r.service.loopReply(func(s *pb.Step) {
				s.Broadcasts = []*pb.Broadcast{{Message: notice("hello"), Everyone: c.everyone, SessionIds: c.sessions}}
			})
			r.loop(r.input("ann", "x"))
			wantDone(t, r, c.want...)
		})
	}
	if got := r.nakama.counter(droppedBroadcasts); got != 2 {
		t.Errorf("%d dropped broadcasts counted, want 2", got)
	}
}

func TestNothingIsSentToThoseWhoLeft(t *testing.T) {
	r := newMatch(t)
	r.join("ann")
	r.leave(runtime.PresenceReasonLeave, "ann")
	r.service.loopReply(func(s *pb.Step) {
		s.Broadcasts = []*pb.Broadcast{{Message: notice("hello"), SessionIds: []string{"ann"}}}
	})
	r.loop(r.input("bob", "x"))
	wantDone(t, r)
}

func TestAStepIsAppliedInItsOrder(t *testing.T) {
	r := newMatch(t)
	r.join("ann")
	r.service.loopReply(func(s *pb.Step) {
		s.Broadcasts = []*pb.Broadcast{
			{Message: notice("first"), Everyone: true}, {Message: notice("second"), SessionIds: []string{"ann"}},
		}
		s.Label = proto.String(`{"open":0}`)
		s.Kicks = []string{"ann"}
		s.End = true
	})
	if r.loop(r.input("ann", "x")) != nil {
		t.Error("the match runs on after its end")
	}
	wantDone(t, r, "first to all", "second to [ann]", `label {"open":0}`, "kick [ann]")
}

func TestLabelIsOnlySetWhenItChanged(t *testing.T) {
	r := newMatch(t)
	for _, label := range []string{`{"n":1}`, `{"n":1}`, `{"n":2}`} {
		r.service.loopReply(func(s *pb.Step) { s.Label = &label })
		r.loop(r.input("ann", "x"))
	}
	wantDone(t, r, `label {"n":1}`, `label {"n":2}`)
}

func TestKickingNobodyIsNotAskedOfNakama(t *testing.T) {
	r := newMatch(t)
	r.service.loopReply(func(s *pb.Step) { s.Kicks = []string{"eve"} })
	r.loop(r.input("ann", "x"))
	wantDone(t, r)
}

func TestNothingIsDoneAfterTheEnd(t *testing.T) {
	r := newMatch(t)
	r.service.on("MatchJoin", func(context.Context, any) (any, error) {
		step := r.service.step()
		step.End = true
		return &pb.MatchJoinResponse{Step: step}, nil
	})
	if r.join("ann") != nil {
		t.Error("the match runs on")
	}
	r.service.take()
	if r.loop(r.input("ann", "late")) != nil {
		t.Error("the match runs on")
	}
	wantMethods(t, r)
}

func TestAnEndedMatchIsNotListedAsOpen(t *testing.T) {
	r := newMatch(t)
	r.service.loopReply(func(s *pb.Step) { s.End = true })
	r.loop(r.input("ann", "x"))
	if open := r.shim.open.Oldest("key", 1); len(open) > 0 {
		t.Errorf("%s is listed", open)
	}
}

func TestAJoinAttemptMayEndTheMatch(t *testing.T) {
	r := newMatch(t)
	r.service.on("MatchJoinAttempt", func(context.Context, any) (any, error) {
		step := r.service.step()
		step.End = true
		return &pb.MatchJoinAttemptResponse{Step: step, Reason: "match over"}, nil
	})
	if next, _, reason := r.attempt("ann"); next == nil || reason != "match over" {
		t.Errorf("the client would not hear the reason: %v, %q", next, reason)
	}
	if r.loop() != nil {
		t.Error("the match runs on")
	}
}

// Nakama takes an ended match away with its next tick: whoever comes before that is not to try again.
func TestWhoComesAfterTheEndIsToldOfIt(t *testing.T) {
	r := newMatch(t)
	r.service.on("MatchSignal", func(context.Context, any) (any, error) {
		step := r.service.step()
		step.End = true
		return &pb.MatchSignalResponse{Step: step, Data: `{"closed":true}`}, nil
	})
	r.signal("close")
	if next, allow, reason := r.attempt("ann"); next == nil || allow || reason != "match over" {
		t.Errorf("the attempt: %v, %t, %q", next, allow, reason)
	}
	if next, answer := r.signal("close"); next == nil || answer != `{"error":"match over"}` {
		t.Errorf("the signal: %v, %q", next, answer)
	}
}

func TestASignalMayEndTheMatchAndIsAnswered(t *testing.T) {
	r := newMatch(t)
	r.service.on("MatchSignal", func(context.Context, any) (any, error) {
		step := r.service.step()
		step.End = true
		return &pb.MatchSignalResponse{Step: step, Data: "closed"}, nil
	})
	if next, answer := r.signal("close"); next == nil || answer != "closed" {
		t.Errorf("the caller would not hear the answer: %v, %q", next, answer)
	}
	if r.loop() != nil {
		t.Error("the match runs on")
	}
}

func TestABroadcastThatNakamaRefusesIsCounted(t *testing.T) {
	r := newMatch(t)
	r.out.broken = true
	r.service.loopReply(func(s *pb.Step) {
		s.Broadcasts = []*pb.Broadcast{{Message: notice("hello"), Everyone: true}}
		s.Label, s.Kicks = proto.String(`{"n":1}`), nil
	})
	if r.loop(r.input("ann", "x")) == nil {
		t.Error("the match ended")
	}
	if got := r.nakama.counter(droppedBroadcasts); got != 1 {
		t.Errorf("%d dropped broadcasts counted", got)
	}
}

func TestCallsAreCountedByMethodAndCode(t *testing.T) {
	r := newMatch(t)
	r.loop(r.input("ann", "x"))
	r.service.failing(codes.Unavailable, "MatchLoop")
	r.loop(r.input("ann", "x"))
	for _, name := range []string{
		"set_rules_calls code=OK method=MatchLoop", "set_rules_calls code=Unavailable method=MatchLoop",
	} {
		if got := r.nakama.counter(name); got != 1 {
			t.Errorf("%s is %d, want 1", name, got)
		}
	}
	if got := r.nakama.gauge("set_pending"); got != 1 {
		t.Errorf("%v pending are shown, want 1", got)
	}
	r.cancel()
	r.await("the gauge to fall", func() bool { return r.nakama.gauge("set_pending") == 0 })
}
