package lobby

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/heroiclabs/nakama-common/rtapi"

	"setmatch/nakama/internal/limits"
)

// newLimitedLobby returns a lobby with small limits.
func newLimitedLobby(t *testing.T, config limits.Config) (*fixture, *Lobby) {
	r, l := newLobby(t)
	r.lobby.Limits = limits.New(config, r.clock.Now)
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
	if rejected.Load() != 52 || len(r.nakama.Matches()) != 8 {
		t.Errorf("%d rejected, %d created", rejected.Load(), len(r.nakama.Matches()))
	}
	if got := r.nakama.Counter("set_refused_calls" + " limit=matches_per_user"); got != 52 {
		t.Errorf("%d rejections counted", got)
	}
	_, err := l.find(asUser("ann"), r.logger, nil, r.nakama, `{"other":1}`)
	wantCode(t, err, 8)
	if found := l.mustFind(r, "bob"); found.Created {
		t.Error("another user did not find a match")
	}
	r.nakama.StopMatches()
	r.waitUntil("the matches are removed", func() bool { return len(r.lobby.Members.Matches("ann")) == 0 })
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

func TestJoinsAreLimited(t *testing.T) {
	r := newFixture(t)
	r.lobby.Limits = limits.New(limits.Config{JoinsPerMinute: 2}, r.clock.Now)
	r.lobby.AllowRelayed = true
	var err error
	for range 3 {
		_, err = r.lobby.beforeJoin(asUser("ann"), r.logger, nil, r.nakama, joinEnvelope(&rtapi.MatchJoin{}))
	}
	wantCode(t, err, 8)
	if got := r.nakama.Counter("set_refused_calls" + " limit=joins_per_user"); got != 1 {
		t.Errorf("%d rejections counted", got)
	}
}
