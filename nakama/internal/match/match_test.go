package match

import (
	"context"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/heroiclabs/nakama-common/runtime"
	"google.golang.org/grpc/codes"
	"google.golang.org/protobuf/proto"

	"setmatch/nakama/internal/fake"
	"setmatch/nakama/internal/limits"
	"setmatch/nakama/internal/refusal"
	"setmatch/nakama/internal/rules"
	"setmatch/nakama/pb"
)

func TestMatchInitForwardsOptionsAndExpectedUsers(t *testing.T) {
	r := newFixture(t)
	ctx, cancel := fake.MatchContext("match.node")
	defer cancel()
	params := map[string]any{"options": `{"a":1}`, "expected_users": `[{"userId":"u","username":"n"}]`}
	state, rate, label := r.adapter.MatchInit(ctx, r.logger, nil, r.nakama, params)
	if state == nil || rate != 20 || label != `{"open":1,"players":0,"seats":2,"key":"key"}` {
		t.Errorf("got %v, %d, %q", state, rate, label)
	}
	want := &pb.MatchInitRequest{
		MatchId: "match.node", Node: "node", Options: []byte(`{"a":1}`), UnixTimeMs: r.clock.Now().UnixMilli(),
		ExpectedUsers: []*pb.Presence{{UserId: "u", Username: "n"}},
	}
	if got := r.service.TakeCalls()[0].Req.(*pb.MatchInitRequest); !proto.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

func TestFailedMatchInitReturnsUntypedNilAndValidRate(t *testing.T) {
	r := newFixture(t)
	r.service.FailWith(codes.Unavailable, "MatchInit")
	ctx, cancel := fake.MatchContext("match.node")
	defer cancel()
	state, rate, label := r.adapter.MatchInit(ctx, r.logger, nil, r.nakama, nil)
	if state != nil || rate < rules.MinTickRate || rate > rules.MaxTickRate || label != "" {
		t.Errorf("got %#v, %d, %q", state, rate, label)
	}
}

func TestInvalidExpectedUsersCreateNoMatch(t *testing.T) {
	r := newFixture(t)
	ctx, cancel := fake.MatchContext("match.node")
	defer cancel()
	state, _, _ := r.adapter.MatchInit(ctx, r.logger, nil, r.nakama, map[string]any{"expected_users": "{"})
	if state != nil || len(r.service.TakeCalls()) > 0 {
		t.Errorf("got %v", state)
	}
	if logged := r.logger.All(); !strings.Contains(logged, "expected_users is not a JSON array") {
		t.Errorf("logged %s", logged)
	}
}

func TestJoinAttemptIsForwardedWithMetadata(t *testing.T) {
	r := newMatch(t)
	r.advance(20)
	_, allow, _ := r.attempt("ann")
	want := &pb.MatchJoinAttemptRequest{
		MatchId: "match.node", Node: "node", NowMs: 20, UnixTimeMs: r.clock.Now().UnixMilli(), State: []byte("state 1"), Metadata: map[string]string{"from": "test"},
		Presence: &pb.Presence{UserId: "user of ann", SessionId: "ann", Node: "node", Username: "name of ann"},
	}
	if got := r.service.TakeCalls()[0].Req.(*pb.MatchJoinAttemptRequest); !allow || !proto.Equal(got, want) {
		t.Errorf("allowed %t, got %v, want %v", allow, got, want)
	}
}

func TestUserAtMatchLimitCannotJoinAnother(t *testing.T) {
	r := newMatch(t)
	r.shared.Limits = limits.New(limits.Config{MatchesPerUser: 1}, r.clock.Now)
	r.shared.Members.Add("other match", "user of ann")
	if _, allow, reason := r.attempt("ann"); allow || reason != "you are in 1 matches, the most allowed at the same time" {
		t.Errorf("allowed %t, %q", allow, reason)
	}
	wantMethods(t, r)
	if _, allow, _ := r.attempt("bob"); !allow {
		t.Error("another user was rejected")
	}
	r.join("bob")
	if _, allow, _ := r.attempt("bob"); !allow {
		t.Error("a second connection of a user to the same match was rejected")
	}
}

func TestFailedCreationIsForgotten(t *testing.T) {
	r := newFixture(t)
	r.service.FailWith(codes.Unavailable, "MatchInit")
	if _, err := r.shared.Create(t.Context(), r.nakama, Params{}); err == nil || len(r.shared.creations.entries) > 0 {
		t.Errorf("error %v, %d entries", err, len(r.shared.creations.entries))
	}
}

func TestDeniedJoinAttemptKeepsMatchRunning(t *testing.T) {
	r := newMatch(t)
	r.service.Handle("MatchJoinAttempt", func(context.Context, any) (any, error) {
		return &pb.MatchJoinAttemptResponse{Step: r.service.Step(), Reason: "match full"}, nil
	})
	next, allow, reason := r.attempt("ann")
	if next != any(r.match) || allow || reason != "match full" {
		t.Errorf("got %v, %t, %q", next, allow, reason)
	}
}

func TestJoinAttemptInOutageChangesNothing(t *testing.T) {
	r := newMatch(t)
	r.service.FailWith(codes.Unavailable, "MatchJoinAttempt")
	next, allow, reason := r.attempt("ann")
	if next != any(r.match) || allow || reason != "rules service unavailable, try again" {
		t.Errorf("got %v, %t, %q", next, allow, reason)
	}
	if string(r.match.service.state) != "state 1" || r.match.queue.size() != 0 {
		t.Error("state or queue has changed")
	}
}

func TestJoinAttemptIsDeniedWhileQueueIsNotEmpty(t *testing.T) {
	r := newMatch(t)
	r.service.FailWith(codes.Unavailable, "MatchLoop")
	r.loop(r.input("ann", "queued"))
	r.service.TakeCalls()
	if _, allow, reason := r.attempt("bob"); allow || reason != refusal.ServiceUnavailable {
		t.Errorf("allowed %t, %q", allow, reason)
	}
	wantMethods(t, r)
	r.service.Reset()
	r.advance(50)
	r.tick++
	if _, allow, _ := r.attempt("bob"); !allow {
		t.Error("denied after the outage")
	}
	wantMethods(t, r, "MatchLoop", "MatchJoinAttempt")
}

func TestJoinAttemptIsDeniedWhilePaused(t *testing.T) {
	r := newMatch(t)
	r.service.FailWith(codes.Unavailable, "MatchJoinAttempt", "MatchLoop")
	r.attempt("bob")
	r.loops(20)
	r.service.Reset()
	r.service.TakeCalls()
	r.advance(2000)
	if _, allow, reason := r.attempt("bob"); allow || reason != refusal.ServiceUnavailable {
		t.Errorf("allowed %t, %q", allow, reason)
	}
	wantMethods(t, r)
}

func TestLeaveReasons(t *testing.T) {
	cases := map[runtime.PresenceReason]pb.LeaveReason{
		runtime.PresenceReasonLeave:      pb.LeaveReason_LEAVE_REASON_LEFT,
		runtime.PresenceReasonDisconnect: pb.LeaveReason_LEAVE_REASON_DISCONNECTED,
		runtime.PresenceReasonUnknown:    pb.LeaveReason_LEAVE_REASON_NEVER_JOINED,
		runtime.PresenceReasonUpdate:     pb.LeaveReason_LEAVE_REASON_UNSPECIFIED,
	}
	r := newMatch(t)
	r.advance(30)
	for reason, want := range cases {
		r.leave(reason, "ann")
		r.loop()
		got := r.service.TakeCalls()[0].Req.(*pb.MatchLoopRequest).Leaves[0]
		if got.Reason != want || got.LeftMs != 30 || got.Presence.SessionId != "ann" {
			t.Errorf("reason %d: got %v", reason, got)
		}
	}
}

func TestLeaveIsSentWithInputsOfItsTick(t *testing.T) {
	r := newMatch(t)
	r.advance(30)
	r.leave(runtime.PresenceReasonDisconnect, "ann")
	wantMethods(t, r)
	r.advance(20)
	r.loop(r.input("ann", "sent before"))
	calls := r.service.TakeCalls()
	if got := callSummaries(calls); !reflect.DeepEqual(got, []string{"MatchLoop sent before -ann"}) {
		t.Fatalf("calls %q", got)
	}
	if got := calls[0].Req.(*pb.MatchLoopRequest).Leaves[0].LeftMs; got != 30 {
		t.Errorf("left at %d, want 30", got)
	}
}

func TestLeaveWaitsForEndOfTick(t *testing.T) {
	for method, act := range map[string]func(*fixture){
		"MatchJoinAttempt": func(r *fixture) { r.attempt("bob") },
		"MatchJoin":        func(r *fixture) { r.join("bob") },
		"MatchSignal":      func(r *fixture) { r.signal("snapshot") },
	} {
		t.Run(method, func(t *testing.T) {
			r := newMatch(t)
			r.leave(runtime.PresenceReasonLeave, "ann")
			act(r)
			wantMethods(t, r, method)
			r.loop()
			wantMethods(t, r, "MatchLoop")
		})
	}
}

func TestLeaveIsSentBeforeTerminate(t *testing.T) {
	r := newMatch(t)
	r.leave(runtime.PresenceReasonLeave, "ann")
	r.terminate(0)
	if got := callSummaries(r.service.TakeCalls()); !reflect.DeepEqual(got, []string{"MatchLoop -ann", "MatchTerminate"}) {
		t.Errorf("calls %q", got)
	}
}

func TestSignalIsAnswered(t *testing.T) {
	r := newMatch(t)
	next, answer := r.signal("snapshot")
	if next != any(r.match) || answer != `{"received":true}` {
		t.Errorf("got %v, %q", next, answer)
	}
	if got := r.service.TakeCalls()[0].Req.(*pb.MatchSignalRequest).Data; got != "snapshot" {
		t.Errorf("forwarded %q", got)
	}
}

func TestSignalInOutageReturnsError(t *testing.T) {
	r := newMatch(t)
	r.disconnect()
	next, answer := r.signal("snapshot")
	if next != any(r.match) || answer != `{"error":"rules service unavailable"}` {
		t.Errorf("got %v, %q", next, answer)
	}
}

func TestTerminateIsForwardedAndMatchContinues(t *testing.T) {
	r := newMatch(t)
	if r.terminate(10) == nil {
		t.Error("the match ended without the service")
	}
	if got := r.service.TakeCalls()[0].Req.(*pb.MatchTerminateRequest).GraceSeconds; got != 10 {
		t.Errorf("grace %d", got)
	}
}

func TestTerminateIsRetriedUntilDeadline(t *testing.T) {
	r := newMatch(t)
	r.service.FailWith(codes.Unavailable, "MatchTerminate")
	r.terminate(10)
	r.loops(159)
	wantActions(t, r, "paused to all")
	r.advance(50)
	if r.loop() != nil {
		t.Fatal("the match is still running at the end of the grace time")
	}
	wantActions(t, r, "closed to all")
	r.waitUntil("the rescue write", func() bool { return len(r.nakama.Writes()) == 1 })
}

func TestTerminateWithShortGraceStopsAfterHalf(t *testing.T) {
	r := newMatch(t)
	r.disconnect()
	if r.terminate(1) == nil {
		t.Fatal("the match was closed immediately")
	}
	r.loops(9)
	wantActions(t, r)
	r.advance(50)
	if r.loop() != nil {
		t.Error("the match is still running")
	}
	wantActions(t, r, "paused to all", "closed to all")
}

func TestTerminateWithoutGraceStopsImmediately(t *testing.T) {
	r := newMatch(t)
	r.disconnect()
	if r.terminate(0) != nil {
		t.Error("the match is still running")
	}
	wantActions(t, r, "closed to all")
}

func TestFormatHidesState(t *testing.T) {
	r := newMatch(t)
	for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%d"} {
		if got := fmt.Sprintf(verb, r.match); strings.Contains(got, "state 1") || !strings.Contains(got, "match.node") {
			t.Errorf("%s prints %q", verb, got)
		}
	}
}
