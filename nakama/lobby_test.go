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

// asUser returns the context of an RPC call of a user.
func asUser(user string) context.Context {
	return context.WithValue(context.Background(), runtime.RUNTIME_CTX_USER_ID, user) //nolint:staticcheck // Nakama's key
}

func newLobby(t *testing.T) (*fixture, *lobbyCalls) {
	t.Helper()
	r := newFixture(t)
	return r, &lobbyCalls{shim: r.shim, locks: newKeyLocks()}
}

// seats scripts the service to create matches with a number of seats and to reserve them.
func (r *fixture) seats(count int) {
	var mu sync.Mutex
	reserved := make(map[string]map[string]bool) // users by match
	open := func(match string) string {
		return fmt.Sprintf(`{"open":%d,"key":"key"}`, min(1, count-len(reserved[match])))
	}
	r.service.handle("MatchInit", func(_ context.Context, req any) (any, error) {
		mu.Lock()
		defer mu.Unlock()
		init := req.(*pb.MatchInitRequest)
		reserved[init.MatchId] = make(map[string]bool)
		for _, user := range init.ExpectedUsers {
			reserved[init.MatchId][user.UserId] = true
		}
		return r.service.initReply(open(init.MatchId)), nil
	})
	r.service.handle("MatchReserve", func(_ context.Context, req any) (any, error) {
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

func (l *lobbyCalls) mustFind(r *fixture, user string) findReply {
	r.t.Helper()
	return l.mustFindWith(r, user, "")
}

func (l *lobbyCalls) mustFindWith(r *fixture, user, options string) findReply {
	r.t.Helper()
	text, err := l.find(asUser(user), r.logger, nil, r.nakama, options)
	if err != nil {
		r.t.Fatal(err)
	}
	var found findReply
	if err := json.Unmarshal([]byte(text), &found); err != nil {
		r.t.Fatal(err)
	}
	return found
}

func wantCode(t *testing.T, err error, code int) {
	t.Helper()
	var converted *runtime.Error
	if !errors.As(err, &converted) || converted.Code != code {
		t.Errorf("got %v, want code %d", err, code)
	}
}

func TestCreateMatchReturnsMatchID(t *testing.T) {
	r, l := newLobby(t)
	text, err := l.create(asUser("ann"), r.logger, nil, r.nakama, `{"a":1}`)
	if err != nil || text != `{"matchId":"match-0.node"}` {
		t.Errorf("got %s, %v", text, err)
	}
	if got := string(r.service.takeCalls()[1].req.(*pb.MatchInitRequest).Options); got != `{"a":1}` {
		t.Errorf("created with %s", got)
	}
}

func TestInvalidPayloadsAreRejectedWithoutCall(t *testing.T) {
	r, l := newLobby(t)
	for _, payload := range []string{"[]", "1", "{", "null", `"{}"`, `{"a":"` + strings.Repeat("x", 4096) + `"}`} {
		_, createErr := l.create(asUser("ann"), r.logger, nil, r.nakama, payload)
		_, findErr := l.find(asUser("ann"), r.logger, nil, r.nakama, payload)
		wantCode(t, createErr, 3)
		wantCode(t, findErr, 3)
	}
	wantMethods(t, r)
}

func TestInvalidOptionsReturnTextOfService(t *testing.T) {
	r, l := newLobby(t)
	r.service.handle("MatchOptions", func(context.Context, any) (any, error) {
		return nil, status.Error(codes.InvalidArgument, "maxPlayers: 9 is not 1..8")
	})
	_, err := l.find(asUser("ann"), r.logger, nil, r.nakama, `{"maxPlayers":9}`)
	wantCode(t, err, 3)
	if err.Error() != "INVALID_ARGUMENT: maxPlayers: 9 is not 1..8" {
		t.Errorf("got %q", err)
	}
}

//proves:thread 15
func TestCreateMatchMapsErrorCodes(t *testing.T) {
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
			r.service.reset()
			r.service.failWith(c.code, method)
			_, err := l.create(asUser("ann"), r.logger, nil, r.nakama, "")
			wantCode(t, err, c.want)
		}
	}
}

func TestCreateMatchInOutageReturnsCode14(t *testing.T) {
	r, l := newLobby(t)
	r.service.server.Stop()
	_, err := l.create(asUser("ann"), r.logger, nil, r.nakama, "")
	wantCode(t, err, 14)
	if err.Error() != "UNAVAILABLE: rules service unavailable, try again" {
		t.Errorf("got %q", err)
	}
}

func TestFailedMatchCreateReturnsCode14(t *testing.T) {
	r, l := newLobby(t)
	r.nakama.createErr = errors.New("shutdown in progress")
	_, err := l.create(asUser("ann"), r.logger, nil, r.nakama, "")
	wantCode(t, err, 14)
}

func TestConcurrentFindCallsFillMatches(t *testing.T) {
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
					t.Errorf("%d users got match %s", count, id)
				}
			}
		})
	}
}

func TestSecondFindReturnsSameFullMatch(t *testing.T) {
	r, l := newLobby(t)
	r.seats(2)
	first := l.mustFind(r, "ann")
	l.mustFind(r, "bob")
	if second := l.mustFind(r, "ann"); !first.Created || second.Created || first.MatchID != second.MatchID {
		t.Errorf("got %v and %v", first, second)
	}
}

func TestDeniedReservationLeadsToAnotherMatch(t *testing.T) {
	r, l := newLobby(t)
	first := l.mustFind(r, "ann")
	r.service.handle("MatchReserve", func(context.Context, any) (any, error) {
		return &pb.MatchReserveResponse{Step: r.service.step(), Reason: "already watching this match"}, nil
	})
	if second := l.mustFind(r, "bob"); !second.Created || second.MatchID == first.MatchID {
		t.Errorf("got %v and %v", first, second)
	}
}

func TestFindMatchTriesLimitedNumberOfMatches(t *testing.T) {
	r, l := newLobby(t)
	r.service.handle("MatchReserve", func(context.Context, any) (any, error) {
		return &pb.MatchReserveResponse{Step: r.service.step(), Reason: "match full"}, nil
	})
	for user := range maxReserveAttempts + 5 {
		l.mustFind(r, fmt.Sprint("user ", user))
	}
	r.service.takeCalls()
	l.mustFind(r, "ann")
	tries := 0
	for _, method := range r.service.takeMethods() {
		if method == "MatchReserve" {
			tries++
		}
	}
	if tries != maxReserveAttempts {
		t.Errorf("%d matches were tried", tries)
	}
}

func TestOutageDuringReservationReturnsCode14(t *testing.T) {
	r, l := newLobby(t)
	l.mustFind(r, "ann")
	r.service.failWith(codes.Unavailable, "MatchReserve")
	_, err := l.find(asUser("bob"), r.logger, nil, r.nakama, "")
	wantCode(t, err, 14)
	if len(r.nakama.created) != 1 {
		t.Errorf("%d matches", len(r.nakama.created))
	}
}

func TestMatchWithoutKeyIsNotFound(t *testing.T) {
	r, l := newLobby(t)
	r.service.handle("MatchOptions", func(context.Context, any) (any, error) {
		return &pb.MatchOptionsResponse{Options: []byte("{}"), Seats: 2}, nil
	})
	r.service.handle("MatchInit", func(context.Context, any) (any, error) {
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

func TestServerCannotFindMatch(t *testing.T) {
	r, l := newLobby(t)
	_, err := l.find(context.Background(), r.logger, nil, r.nakama, "")
	wantCode(t, err, 7)
}

func TestStoppedMatchIsNotFound(t *testing.T) {
	r, l := newLobby(t)
	first := l.mustFind(r, "ann")
	r.nakama.stopMatches()
	r.waitUntil("the match is removed", func() bool { return len(r.shim.open.Oldest("key", 1)) == 0 })
	if second := l.mustFind(r, "bob"); second.MatchID == first.MatchID {
		t.Error("a stopped match was found")
	}
}

func TestFailedCreationIsCleanedUp(t *testing.T) {
	r, l := newLobby(t)
	r.service.failWith(codes.Unavailable, "MatchInit")
	_, err := l.find(asUser("ann"), r.logger, nil, r.nakama, "")
	wantCode(t, err, 14)
	if len(r.shim.creations.entries)+len(r.shim.members.Matches("ann"))+len(l.locks.held) > 0 {
		t.Error("data of the failed creation is left")
	}
}

func TestSignalsAreForServersOnly(t *testing.T) {
	r, l := newLobby(t)
	_, err := l.signal(asUser("ann"), r.logger, nil, r.nakama, `{"matchId":"m.node","cmd":"close"}`)
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

// newLimitedLobby returns a lobby with small limits.
func newLimitedLobby(t *testing.T, config limits.Config) (*fixture, *lobbyCalls) {
	r, l := newLobby(t)
	r.shim.limits = limits.New(config, r.clock.now)
	return r, l
}

func TestLiveMatchesPerUserAreLimited(t *testing.T) {
	r, l := newLimitedLobby(t, limits.Config{Matches: 100, MatchesPerUser: 8, CallsInFlight: 100})
	var rejected atomic.Int64
	var wait sync.WaitGroup
	for range 60 {
		wait.Go(func() {
			if _, err := l.create(asUser("ann"), r.logger, nil, r.nakama, ""); err != nil {
				wantCode(t, err, 8)
				rejected.Add(1)
			}
		})
	}
	wait.Wait()
	if rejected.Load() != 52 || len(r.nakama.created) != 8 {
		t.Errorf("%d rejected, %d created", rejected.Load(), len(r.nakama.created))
	}
	if got := r.nakama.counter(refusedCalls + " limit=matches_per_user"); got != 52 {
		t.Errorf("%d rejections counted", got)
	}
	_, err := l.find(asUser("ann"), r.logger, nil, r.nakama, `{"other":1}`)
	wantCode(t, err, 8)
	if found := l.mustFind(r, "bob"); found.Created {
		t.Error("another user did not find a match")
	}
	r.nakama.stopMatches()
	r.waitUntil("the matches are removed", func() bool { return len(r.shim.members.Matches("ann")) == 0 })
	if _, err := l.create(asUser("ann"), r.logger, nil, r.nakama, ""); err != nil {
		t.Errorf("after the matches have stopped: %v", err)
	}
}

func TestReservationsPerUserAreLimited(t *testing.T) {
	r, l := newLimitedLobby(t, limits.Config{Matches: 100, MatchesPerUser: 3, CallsInFlight: 100})
	for i := range 6 {
		l.mustFindWith(r, fmt.Sprint("creator ", i), fmt.Sprintf(`{"a":%d}`, i))
	}
	reserved := 0
	for i := range 6 {
		if _, err := l.find(asUser("ann"), r.logger, nil, r.nakama, fmt.Sprintf(`{"a":%d}`, i)); err == nil {
			reserved++
		}
	}
	if reserved != 3 {
		t.Errorf("one user got seats in %d matches", reserved)
	}
}

func TestMatchesPerNodeAreLimited(t *testing.T) {
	r, l := newLimitedLobby(t, limits.Config{Matches: 2, MatchesPerUser: 8, CallsInFlight: 100})
	for range 2 {
		if _, err := l.create(context.Background(), r.logger, nil, r.nakama, ""); err != nil {
			t.Fatal(err)
		}
	}
	_, err := l.create(context.Background(), r.logger, nil, r.nakama, "")
	wantCode(t, err, 8)
}

func TestUserAtMatchLimitCannotJoinAnother(t *testing.T) {
	r := newMatch(t)
	r.shim.limits = limits.New(limits.Config{MatchesPerUser: 1}, r.clock.now)
	r.shim.members.Join("other match", "user of ann")
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

func TestJoinsAreLimited(t *testing.T) {
	r := newFixture(t)
	r.shim.limits = limits.New(limits.Config{JoinsPerMinute: 2}, r.clock.now)
	g := &guards{shim: r.shim, allowRelayed: true}
	var err error
	for range 3 {
		_, err = g.join(asUser("ann"), r.logger, nil, r.nakama, joinEnvelope(&rtapi.MatchJoin{}))
	}
	wantCode(t, err, 8)
	if got := r.nakama.counter(refusedCalls + " limit=joins_per_user"); got != 1 {
		t.Errorf("%d rejections counted", got)
	}
}

func TestReserveSignalOfClientIsRejected(t *testing.T) {
	r, l := newLobby(t)
	_, err := l.signal(context.Background(), r.logger, nil, r.nakama, `{"matchId":"m.node","cmd":"set_reserve []"}`)
	wantCode(t, err, 3)
}

func TestCallWaitingForItsUserDelaysNoOtherUser(t *testing.T) {
	r, l := newLobby(t)
	unlock, err := l.lock(context.Background(), "user ann")
	if err != nil {
		t.Fatal(err)
	}
	defer unlock()
	ctx, cancel := context.WithCancel(asUser("ann"))
	waiting := make(chan error)
	go func() {
		_, err := l.find(ctx, r.logger, nil, r.nakama, "")
		waiting <- err
	}()
	r.waitUntil("ann waits", func() bool {
		l.locks.mu.Lock()
		defer l.locks.mu.Unlock()
		return l.locks.held["user ann"].users == 2
	})
	l.mustFind(r, "bob")
	cancel()
	wantCode(t, <-waiting, 14)
}
