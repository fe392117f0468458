package lobby

import (
	"context"
	"fmt"
	"testing"

	"github.com/heroiclabs/nakama-common/runtime"
	"google.golang.org/grpc/codes"

	"setmatch/nakama/internal/fake"
	"setmatch/nakama/internal/limits"
	"setmatch/nakama/pb"
)

// ticket is one matched ticket.
type ticket struct {
	runtime.MatchmakerEntry
	name       string
	properties map[string]any
}

func (e ticket) GetPresence() runtime.Presence { return fake.NewPresence(e.name) }
func (e ticket) GetTicket() string             { return "ticket of " + e.name }
func (e ticket) GetProperties() map[string]any { return e.properties }

// tickets returns matched tickets with options keys, as completed by the hooks.
func tickets(keys ...string) []runtime.MatchmakerEntry {
	var list []runtime.MatchmakerEntry
	for i, key := range keys {
		list = append(list, ticket{name: fmt.Sprint("p", i), properties: map[string]any{
			"game": "set", "options": `{"key":"` + key + `"}`, "set_key": key,
		}})
	}
	return list
}

func runMatched(r *fixture, entries []runtime.MatchmakerEntry) (string, error) {
	return r.lobby.matched(context.Background(), r.logger, nil, r.nakama, entries)
}

//proves:thread 11
func TestMatchedTicketsCreateMatchWithReservations(t *testing.T) {
	r := newFixture(t)
	id, err := runMatched(r, tickets("k", "k"))
	if err != nil || id != "match-0.node" {
		t.Fatalf("got %q, %v", id, err)
	}
	init := r.service.TakeCalls()[0].Req.(*pb.MatchInitRequest)
	if string(init.Options) != `{"key":"k"}` || len(init.ExpectedUsers) != 2 || init.CreatorId != "" {
		t.Errorf("created with %v", init)
	}
	if user := init.ExpectedUsers[1]; user.UserId != "user of p1" || user.Username != "name of p1" {
		t.Errorf("expects %v", user)
	}
}

func TestTicketsOfOtherGamesCreateNoMatch(t *testing.T) {
	r := newFixture(t)
	other := []runtime.MatchmakerEntry{
		ticket{name: "ann", properties: map[string]any{"game": "chess"}}, ticket{name: "bob"},
		ticket{name: "cid", properties: map[string]any{"game": 1.0}},
	}
	if id, err := runMatched(r, other); id != "" || err != nil || len(r.nakama.Notified()) > 0 {
		t.Errorf("got %q, %v, notified %v", id, err, r.nakama.Notified())
	}
	wantMethods(t, r)
}

func TestMixedTicketsGetNoMatchAndOurUsersAreNotified(t *testing.T) {
	r := newFixture(t)
	mixed := append(tickets("k"), ticket{name: "ann", properties: map[string]any{"game": "chess"}})
	if id, err := runMatched(r, mixed); id != "" || err != nil {
		t.Errorf("got %q, %v", id, err)
	}
	wantMethods(t, r)
	if len(r.nakama.Notified()) != 1 || r.nakama.Notified()[0].UserID != "user of p0" {
		t.Errorf("notified %v", r.nakama.Notified())
	}
}

func TestUsersOfFailedMatchedTicketsAreNotified(t *testing.T) {
	one := tickets("k", "k")
	one[1] = ticket{name: "p0", properties: one[1].GetProperties()}
	cases := []struct {
		name    string
		setUp   func(*fixture)
		tickets []runtime.MatchmakerEntry
		code    int
	}{
		{"outage", func(r *fixture) { r.service.FailWith(codes.Unavailable, "MatchInit") }, tickets("k", "k"), 14},
		{"different options", func(*fixture) {}, tickets("k", "other"), 3},
		{"two tickets of one user", func(*fixture) {}, one, 3},
		{"too many matches", func(r *fixture) { r.lobby.Limits = limits.New(limits.Config{}, r.clock.Now) }, tickets("k", "k"), 8},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			r := newFixture(t)
			c.setUp(r)
			id, err := runMatched(r, c.tickets)
			wantCode(t, err, c.code)
			if id != "" || len(r.nakama.Notified()) != 2 {
				t.Fatalf("got %q, %d users notified", id, len(r.nakama.Notified()))
			}
			notice := r.nakama.Notified()[0]
			if notice.UserID != "user of p0" || notice.Subject != "set_unavailable" || notice.Code < 1 ||
				notice.Content["ticket"] != "ticket of p0" || notice.Content["code"] != c.code || notice.Content["reason"] == "" {
				t.Errorf("notified %+v", notice)
			}
		})
	}
}
