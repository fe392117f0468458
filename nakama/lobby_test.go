package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/heroiclabs/nakama-common/rtapi"
	"github.com/heroiclabs/nakama-common/runtime"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"

	"setmatch/nakama/internal/limits"
	"setmatch/nakama/pb"
)

// as is the context of an RPC that a user calls.
func as(user string) context.Context {
	return context.WithValue(context.Background(), runtime.RUNTIME_CTX_USER_ID, user) //nolint:staticcheck // Nakama's key
}

func newLobby(t *testing.T) (*rig, *lobbyCalls) {
	t.Helper()
	r := newRig(t)
	return r, &lobbyCalls{shim: r.shim, locks: newKeyLocks()}
}

// seats scripts the service to create matches with some seats, and to reserve them.
func (r *rig) seats(count int) {
	var mu sync.Mutex
	reserved := make(map[string]map[string]bool) // users by match
	open := func(match string) string {
		return fmt.Sprintf(`{"open":%d,"key":"key"}`, min(1, count-len(reserved[match])))
	}
	r.service.on("MatchInit", func(_ context.Context, req any) (any, error) {
		mu.Lock()
		defer mu.Unlock()
		init := req.(*pb.MatchInitRequest)
		reserved[init.MatchId] = make(map[string]bool)
		for _, user := range init.ExpectedUsers {
			reserved[init.MatchId][user.UserId] = true
		}
		return r.service.initReply(open(init.MatchId)), nil
	})
	r.service.on("MatchReserve", func(_ context.Context, req any) (any, error) {
		mu.Lock()
		defer mu.Unlock()
		match, user := req.(*pb.MatchReserveRequest).MatchId, req.(*pb.MatchReserveRequest).Users[0].UserId
		reply := &pb.MatchReserveResponse{Step: r.service.step(), Granted: true}
		switch {
		case reserved[match][user]:
		case len(reserved[match]) < count:
			reserved[match][user] = true
		default:
			reply.Granted, reply.Reason = false, "match full"
		}
		reply.Step.Label = proto.String(open(match))
		return reply, nil
	})
}

func (l *lobbyCalls) mustFind(r *rig, user string) findAnswer {
	r.t.Helper()
	return l.mustFindWith(r, user, "")
}

func (l *lobbyCalls) mustFindWith(r *rig, user, options string) findAnswer {
	r.t.Helper()
	text, err := l.find(as(user), r.logger, nil, r.nakama, options)
	if err != nil {
		r.t.Fatal(err)
	}
	var found findAnswer
	if err := json.Unmarshal([]byte(text), &found); err != nil {
		r.t.Fatal(err)
	}
	return found
}

func wantCode(t *testing.T, err error, code int) {
	t.Helper()
	var told *runtime.Error
	if !errors.As(err, &told) || told.Code != code {
		t.Errorf("got %v, want code %d", err, code)
	}
}

func TestCreateMatchAnswersItsID(t *testing.T) {
	r, l := newLobby(t)
	text, err := l.create(as("ann"), r.logger, nil, r.nakama, `{"a":1}`)
	if err != nil || text != `{"matchId":"match-0.node"}` {
		t.Errorf("got %s, %v", text, err)
	}
	if got := string(r.service.take()[1].req.(*pb.MatchInitRequest).Options); got != `{"a":1}` {
		t.Errorf("created with %s", got)
	}
}

func TestBadPayloadsAreRefusedWithoutACall(t *testing.T) {
	r, l := newLobby(t)
	for _, payload := range []string{"[]", "1", "{", "null", `"{}"`, `{"a":"` + strings.Repeat("x", 4096) + `"}`} {
		_, createErr := l.create(as("ann"), r.logger, nil, r.nakama, payload)
		_, findErr := l.find(as("ann"), r.logger, nil, r.nakama, payload)
		wantCode(t, createErr, 3)
		wantCode(t, findErr, 3)
	}
	wantMethods(t, r)
}

func TestBadOptionsAreToldInTheServicesWords(t *testing.T) {
	r, l := newLobby(t)
	r.service.on("MatchOptions", func(context.Context, any) (any, error) {
		return nil, status.Error(codes.InvalidArgument, "maxPlayers: 9 is not 1..8")
	})
	_, err := l.find(as("ann"), r.logger, nil, r.nakama, `{"maxPlayers":9}`)
	wantCode(t, err, 3)
	if err.Error() != "INVALID_ARGUMENT: maxPlayers: 9 is not 1..8" {
		t.Errorf("got %q", err)
	}
}

//proves:thread 15
func TestCodesWhileCreating(t *testing.T) {
	cases := []struct {
		code codes.Code
		want int
	}{
		{codes.Unavailable, 14}, {codes.DeadlineExceeded, 14}, {codes.FailedPrecondition, 14},
		{codes.Unauthenticated, 14}, {codes.Internal, 13}, {codes.InvalidArgument, 3},
	}
	r, l := newLobby(t)
	for _, c := range cases {
		for _, method := range []string{"MatchOptions", "MatchInit"} {
			r.service.well()
			r.service.failing(c.code, method)
			_, err := l.create(as("ann"), r.logger, nil, r.nakama, "")
			wantCode(t, err, c.want)
		}
	}
}

func TestServiceGoneAnswers14(t *testing.T) {
	r, l := newLobby(t)
	r.service.server.Stop()
	_, err := l.create(as("ann"), r.logger, nil, r.nakama, "")
	wantCode(t, err, 14)
	if err.Error() != "UNAVAILABLE: rules service unavailable, try again" {
		t.Errorf("got %q", err)
	}
}

func TestNakamaRefusingToCreateAnswers14(t *testing.T) {
	r, l := newLobby(t)
	r.nakama.createErr = errors.New("shutdown in progress")
	_, err := l.create(as("ann"), r.logger, nil, r.nakama, "")
	wantCode(t, err, 14)
}

func TestManyAtOnceMakeNoMoreMatchesThanTheyFill(t *testing.T) {
	for _, seats := range []int{1, 2, 3, 8, 20} {
		t.Run(fmt.Sprint(seats), func(t *testing.T) {
			r, l := newLobby(t)
			r.seats(seats)
			var mu sync.Mutex
			var wait sync.WaitGroup
			users := make(map[string]int)
			for i := range 20 {
				wait.Go(func() {
					found := l.mustFind(r, fmt.Sprint("user ", i))
					mu.Lock()
					defer mu.Unlock()
					users[found.MatchID]++
				})
			}
			wait.Wait()
			if want := (20 + seats - 1) / seats; len(r.nakama.created) != want {
				t.Errorf("%d matches, want %d", len(r.nakama.created), want)
			}
			for id, count := range users {
				if count > seats {
					t.Errorf("%d users were sent to %s", count, id)
				}
			}
		})
	}
}

func TestASecondCallGivesTheSameMatchAlthoughItIsFull(t *testing.T) {
	r, l := newLobby(t)
	r.seats(2)
	first := l.mustFind(r, "ann")
	l.mustFind(r, "bob")
	if second := l.mustFind(r, "ann"); !first.Created || second.Created || first.MatchID != second.MatchID {
		t.Errorf("got %v and %v", first, second)
	}
}

func TestARefusedReservationLeadsToAnotherMatch(t *testing.T) {
	r, l := newLobby(t)
	first := l.mustFind(r, "ann")
	r.service.on("MatchReserve", func(context.Context, any) (any, error) {
		return &pb.MatchReserveResponse{Step: r.service.step(), Reason: "already watching this match"}, nil
	})
	if second := l.mustFind(r, "bob"); !second.Created || second.MatchID == first.MatchID {
		t.Errorf("got %v and %v", first, second)
	}
}

func TestAFewOpenMatchesAreTriedOnly(t *testing.T) {
	r, l := newLobby(t)
	r.service.on("MatchReserve", func(context.Context, any) (any, error) {
		return &pb.MatchReserveResponse{Step: r.service.step(), Reason: "match full"}, nil
	})
	for user := range maxTries + 5 {
		l.mustFind(r, fmt.Sprint("user ", user))
	}
	r.service.take()
	l.mustFind(r, "ann")
	tries := 0
	for _, method := range r.service.methods() {
		if method == "MatchReserve" {
			tries++
		}
	}
	if tries != maxTries {
		t.Errorf("%d matches were tried", tries)
	}
}

func TestAnOutageDuringAReservationAnswers14(t *testing.T) {
	r, l := newLobby(t)
	l.mustFind(r, "ann")
	r.service.failing(codes.Unavailable, "MatchReserve")
	_, err := l.find(as("bob"), r.logger, nil, r.nakama, "")
	wantCode(t, err, 14)
	if len(r.nakama.created) != 1 {
		t.Errorf("%d matches", len(r.nakama.created))
	}
}

func TestAMatchWithoutAKeyIsOfferedToNobody(t *testing.T) {
	r, l := newLobby(t)
	r.service.on("MatchOptions", func(context.Context, any) (any, error) {
		return &pb.MatchOptionsResponse{Options: []byte("{}"), Seats: 2}, nil
	})
	r.service.on("MatchInit", func(context.Context, any) (any, error) {
		reply := r.service.initReply(`{"open":1,"key":""}`)
		reply.Invitation = "secret"
		return reply, nil
	})
	first, second := l.mustFind(r, "ann"), l.mustFind(r, "bob")
	if !second.Created || first.MatchID == second.MatchID {
		t.Errorf("got %v and %v", first, second)
	}
	if first.Invitation != "secret" {
		t.Errorf("invitation %q", first.Invitation)
	}
}

func TestServersFindNoMatches(t *testing.T) {
	r, l := newLobby(t)
	_, err := l.find(context.Background(), r.logger, nil, r.nakama, "")
	wantCode(t, err, 7)
}

func TestAStoppedMatchIsNotFound(t *testing.T) {
	r, l := newLobby(t)
	first := l.mustFind(r, "ann")
	r.nakama.stopMatches()
	r.await("the match to be forgotten", func() bool { return len(r.shim.open.Oldest("key", 1)) == 0 })
	if second := l.mustFind(r, "bob"); second.MatchID == first.MatchID {
		t.Error("a match that has stopped was found")
	}
}

func TestFailedCreationsLeaveNothingBehind(t *testing.T) {
	r, l := newLobby(t)
	r.service.failing(codes.Unavailable, "MatchInit")
	_, err := l.find(as("ann"), r.logger, nil, r.nakama, "")
	wantCode(t, err, 14)
	if len(r.shim.creations.slots)+len(r.shim.members.Matches("ann"))+len(l.locks.held) > 0 {
		t.Error("something is left")
	}
}

func TestSignalsAreForServersOnly(t *testing.T) {
	r, l := newLobby(t)
	_, err := l.signal(as("ann"), r.logger, nil, r.nakama, `{"matchId":"m.node","cmd":"close"}`)
	wantCode(t, err, 7)
	if len(r.nakama.signals) > 0 {
		t.Error("the signal reached the match")
	}
	text, err := l.signal(context.Background(), r.logger, nil, r.nakama, `{"matchId":"m.node","cmd":"close"}`)
	if err != nil || text != `{"ok":true}` || r.nakama.signals[0] != "m.node close" {
		t.Errorf("got %s, %v, signals %q", text, err, r.nakama.signals)
	}
}

func TestSignalErrors(t *testing.T) {
	r, l := newLobby(t)
	for _, payload := range []string{"", "{}", `{"matchId":"m.node"}`, `{"cmd":"x"}`, `{"matchId":1,"cmd":"x"}`, "[]"} {
		_, err := l.signal(context.Background(), r.logger, nil, r.nakama, payload)
		wantCode(t, err, 3)
	}
	cases := map[error]int{runtime.ErrMatchNotFound: 5, runtime.ErrMatchIdInvalid: 3, runtime.ErrMatchBusy: 14}
	for cause, want := range cases {
		r.nakama.signalErr = cause
		_, err := l.signal(context.Background(), r.logger, nil, r.nakama, `{"matchId":"m.node","cmd":"x"}`)
		wantCode(t, err, want)
	}
}

// limited makes a lobby with small limits.
func limited(t *testing.T, config limits.Config) (*rig, *lobbyCalls) {
	r, l := newLobby(t)
	r.shim.limits = limits.New(config, r.clock.now)
	return r, l
}

func TestOneUserCreatesALimitedNumberOfLiveMatches(t *testing.T) {
	r, l := limited(t, limits.Config{Matches: 100, MatchesPerUser: 8, CallsInFlight: 100})
	var refused atomic.Int64
	var wait sync.WaitGroup
	for range 60 {
		wait.Go(func() {
			if _, err := l.create(as("ann"), r.logger, nil, r.nakama, ""); err != nil {
				wantCode(t, err, 8)
				refused.Add(1)
			}
		})
	}
	wait.Wait()
	if refused.Load() != 52 || len(r.nakama.created) != 8 {
		t.Errorf("%d refused, %d created", refused.Load(), len(r.nakama.created))
	}
	if got := r.nakama.counter(refusedCalls + " limit=matches_per_user"); got != 52 {
		t.Errorf("%d refusals counted", got)
	}
	_, err := l.find(as("ann"), r.logger, nil, r.nakama, `{"other":1}`)
	wantCode(t, err, 8)
	if found := l.mustFind(r, "bob"); found.Created {
		t.Error("another user does not find the matches")
	}
	r.nakama.stopMatches()
	r.await("the matches to be forgotten", func() bool { return len(r.shim.members.Matches("ann")) == 0 })
	if _, err := l.create(as("ann"), r.logger, nil, r.nakama, ""); err != nil {
		t.Errorf("after the matches have stopped: %v", err)
	}
}

func TestOneUserReservesSeatsInALimitedNumberOfMatches(t *testing.T) {
	r, l := limited(t, limits.Config{Matches: 100, MatchesPerUser: 3, CallsInFlight: 100})
	for i := range 6 {
		l.mustFindWith(r, fmt.Sprint("maker ", i), fmt.Sprintf(`{"a":%d}`, i))
	}
	taken := 0
	for i := range 6 {
		if _, err := l.find(as("ann"), r.logger, nil, r.nakama, fmt.Sprintf(`{"a":%d}`, i)); err == nil {
			taken++
		}
	}
	if taken != 3 {
		t.Errorf("one user got seats in %d matches", taken)
	}
}

func TestTheNodeHasALimitedNumberOfMatches(t *testing.T) {
	r, l := limited(t, limits.Config{Matches: 2, MatchesPerUser: 8, CallsInFlight: 100})
	for range 2 {
		if _, err := l.create(context.Background(), r.logger, nil, r.nakama, ""); err != nil {
			t.Fatal(err)
		}
	}
	_, err := l.create(context.Background(), r.logger, nil, r.nakama, "")
	wantCode(t, err, 8)
}

func TestAUserInTooManyMatchesJoinsNoOther(t *testing.T) {
	r := newMatch(t)
	r.shim.limits = limits.New(limits.Config{MatchesPerUser: 1}, r.clock.now)
	r.shim.members.Join("other match", "user of ann")
	if _, allow, reason := r.attempt("ann"); allow || reason != "you are in 1 matches, the most allowed at the same time" {
		t.Errorf("allowed %t, %q", allow, reason)
	}
	wantMethods(t, r)
	if _, allow, _ := r.attempt("bob"); !allow {
		t.Error("another user was refused")
	}
	r.join("bob")
	if _, allow, _ := r.attempt("bob"); !allow {
		t.Error("a user was refused a second connection to the same match")
	}
}

func TestJoinsAreLimited(t *testing.T) {
	r := newRig(t)
	r.shim.limits = limits.New(limits.Config{JoinsPerMinute: 2}, r.clock.now)
	g := &guards{shim: r.shim, allowRelayed: true}
	var err error
	for range 3 {
		_, err = g.join(as("ann"), r.logger, nil, r.nakama, joining(&rtapi.MatchJoin{}))
	}
	wantCode(t, err, 8)
	if got := r.nakama.counter(refusedCalls + " limit=joins_per_user"); got != 1 {
		t.Errorf("%d refusals counted", got)
	}
}

func TestTheSignalOfThePluginIsNotForwarded(t *testing.T) {
	r, l := newLobby(t)
	_, err := l.signal(context.Background(), r.logger, nil, r.nakama, `{"matchId":"m.node","cmd":"set_reserve []"}`)
	wantCode(t, err, 3)
}

func TestACallThatWaitsForItsUserDelaysNoOther(t *testing.T) {
	r, l := newLobby(t)
	unlock, err := l.lock(context.Background(), "user ann")
	if err != nil {
		t.Fatal(err)
	}
	defer unlock()
	ctx, cancel := context.WithCancel(as("ann"))
	waiting := make(chan error)
	go func() {
		_, err := l.find(ctx, r.logger, nil, r.nakama, "")
		waiting <- err
	}()
	r.await("ann to wait", func() bool {
		l.locks.mu.Lock()
		defer l.locks.mu.Unlock()
		return l.locks.held["user ann"].users == 2
	})
	l.mustFind(r, "bob")
	cancel()
	wantCode(t, <-waiting, 14)
}
