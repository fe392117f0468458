package match

import (
	"context"
	"testing"

	"github.com/heroiclabs/nakama-common/runtime"
	"google.golang.org/grpc/codes"
	"google.golang.org/protobuf/proto"

	"setmatch/nakama/internal/fake"
	"setmatch/nakama/internal/telemetry"
	"setmatch/nakama/pb"
)

func TestBroadcastTargets(t *testing.T) {
	cases := []struct {
		name     string
		everyone bool
		sessions []string
		want     []string
	}{
		{"everyone", true, nil, []string{"hello to all"}},
		{"one", false, []string{"bob"}, []string{"hello to [bob]"}},
		{"two, in order", false, []string{"bob", "ann"}, []string{"hello to [bob ann]"}},
		{"an empty list is sent to none", false, nil, nil},
		{"unknown sessions are skipped", false, []string{"ann", "eve"}, []string{"hello to [ann]"}},
		{"only unknown sessions", false, []string{"eve"}, nil},
	}
	r := newMatch(t)
	r.join("ann", "bob")
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			r.service.LoopReply(func(s *pb.Step) {
				s.Broadcasts = []*pb.Broadcast{{Message: fake.Notice("hello"), Everyone: c.everyone, SessionIds: c.sessions}}
			})
			r.loop(r.input("ann", "x"))
			wantActions(t, r, c.want...)
		})
	}
	if got := r.nakama.Counter(telemetry.DroppedBroadcasts); got != 2 {
		t.Errorf("%d dropped broadcasts counted, want 2", got)
	}
}

func TestNoBroadcastToLeftSession(t *testing.T) {
	r := newMatch(t)
	r.join("ann")
	r.leave(runtime.PresenceReasonLeave, "ann")
	r.service.LoopReply(func(s *pb.Step) {
		s.Broadcasts = []*pb.Broadcast{{Message: fake.Notice("hello"), SessionIds: []string{"ann"}}}
	})
	r.loop(r.input("bob", "x"))
	wantActions(t, r)
}

func TestStepIsAppliedInOrder(t *testing.T) {
	r := newMatch(t)
	r.join("ann")
	r.service.LoopReply(func(s *pb.Step) {
		s.Broadcasts = []*pb.Broadcast{
			{Message: fake.Notice("first"), Everyone: true}, {Message: fake.Notice("second"), SessionIds: []string{"ann"}},
		}
		s.Label = proto.String(`{"open":0}`)
		s.Kicks = []string{"ann"}
		s.End = true
	})
	if r.loop(r.input("ann", "x")) != nil {
		t.Error("the match is still running after its end")
	}
	wantActions(t, r, "first to all", "second to [ann]", `label {"open":0}`, "kick [ann]")
}

func TestLabelIsUpdatedOnlyWhenChanged(t *testing.T) {
	r := newMatch(t)
	for _, label := range []string{`{"n":1}`, `{"n":1}`, `{"n":2}`} {
		r.service.LoopReply(func(s *pb.Step) { s.Label = &label })
		r.loop(r.input("ann", "x"))
	}
	wantActions(t, r, `label {"n":1}`, `label {"n":2}`)
}

func TestKickOfUnknownSessionIsSkipped(t *testing.T) {
	r := newMatch(t)
	r.service.LoopReply(func(s *pb.Step) { s.Kicks = []string{"eve"} })
	r.loop(r.input("ann", "x"))
	wantActions(t, r)
}

func TestNoCallAfterEnd(t *testing.T) {
	r := newMatch(t)
	r.service.Handle("MatchJoin", func(context.Context, any) (any, error) {
		step := r.service.Step()
		step.End = true
		return &pb.MatchJoinResponse{Step: step}, nil
	})
	if r.join("ann") != nil {
		t.Error("the match is still running")
	}
	r.service.TakeCalls()
	if r.loop(r.input("ann", "late")) != nil {
		t.Error("the match is still running")
	}
	wantMethods(t, r)
}

func TestEndedMatchIsNotListedAsOpen(t *testing.T) {
	r := newMatch(t)
	r.service.LoopReply(func(s *pb.Step) { s.End = true })
	r.loop(r.input("ann", "x"))
	if open := r.shared.Open.Oldest("key", 1); len(open) > 0 {
		t.Errorf("%s is listed", open)
	}
}

func TestJoinAttemptMayEndMatch(t *testing.T) {
	r := newMatch(t)
	r.service.Handle("MatchJoinAttempt", func(context.Context, any) (any, error) {
		step := r.service.Step()
		step.End = true
		return &pb.MatchJoinAttemptResponse{Step: step, Reason: "match over"}, nil
	})
	if next, _, reason := r.attempt("ann"); next == nil || reason != "match over" {
		t.Errorf("the client would not receive the reason: %v, %q", next, reason)
	}
	if r.loop() != nil {
		t.Error("the match is still running")
	}
}

// Nakama removes an ended match in the next tick. Clients that call before that must not retry.
func TestCallsAfterEndReturnMatchOver(t *testing.T) {
	r := newMatch(t)
	r.service.Handle("MatchSignal", func(context.Context, any) (any, error) {
		step := r.service.Step()
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

func TestSignalThatEndsMatchIsAnswered(t *testing.T) {
	r := newMatch(t)
	r.service.Handle("MatchSignal", func(context.Context, any) (any, error) {
		step := r.service.Step()
		step.End = true
		return &pb.MatchSignalResponse{Step: step, Data: "closed"}, nil
	})
	if next, answer := r.signal("close"); next == nil || answer != "closed" {
		t.Errorf("the caller would not receive the reply: %v, %q", next, answer)
	}
	if r.loop() != nil {
		t.Error("the match is still running")
	}
}

func TestFailedBroadcastIsCounted(t *testing.T) {
	r := newMatch(t)
	r.out.Broken = true
	r.service.LoopReply(func(s *pb.Step) {
		s.Broadcasts = []*pb.Broadcast{{Message: fake.Notice("hello"), Everyone: true}}
		s.Label, s.Kicks = proto.String(`{"n":1}`), nil
	})
	if r.loop(r.input("ann", "x")) == nil {
		t.Error("the match ended")
	}
	if got := r.nakama.Counter(telemetry.DroppedBroadcasts); got != 1 {
		t.Errorf("%d dropped broadcasts counted", got)
	}
}

func TestCallsAreCountedByMethodAndCode(t *testing.T) {
	r := newMatch(t)
	r.loop(r.input("ann", "x"))
	r.service.FailWith(codes.Unavailable, "MatchLoop")
	r.loop(r.input("ann", "x"))
	for _, name := range []string{
		"set_rules_calls code=OK method=MatchLoop", "set_rules_calls code=Unavailable method=MatchLoop",
	} {
		if got := r.nakama.Counter(name); got != 1 {
			t.Errorf("%s is %d, want 1", name, got)
		}
	}
	if got := r.nakama.Gauge("set_pending"); got != 1 {
		t.Errorf("the gauge is %v, want 1", got)
	}
	r.cancel()
	r.waitUntil("the gauge is 0", func() bool { return r.nakama.Gauge("set_pending") == 0 })
}
