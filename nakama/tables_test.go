package main

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/heroiclabs/nakama-common/runtime"

	"setmatch/nakama/pb"
)

func newTables() (*openTables, *fakeClock) {
	clock := &fakeClock{at: clockStart}
	return newOpenTables(clock.now, 15*time.Second), clock
}

func tableWith(open, players, seats int) string {
	return fmt.Sprintf(`{"key":"k","open":%d,"players":%d,"seats":%d}`, open, players, seats)
}

func wantTable(t *testing.T, tables *openTables, user, want string) {
	t.Helper()
	if got, _ := tables.take("k", user); got != want {
		t.Errorf("%s gets %q, want %q", user, got, want)
	}
}

func TestOnlyOpenTablesOfTheSameKeyAreFound(t *testing.T) {
	cases := []struct{ name, label string }{
		{"closed", tableWith(0, 0, 2)}, {"full", tableWith(1, 2, 2)},
		{"other key", `{"key":"other","open":1,"players":0,"seats":2}`},
		{"no seats", `{"key":"k","open":1}`}, {"not readable", `{"key":1}`},
	}
	for _, c := range cases {
		tables, _ := newTables()
		tables.add("m", c.label, nil)
		if id, ok := tables.take("k", "ann"); ok {
			t.Errorf("%s: found %q", c.name, id)
		}
	}
}

func TestTheOldestTableIsFilledFirst(t *testing.T) {
	tables, _ := newTables()
	for i := range 9 {
		tables.add(fmt.Sprint("m", i), tableWith(1, 0, 1), nil)
	}
	for i := range 9 {
		wantTable(t, tables, fmt.Sprint("user ", i), fmt.Sprint("m", i))
	}
}

func TestAPromisedPlaceIsFreeAgainAfterFifteenSeconds(t *testing.T) {
	tables, clock := newTables()
	tables.add("m", tableWith(1, 0, 1), nil)
	wantTable(t, tables, "ann", "m")
	clock.pass(15*time.Second - time.Millisecond)
	wantTable(t, tables, "bob", "")
	clock.pass(time.Millisecond)
	wantTable(t, tables, "bob", "m")
}

func TestThePlacesOfExpectedUsersAreKeptForAMinute(t *testing.T) {
	tables, clock := newTables()
	tables.add("m", tableWith(1, 0, 3), []string{"ann", "bob"})
	tables.expect("m", []expectedUser{{UserID: "ann"}, {UserID: "bob"}})
	wantTable(t, tables, "ann", "m")
	clock.pass(time.Minute - time.Millisecond)
	wantTable(t, tables, "cat", "m")
	wantTable(t, tables, "dan", "")
	clock.pass(time.Millisecond)
	wantTable(t, tables, "dan", "m")
}

func TestNobodyIsExpectedAtATableThatIsGone(t *testing.T) {
	tables, _ := newTables()
	tables.expect("m", []expectedUser{{UserID: "ann"}})
	wantTable(t, tables, "ann", "")
}

func TestAPlaceIsCountedOnceFromPromiseToSeat(t *testing.T) {
	tables, _ := newTables()
	tables.add("m", tableWith(1, 0, 2), []string{"ann"})
	tables.update("m", tableWith(1, 0, 2), seating{admitted: []string{"ann"}})
	tables.update("m", tableWith(1, 1, 2), seating{joined: []string{"ann"}})
	wantTable(t, tables, "bob", "m")
	wantTable(t, tables, "cid", "")
}

func TestSomebodyWhoCameByIDTakesAPlaceFromTheAttemptOn(t *testing.T) {
	tables, _ := newTables()
	tables.add("m", tableWith(1, 0, 1), nil)
	tables.update("m", tableWith(1, 0, 1), seating{admitted: []string{"ann"}})
	wantTable(t, tables, "bob", "")
}

func TestWhoWasLetInGetsTheSameMatchAlthoughItIsFull(t *testing.T) {
	tables, _ := newTables()
	tables.add("m", tableWith(1, 0, 1), nil)
	tables.update("m", tableWith(0, 0, 1), seating{admitted: []string{"ann"}})
	wantTable(t, tables, "ann", "m")
	wantTable(t, tables, "ann", "m")
}

func TestWhoSitsGetsTheSameMatchWhileItIsOpen(t *testing.T) {
	tables, _ := newTables()
	tables.add("m", tableWith(1, 1, 2), nil)
	tables.update("m", tableWith(1, 1, 2), seating{joined: []string{"ann"}})
	wantTable(t, tables, "ann", "m")
	wantTable(t, tables, "bob", "m")
	tables.update("m", tableWith(0, 2, 2), seating{})
	wantTable(t, tables, "ann", "")
}

func TestAPromiseIsWorthlessOnceTheTableIsClosed(t *testing.T) {
	tables, _ := newTables()
	tables.add("m", tableWith(1, 0, 2), []string{"ann"})
	tables.update("m", tableWith(0, 2, 2), seating{})
	wantTable(t, tables, "ann", "")
}

func TestWhoLeftGivesThePlaceBack(t *testing.T) {
	tables, _ := newTables()
	tables.add("m", tableWith(1, 0, 1), []string{"ann"})
	tables.left("m", "ann")
	wantTable(t, tables, "bob", "m")
}

func TestARemovedTableStaysAway(t *testing.T) {
	tables, _ := newTables()
	tables.add("m", tableWith(1, 0, 1), nil)
	tables.remove("m")
	tables.update("m", tableWith(1, 0, 1), seating{})
	wantTable(t, tables, "ann", "")
}

func TestAMatchTellsItsTables(t *testing.T) {
	r, l := newLobby(t)
	r.seats(1)
	first := l.mustFind(r, "user of ann")
	r.match, r.ctx = r.nakama.created[0], r.nakama.created[0].ctx
	r.attempt("ann")
	r.join("ann")
	if second := l.mustFind(r, "user of ann"); second != (findAnswer{MatchID: first.MatchID}) {
		t.Errorf("the seated user was sent to %v", second)
	}
	r.leave(3, "ann")
	r.attempt("eve")
	r.leave(0, "eve")
	if third := l.mustFind(r, "user of bob"); third.MatchID != first.MatchID {
		t.Errorf("after all who came had left, the next was sent to %v", third)
	}
}

// secondSession is another connection of the same user.
type secondSession struct{ *fakePresence }

func (s secondSession) GetSessionId() string { return s.name + " again" }

func TestWhoStaysOnAnotherConnectionStillSits(t *testing.T) {
	r, l := newLobby(t)
	r.seats(2)
	first := l.mustFind(r, "user of ann")
	r.match, r.ctx = r.nakama.created[0], r.nakama.created[0].ctx
	seated := `{"open":1,"players":1,"seats":2,"key":"key"}`
	r.service.on("MatchJoin", func(context.Context, any) (any, error) {
		return &pb.MatchJoinResponse{Step: &pb.Step{State: []byte("s"), Label: &seated}}, nil
	})
	r.join("ann")
	again := []runtime.Presence{secondSession{presence("ann")}}
	r.adapter.MatchJoin(r.ctx, r.logger, nil, r.nakama, r.out, r.tick, r.match, again)
	r.leave(runtime.PresenceReasonDisconnect, "ann")
	if found := l.mustFind(r, "user of ann"); found.MatchID != first.MatchID {
		t.Errorf("the seated user was sent to %v", found)
	}
	if found := l.mustFind(r, "user of bob"); found.MatchID != first.MatchID {
		t.Error("the seated user takes two places")
	}
}
