package lobby

import (
	"context"
	"testing"

	"github.com/heroiclabs/nakama-common/rtapi"
	"google.golang.org/grpc/codes"

	"setmatch/nakama/internal/limits"
	"setmatch/nakama/pb"
)

const annID = "0b7e6c5d-0000-4000-8000-00000000000a"

func ticketFor(query string, maxCount int32, properties map[string]string) *rtapi.Envelope {
	add := &rtapi.MatchmakerAdd{MinCount: 2, MaxCount: maxCount, Query: query, StringProperties: properties}
	return &rtapi.Envelope{Message: &rtapi.Envelope_MatchmakerAdd{MatchmakerAdd: add}}
}

func newTicketFixture(t *testing.T) *fixture {
	t.Helper()
	r := newFixture(t)
	r.service.Handle("MatchOptions", func(context.Context, any) (any, error) {
		return &pb.MatchOptionsResponse{Options: []byte(`{"complete":1}`), Key: "k1", Seats: 2}, nil
	})
	return r
}

func TestTicketIsCompleted(t *testing.T) {
	for query, more := range map[string]string{"": "", "*": "", " +properties.rank:>5 ": " +properties.rank:>5"} {
		r := newTicketFixture(t)
		in := ticketFor(query, 2, map[string]string{"game": "set", "set_key": "forged", "set_user": "forged"})
		out, err := r.lobby.beforeTicket(asUser(annID), r.logger, nil, r.nakama, in)
		if err != nil {
			t.Fatal(err)
		}
		ticket := out.GetMatchmakerAdd()
		want := "+properties.game:set +properties.set_key:k1 -properties.set_user:0b7e6c5d00004000800000000000000a" + more
		if ticket.Query != want {
			t.Errorf("query %q, want %q", ticket.Query, want)
		}
		p := ticket.StringProperties
		if p["options"] != `{"complete":1}` || p["set_key"] != "k1" || p["set_user"] != "0b7e6c5d00004000800000000000000a" {
			t.Errorf("properties %v", p)
		}
	}
}

func TestPartyTicketIsCompleted(t *testing.T) {
	r := newTicketFixture(t)
	add := &rtapi.PartyMatchmakerAdd{MaxCount: 2, Query: "*", StringProperties: map[string]string{"game": "set"}}
	in := &rtapi.Envelope{Message: &rtapi.Envelope_PartyMatchmakerAdd{PartyMatchmakerAdd: add}}
	out, err := r.lobby.beforePartyTicket(asUser(annID), r.logger, nil, r.nakama, in)
	if err != nil || out.GetPartyMatchmakerAdd().StringProperties["set_key"] != "k1" {
		t.Errorf("got %v, %v", out, err)
	}
}

func TestTicketOfOtherGameIsUnchanged(t *testing.T) {
	r := newTicketFixture(t)
	out, err := r.lobby.beforeTicket(asUser(annID), r.logger, nil, r.nakama, ticketFor("*", 8, nil))
	if err != nil || out.GetMatchmakerAdd().Query != "*" {
		t.Errorf("got %v, %v", out, err)
	}
	wantMethods(t, r)
}

func TestInvalidTicketIsRejected(t *testing.T) {
	setTickets := map[string]string{"game": "set", "options": `{"maxPlayers":99}`}
	cases := map[string]struct {
		setUp    func(*fixture)
		maxCount int32
		code     int
	}{
		"bad options":           {func(r *fixture) { r.service.FailWith(codes.InvalidArgument, "MatchOptions") }, 2, 3},
		"outage":                {func(r *fixture) { r.service.FailWith(codes.Unavailable, "MatchOptions") }, 2, 14},
		"more users than seats": {func(*fixture) {}, 3, 3},
		"options without a key": {func(r *fixture) {
			r.service.Handle("MatchOptions", func(context.Context, any) (any, error) {
				return &pb.MatchOptionsResponse{Options: []byte("{}"), Seats: 2}, nil
			})
		}, 2, 3},
		"too many calls": {func(r *fixture) { r.lobby.Limits = limits.New(limits.Config{}, r.clock.Now) }, 2, 8},
		"too many matches": {func(r *fixture) {
			r.lobby.Limits = limits.New(limits.Config{MatchesPerUser: 1, CallsInFlight: 1}, r.clock.Now)
			r.lobby.Members.Add("match", annID)
		}, 2, 8},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			r := newTicketFixture(t)
			c.setUp(r)
			_, err := r.lobby.beforeTicket(asUser(annID), r.logger, nil, r.nakama, ticketFor("*", c.maxCount, setTickets))
			wantCode(t, err, c.code)
		})
	}
}
