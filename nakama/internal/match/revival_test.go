package match

import (
	"context"
	"slices"
	"testing"
	"time"

	"github.com/heroiclabs/nakama-common/runtime"
	"google.golang.org/grpc/codes"
	"google.golang.org/protobuf/proto"

	"setmatch/nakama/internal/fake"
	"setmatch/nakama/pb"
)

func wantCalls(t *testing.T, r *savedFixture, want ...string) {
	t.Helper()
	if got := callSummaries(r.service.TakeCalls()); !slices.Equal(got, want) {
		t.Errorf("calls %q, want %q", got, want)
	}
}

func TestRevivedMatchEqualsSavedMatch(t *testing.T) {
	r := newSaved(t)
	r.service.LoopReply(func(step *pb.Step) {
		step.WakeAtMs, step.Log = proto.Int64(90_000), [][]byte{[]byte(`{"line":1}`)}
		step.Label = proto.String(`{"open":1,"key":"other","phase":"PLAYING"}`)
	})
	r.loop(r.input("ann", "1"))
	old := r.match
	r.service.TakeCalls()
	r.restart()
	wantCalls(t, r)
	m := r.match
	if m.id != old.id || string(m.service.state) != string(old.service.state) || m.service.label != old.service.label || *m.service.wakeAtMs != 90_000 ||
		m.service.tickRate != 20 || m.service.rescueCollection != "rescued" || string(m.service.record.array()) != `[{"line":1}]` {
		t.Errorf("got %s, state %q, label %q, record %s", m, m.service.state, m.service.label, m.service.record.array())
	}
	if open := r.shared.Open.Oldest("other", 1); !slices.Equal(open, []string{m.id}) {
		t.Errorf("open matches %q", open)
	}
	for _, user := range []string{"creator", "friend"} {
		if matches := r.shared.Members.Matches(user); !slices.Equal(matches, []string{m.id}) {
			t.Errorf("%s is in %q", user, matches)
		}
	}
	if r.shared.liveMatches.Load() != 1 || r.nakama.Gauge("set_matches") != 1 || r.nakama.Counter("set_revived_matches") != 1 {
		t.Error("the match is not counted")
	}
}

func TestTicksContinueAfterRestart(t *testing.T) {
	r := newSaved(t)
	r.tick = 700
	r.loop(r.input("ann", "1"))
	r.restart()
	r.join("bob")
	r.loop(r.input("bob", "2"))
	for _, call := range r.service.TakeCalls()[1:] {
		if tick := call.Req.(interface{ GetTick() int64 }).GetTick(); tick != 701 {
			t.Errorf("%s has tick %d, want 701", call.Method, tick)
		}
	}
}

func TestOldConnectionLeavesAfterRejoin(t *testing.T) {
	r := newSaved(t)
	r.join("ann", "bob")
	r.restart()
	r.service.TakeCalls()
	again := &fakeUser{fake.NewPresence("ann2"), "user of ann"}
	r.adapter.MatchJoin(r.ctx, r.logger, nil, r.nakama, r.out, 0, r.match, []runtime.Presence{again})
	r.loop()
	calls := r.service.TakeCalls()
	if got := callSummaries(calls); !slices.Equal(got, []string{"MatchJoin ann2", "MatchLoop -ann"}) {
		t.Fatalf("calls %q", got)
	}
	if leave := calls[1].Req.(*pb.MatchLoopRequest).Leaves[0]; leave.Reason != pb.LeaveReason_LEAVE_REASON_DISCONNECTED {
		t.Errorf("got %v", leave)
	}
	if matches := r.shared.Members.Matches("user of ann"); !slices.Equal(matches, []string{r.match.id}) {
		t.Errorf("ann is in %q", matches)
	}
}

// fakeUser is a new connection of a user.
type fakeUser struct {
	*fake.Presence
	user string
}

func (u *fakeUser) GetUserId() string { return u.user }

func TestOtherConnectionsLeaveAtEndOfGrace(t *testing.T) {
	r := newSaved(t)
	r.join("ann")
	r.attempt("bob")
	r.restart()
	r.service.TakeCalls()
	r.pass(r.shared.timing.revivalGrace - 50*time.Millisecond)
	wantCalls(t, r)
	r.pass(50 * time.Millisecond)
	calls := r.service.TakeCalls()
	if got := callSummaries(calls); !slices.Equal(got, []string{"MatchLoop -ann -bob"}) {
		t.Fatalf("calls %q", got)
	}
	leaves := calls[0].Req.(*pb.MatchLoopRequest).Leaves
	if leaves[0].Reason != pb.LeaveReason_LEAVE_REASON_DISCONNECTED || leaves[1].Reason != pb.LeaveReason_LEAVE_REASON_NEVER_JOINED {
		t.Errorf("got %v", leaves)
	}
	r.pass(r.shared.timing.revivalGrace)
	wantCalls(t, r)
}

func TestSecondCrashInGraceKeepsOldConnections(t *testing.T) {
	r := newSaved(t)
	r.join("ann")
	r.attempt("bob")
	r.restart()
	r.restart()
	r.service.TakeCalls()
	r.pass(r.shared.timing.revivalGrace)
	wantCalls(t, r, "MatchLoop -ann -bob")
}

func TestClockWaitsForFirstJoin(t *testing.T) {
	r := newSaved(t)
	wake := func(step *pb.Step) { step.WakeAtMs = proto.Int64(6100) }
	r.service.LoopReply(wake)
	r.service.Handle("MatchJoin", func(context.Context, any) (any, error) {
		step := r.service.Step()
		wake(step)
		return &pb.MatchJoinResponse{Step: step}, nil
	})
	r.advance(6000)
	r.loop(r.input("ann", "1"))
	r.restart()
	r.service.TakeCalls()
	r.pass(2 * time.Second)
	wantCalls(t, r)
	if now := r.match.nowMs(); now != 6000 {
		t.Errorf("the clock has %d, want 6000", now)
	}
	r.join("ann")
	r.pass(100 * time.Millisecond)
	wantCalls(t, r, "MatchJoin ann", "MatchLoop")
}

func TestClockCountsTimeUntilTheCrash(t *testing.T) {
	r := newSaved(t)
	r.loop(r.input("ann", "1"))
	r.crash()
	r.advance(60_000)
	r.boot()
	// The fake clock advanced between the change and the crash; the row's process was alive until shortly before.
	if now := r.match.nowMs(); now < 55_000 || now > 60_000 {
		t.Errorf("the clock has %d", now)
	}
}

func TestClockOfAnOutageStaysStoppedAfterRestart(t *testing.T) {
	r := newSaved(t)
	r.service.FailWith(codes.Unavailable, "MatchLoop")
	r.advance(1000)
	r.loop(r.input("ann", "1"))
	r.crash()
	r.advance(60_000)
	r.boot()
	if now := r.match.nowMs(); now != 1000 {
		t.Errorf("the clock has %d, want 1000", now)
	}
}

func TestUndeliveredItemsSurviveRestart(t *testing.T) {
	r := newSaved(t)
	r.service.FailWith(codes.Unavailable, "MatchLoop", "MatchJoin")
	r.join("ann")
	r.loop(r.input("ann", "1"), r.input("ann", "2"))
	r.leave(runtime.PresenceReasonDisconnect, "ann")
	r.disconnect()
	r.restart()
	r.service.Reset()
	r.service.TakeCalls()
	r.pass(time.Second)
	wantCalls(t, r)
	wantActions(t, r.fixture)
	r.reconnect()
	r.pass(100 * time.Millisecond)
	wantCalls(t, r, "MatchJoin ann", "MatchLoop 1 2 -ann")
}

func TestCorruptedRowIsSetAsideAndOthersRevive(t *testing.T) {
	r := newSaved(t)
	broken := r.match.id
	r.settle()
	r.create()
	r.crash()
	if _, err := r.openDatabase().Exec(`UPDATE set_checkpoints SET data = 'x' WHERE match = $1`, broken); err != nil {
		t.Fatal(err)
	}
	if revived := r.boot(); revived != 1 || r.match.id == broken {
		t.Errorf("%d matches were revived", revived)
	}
	if r.nakama.Counter("set_aside_matches reason=corrupted") != 1 {
		t.Error("the row is not counted")
	}
}

func TestRowIsRevivedWhenItIsNoLongerSetAside(t *testing.T) {
	r := newSaved(t)
	r.crash()
	exec := func(statement string) {
		if _, err := r.openDatabase().Exec(statement, r.match.id); err != nil {
			t.Fatal(err)
		}
	}
	exec(`UPDATE set_checkpoints SET set_aside = now(), failures = 3, reason = 'crashed' WHERE match = $1`)
	if revived := r.boot(); revived != 0 {
		t.Errorf("%d matches were revived", revived)
	}
	_ = r.db.Close()
	// The statement in docs/operations.md
	exec(`UPDATE set_checkpoints SET set_aside = NULL, failures = 0, written = now() WHERE match = $1`)
	if revived := r.boot(); revived != 1 {
		t.Errorf("%d matches were revived", revived)
	}
}

func TestIdleMatchIsNotWrittenAgain(t *testing.T) {
	r := newSaved(t)
	r.settle()
	before := r.nakama.Counter("set_saved_matches")
	r.pass(2 * time.Second)
	r.settle()
	if after := r.nakama.Counter("set_saved_matches"); after != before {
		t.Errorf("%d rows were written", after-before)
	}
}

func TestRevivedMatchStillHandlesMessagesOnArrival(t *testing.T) {
	r := newSaved(t)
	r.service.Handle("MatchInit", func(context.Context, any) (any, error) { return arrivalInitReply(r.service), nil })
	r.create()
	id := r.match.id
	r.crash()
	if revived := r.boot(); revived != 2 {
		t.Fatalf("%d matches were revived", revived)
	}
	matches := r.nakama.Matches()
	isRevived := func(state any) bool { m := state.(*matchState); return m.id == id && m.ctx.Err() == nil }
	r.use(matches[slices.IndexFunc(matches, isRevived)].(*matchState))
	r.admitAndJoin("ann")
	r.arrive("ann", "1")
	r.wake()
	wantSummaries(t, r.fixture, "MatchLoop 1")
}
