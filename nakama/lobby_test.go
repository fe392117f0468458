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

	"github.com/heroiclabs/nakama-common/runtime"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"setmatch/nakama/pb"
)

// as is the context of an RPC that a user calls.
func as(user string) context.Context {
	return context.WithValue(context.Background(), runtime.RUNTIME_CTX_USER_ID, user) //nolint:staticcheck // Nakama's key
}

func newLobby(t *testing.T) (*rig, *lobby) {
	t.Helper()
	r := newRig(t)
	return r, &lobby{shim: r.shim, locks: newKeyLocks()}
}

// seats scripts the service to make matches with some seats.
func (r *rig) seats(count int) {
	r.service.on("MatchInit", func(context.Context, any) (any, error) {
		return r.service.initReply(fmt.Sprintf(`{"open":1,"players":0,"seats":%d,"key":"key"}`, count)), nil
	})
}

func (l *lobby) mustFind(r *rig, user string) findAnswer {
	r.t.Helper()
	text, err := l.find(as(user), r.logger, nil, r.nakama, "")
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

func TestAskingTwiceGivesTheSameMatch(t *testing.T) {
	r, l := newLobby(t)
	first, second := l.mustFind(r, "ann"), l.mustFind(r, "ann")
	if !first.Created || second.Created || first.MatchID != second.MatchID {
		t.Errorf("got %v and %v", first, second)
	}
}

func TestAMatchWithoutAKeyIsOfferedToNobody(t *testing.T) {
	r, l := newLobby(t)
	r.service.on("MatchOptions", func(context.Context, any) (any, error) {
		return &pb.MatchOptionsResponse{Options: []byte("{}"), Seats: 2}, nil
	})
	r.service.on("MatchInit", func(context.Context, any) (any, error) {
		return r.service.initReply(`{"open":1,"players":0,"seats":2,"key":""}`), nil
	})
	first, second := l.mustFind(r, "ann"), l.mustFind(r, "bob")
	if !second.Created || first.MatchID == second.MatchID {
		t.Errorf("got %v and %v", first, second)
	}
}

func TestServersThatAskAreEachSomebodyElse(t *testing.T) {
	r, l := newLobby(t)
	for range 4 {
		l.mustFind(r, "")
	}
	if len(r.nakama.created) != 2 {
		t.Errorf("%d matches for 4 places", len(r.nakama.created))
	}
}

func TestAStoppedMatchIsNotFound(t *testing.T) {
	r, l := newLobby(t)
	first := l.mustFind(r, "ann")
	r.nakama.stopMatches()
	r.await("the match to be forgotten", func() bool { _, ok := r.shim.tables.take("key", "bob"); return !ok })
	if second := l.mustFind(r, "bob"); second.MatchID == first.MatchID {
		t.Error("a match that has stopped was found")
	}
}

func TestFailedCreationsLeaveNothingBehind(t *testing.T) {
	r, l := newLobby(t)
	r.service.failing(codes.Unavailable, "MatchInit")
	_, err := l.find(as("ann"), r.logger, nil, r.nakama, "")
	wantCode(t, err, 14)
	if len(r.shim.creations.slots)+len(r.shim.tables.tables)+len(l.locks.held) > 0 {
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

func TestOneUserHoldsPlacesAtSoManyTablesOnly(t *testing.T) {
	r, l := newLobby(t)
	var refused atomic.Int64
	var wait sync.WaitGroup
	for range maxPromised + 3 {
		wait.Go(func() {
			if _, err := l.create(as("ann"), r.logger, nil, r.nakama, ""); err != nil {
				wantCode(t, err, 8)
				refused.Add(1)
			}
		})
	}
	wait.Wait()
	if refused.Load() != 3 || len(r.nakama.created) != maxPromised {
		t.Errorf("%d refused, %d made", refused.Load(), len(r.nakama.created))
	}
	_, err := l.find(as("ann"), r.logger, nil, r.nakama, `{"other":1}`)
	wantCode(t, err, 8)
	if found := l.mustFind(r, "bob"); found.Created {
		t.Error("another user does not find what was made")
	}
	r.pass(r.shim.limits.promise.Milliseconds())
	if _, err := l.create(as("ann"), r.logger, nil, r.nakama, ""); err != nil {
		t.Errorf("after the promises have lapsed: %v", err)
	}
}

func TestServersMakeAsManyMatchesAsTheyLike(t *testing.T) {
	r, l := newLobby(t)
	for range maxPromised + 1 {
		if _, err := l.create(context.Background(), r.logger, nil, r.nakama, ""); err != nil {
			t.Fatal(err)
		}
	}
}

func TestWhoWaitsForTheirOwnTurnHoldsNobodyUp(t *testing.T) {
	r, l := newLobby(t)
	unlock, err := l.turn(context.Background(), "user ann")
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
