package lobby

import (
	"context"
	"fmt"
	"sync"
	"testing"

	"google.golang.org/grpc/codes"

	"setmatch/nakama/pb"
)

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
			if want := (20 + seats - 1) / seats; len(r.nakama.Matches()) != want {
				t.Errorf("%d matches, want %d", len(r.nakama.Matches()), want)
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
	r.service.Handle("MatchReserve", func(context.Context, any) (any, error) {
		return &pb.MatchReserveResponse{Step: r.service.Step(), Reason: "already watching this match"}, nil
	})
	if second := l.mustFind(r, "bob"); !second.Created || second.MatchID == first.MatchID {
		t.Errorf("got %v and %v", first, second)
	}
}

func TestFindMatchTriesLimitedNumberOfMatches(t *testing.T) {
	r, l := newLobby(t)
	r.service.Handle("MatchReserve", func(context.Context, any) (any, error) {
		return &pb.MatchReserveResponse{Step: r.service.Step(), Reason: "match full"}, nil
	})
	for user := range maxReserveAttempts + 5 {
		l.mustFind(r, fmt.Sprint("user ", user))
	}
	r.service.TakeCalls()
	l.mustFind(r, "ann")
	tries := 0
	for _, method := range r.service.TakeMethods() {
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
	r.service.FailWith(codes.Unavailable, "MatchReserve")
	_, err := l.find(asUser("bob"), r.logger, nil, r.nakama, "")
	wantCode(t, err, 14)
	if len(r.nakama.Matches()) != 1 {
		t.Errorf("%d matches", len(r.nakama.Matches()))
	}
}

func TestMatchWithoutKeyIsNotFound(t *testing.T) {
	r, l := newLobby(t)
	r.service.Handle("MatchOptions", func(context.Context, any) (any, error) {
		return &pb.MatchOptionsResponse{Options: []byte("{}"), Seats: 2}, nil
	})
	r.service.Handle("MatchInit", func(context.Context, any) (any, error) {
		reply := r.service.InitReply(`{"open":1,"key":""}`)
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
	r.nakama.StopMatches()
	r.waitUntil("the match is removed", func() bool { return len(r.lobby.Open.Oldest("key", 1)) == 0 })
	if second := l.mustFind(r, "bob"); second.MatchID == first.MatchID {
		t.Error("a stopped match was found")
	}
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
