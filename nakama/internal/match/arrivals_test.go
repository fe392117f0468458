package match

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/heroiclabs/nakama-common/rtapi"
	"github.com/heroiclabs/nakama-common/runtime"
	"google.golang.org/grpc/codes"
	"google.golang.org/protobuf/proto"

	"setmatch/nakama/internal/arrival"
	"setmatch/nakama/internal/backlog"
	"setmatch/nakama/internal/fake"
	"setmatch/nakama/internal/telemetry"
	"setmatch/nakama/pb"
)

const arrivalMatchID = "0b4a8e4c-6c4d-4d57-9a43-0a3f6f0a1d55.node"

// newArrivalMatch returns a fixture with a match that handles messages when they arrive. The wake-ups do not reach the match by
// themselves: a test calls wake.
func newArrivalMatch(t testing.TB) *fixture {
	t.Helper()
	r := newFixture(t)
	r.ctx, r.cancel = fake.MatchContext(arrivalMatchID)
	t.Cleanup(r.cancel)
	r.service.Handle("MatchInit", func(context.Context, any) (any, error) { return arrivalInitReply(r.service), nil })
	state, rate, _ := r.adapter.MatchInit(r.ctx, r.logger, nil, r.nakama, nil)
	if state == nil || rate != 1 {
		t.Fatalf("MatchInit returned %v with tick rate %d", state, rate)
	}
	r.match = state.(*matchState)
	r.service.TakeCalls()
	return r
}

// arrivalInitReply is the response of MatchInit for a match that handles messages when they arrive.
func arrivalInitReply(f *fake.Service) *pb.MatchInitResponse {
	reply := f.InitReply(`{"open":1,"players":0,"seats":2,"key":"key"}`)
	reply.TickRate, reply.JudgeOnArrival = 1, true
	return reply
}

// admitAndJoin lets users join as Nakama does: an attempt, and then the join.
func (r *fixture) admitAndJoin(names ...string) {
	r.t.Helper()
	for _, name := range names {
		if _, allow, reason := r.attempt(name); !allow {
			r.t.Fatalf("%s was denied: %s", name, reason)
		}
		r.join(name)
	}
	r.service.TakeCalls()
	r.out.TakeActions()
}

// arrive passes a message of a connection to the hook.
func (r *fixture) arrive(name, data string) {
	r.t.Helper()
	from := fake.NewPresence(name)
	ctx := context.WithValue(context.Background(), runtime.RUNTIME_CTX_USER_ID, from.GetUserId()) //nolint:staticcheck // Nakama's own keys are strings
	ctx = context.WithValue(ctx, runtime.RUNTIME_CTX_SESSION_ID, from.GetSessionId())             //nolint:staticcheck // Nakama's own keys are strings
	message := &rtapi.MatchDataSend{MatchId: r.match.id, OpCode: 1, Data: []byte(data)}
	envelope := &rtapi.Envelope{Message: &rtapi.Envelope_MatchDataSend{MatchDataSend: message}}
	out, err := r.shared.Inboxes.Hook(ctx, r.logger, nil, r.nakama, envelope)
	if err != nil || out.GetMatchDataSend().GetMatchId() == r.match.id {
		r.t.Fatalf("the hook returned %v, %v", out, err)
	}
}

func (r *fixture) wake() any {
	next, _ := r.signal(arrival.WakeSignal)
	return next
}

func wantSummaries(t *testing.T, r *fixture, want ...string) {
	t.Helper()
	if got := callSummaries(r.service.TakeCalls()); !slices.Equal(got, want) {
		t.Errorf("calls %q, want %q", got, want)
	}
}

func TestArrivedMessageIsSentWithItsTime(t *testing.T) {
	r := newArrivalMatch(t)
	r.admitAndJoin("ann", "bob")
	r.advance(100)
	r.arrive("ann", "1")
	r.advance(3)
	r.arrive("bob", "2")
	r.advance(4)
	r.wake()
	calls := r.service.TakeCalls()
	if len(calls) != 1 {
		t.Fatalf("%d calls", len(calls))
	}
	req := calls[0].Req.(*pb.MatchLoopRequest)
	if req.NowMs != 107 || len(req.Inputs) != 2 || req.Inputs[0].ReceivedMs != 100 || req.Inputs[1].ReceivedMs != 103 {
		t.Errorf("call %v", req)
	}
}

func TestLeaveFollowsAllMessagesOfItsConnection(t *testing.T) {
	r := newArrivalMatch(t)
	r.admitAndJoin("ann")
	r.arrive("ann", "1")
	r.arrive("ann", "2")
	r.advance(5)
	r.leave(runtime.PresenceReasonDisconnect, "ann")
	calls := r.service.TakeCalls()
	if got := callSummaries(calls); !slices.Equal(got, []string{"MatchLoop 1 2 -ann"}) {
		t.Fatalf("calls %q", got)
	}
	if req := calls[0].Req.(*pb.MatchLoopRequest); req.Leaves[0].LeftMs != req.NowMs {
		t.Errorf("left at %d in a call of %d", req.Leaves[0].LeftMs, req.NowMs)
	}
}

func TestMessageBeforeItsJoinFollowsTheJoin(t *testing.T) {
	r := newArrivalMatch(t)
	if _, allow, _ := r.attempt("ann"); !allow {
		t.Fatal("denied")
	}
	r.service.TakeCalls()
	r.arrive("ann", "1")
	r.wake()
	wantSummaries(t, r)
	r.join("ann")
	wantSummaries(t, r, "MatchJoin ann", "MatchLoop 1")
}

func TestEveryCallbackSendsArrivedMessagesFirst(t *testing.T) {
	for method, call := range map[string]func(*fixture){
		"MatchJoinAttempt": func(r *fixture) { r.attempt("bob") },
		"MatchJoin bob":    func(r *fixture) { r.join("bob") },
		"MatchSignal":      func(r *fixture) { r.signal("x") },
		"MatchReserve":     func(r *fixture) { r.signal(reserveForAnn) },
		"MatchTerminate":   func(r *fixture) { r.terminate(10) },
	} {
		r := newArrivalMatch(t)
		r.admitAndJoin("ann")
		r.arrive("ann", "1")
		call(r)
		wantSummaries(t, r, "MatchLoop 1", method)
	}
}

func TestOutageIsRetriedByWakeUpsWithinOneTick(t *testing.T) {
	r := newArrivalMatch(t)
	r.admitAndJoin("ann")
	r.service.FailWith(codes.Unavailable, "MatchLoop")
	r.arrive("ann", "1")
	r.wake()
	wantMethods(t, r, "MatchLoop")
	r.wake()
	wantMethods(t, r) // the backoff is not over
	r.service.Reset()
	r.advance(100)
	r.wake()
	wantSummaries(t, r, "MatchLoop 1")
	if r.match.outage.Down {
		t.Error("the outage has not ended")
	}
}

func TestOutageWakesTheMatchForThePauseNotice(t *testing.T) {
	r := newArrivalMatch(t)
	r.admitAndJoin("ann")
	r.service.FailWith(codes.Unavailable, "MatchLoop")
	r.arrive("ann", "1")
	r.wake()
	woken := len(r.nakama.SentSignals())
	r.advance(10) // the minimum between a drain and a wake-up
	r.waitUntil("a wake-up", func() bool { return len(r.nakama.SentSignals()) > woken })
	r.advance(600)
	r.wake()
	wantActions(t, r, "paused to all")
}

func TestWakeTimeWakesTheMatch(t *testing.T) {
	r := newArrivalMatch(t)
	r.service.LoopReply(func(s *pb.Step) { s.WakeAtMs = proto.Int64(r.match.nowMs() + 30) })
	r.admitAndJoin("ann")
	r.arrive("ann", "1")
	r.wake()
	wantMethods(t, r, "MatchLoop")
	woken := len(r.nakama.SentSignals())
	r.advance(10) // the minimum between a drain and a wake-up
	r.waitUntil("a wake-up", func() bool { return len(r.nakama.SentSignals()) > woken })
	r.wake()
	wantMethods(t, r) // not yet the wake time on the match clock
	r.advance(20)
	r.wake()
	wantMethods(t, r, "MatchLoop")
}

func TestRefusedMessagesGetOneOverflowNotice(t *testing.T) {
	r := newArrivalMatch(t)
	r.admitAndJoin("ann", "bob")
	for range backlog.User.Inputs + 5 {
		r.arrive("ann", "x")
	}
	r.arrive("bob", "y")
	r.wake()
	wantActions(t, r, "overflow to [ann]")
	if got := r.nakama.Counter(telemetry.RefusedInputs); got != 5 {
		t.Errorf("%d refused inputs counted", got)
	}
	if got := callSummaries(r.service.TakeCalls()); len(got) != 1 || strings.Count(got[0], "x") != backlog.User.Inputs || !strings.HasSuffix(got[0], " y") {
		t.Errorf("calls %q", got)
	}
}

func TestEndedArrivalMatchStopsAtOnce(t *testing.T) {
	r := newArrivalMatch(t)
	r.admitAndJoin("ann")
	r.service.LoopReply(func(s *pb.Step) { s.End = true })
	r.arrive("ann", "1")
	if next := r.wake(); next != nil {
		t.Errorf("the state is %v", next)
	}
}

func TestMessagesAreHandledWithoutTheHook(t *testing.T) {
	r := newArrivalMatch(t)
	r.admitAndJoin("ann")
	r.arrive("ann", "1")
	r.loop(r.input("ann", "2"))
	wantSummaries(t, r, "MatchLoop 1 2")
	if !strings.Contains(r.logger.All(), "another module replaced the hook") {
		t.Error("the log does not name the cause")
	}
}

func TestIdleArrivalTickMakesNoCall(t *testing.T) {
	r := newArrivalMatch(t)
	r.admitAndJoin("ann")
	r.loops(20)
	wantMethods(t, r)
}
