package main

import (
	"context"
	"fmt"
	"testing"

	"github.com/heroiclabs/nakama-common/runtime"
	"google.golang.org/grpc/codes"

	"setmatch/nakama/pb"
)

// ticket is one matched ticket.
type ticket struct {
	runtime.MatchmakerEntry
	name       string
	properties map[string]any
}

func (e ticket) GetPresence() runtime.Presence { return presence(e.name) }
func (e ticket) GetTicket() string             { return "ticket of " + e.name }
func (e ticket) GetProperties() map[string]any { return e.properties }

func tickets(options ...string) []runtime.MatchmakerEntry {
	var list []runtime.MatchmakerEntry
	for i, one := range options {
		properties := map[string]any{"game": "set"}
		if one != "" {
			properties["options"] = one
		}
		list = append(list, ticket{name: fmt.Sprint("p", i), properties: properties})
	}
	return list
}

func matched(r *rig, entries []runtime.MatchmakerEntry) (string, error) {
	k := &matchmaker{shim: r.shim}
	return k.matched(context.Background(), r.logger, nil, r.nakama, entries)
}

//proves:thread 11
func TestMatchedTicketsBecomeAMatchThatExpectsTheirUsers(t *testing.T) {
	r := newRig(t)
	id, err := matched(r, tickets(`{"a":1}`, `{"a":1}`))
	if err != nil || id != "match-0.node" {
		t.Fatalf("got %q, %v", id, err)
	}
	calls := r.service.take()
	init := calls[len(calls)-1].req.(*pb.MatchInitRequest)
	if string(init.Options) != `{"a":1}` || len(init.ExpectedUsers) != 2 {
		t.Errorf("created with %v", init)
	}
	if who := init.ExpectedUsers[1]; who.UserId != "user of p1" || who.Username != "name of p1" {
		t.Errorf("expects %v", who)
	}
	if _, ok := r.shim.tables.take("key", "somebody else"); ok {
		t.Error("an expected user's place was given away")
	}
}

func TestTicketsOfOtherGamesAreLeftAlone(t *testing.T) {
	r := newRig(t)
	other := []runtime.MatchmakerEntry{
		ticket{name: "ann", properties: map[string]any{"game": "chess"}}, ticket{name: "bob"},
		ticket{name: "cid", properties: map[string]any{"game": 1.0}},
	}
	if id, err := matched(r, other); id != "" || err != nil {
		t.Errorf("got %q, %v", id, err)
	}
	wantMethods(t, r)
}

func TestOptionsOfTickets(t *testing.T) {
	cases := []struct {
		name    string
		options []string
		want    string
	}{
		{"none", []string{"", ""}, ""},
		{"one has some", []string{"", `{"a":1}`}, `{"a":1}`},
		{"written differently but equal", []string{`{"a":1}`, `{ "a": 1}`}, `{ "a": 1}`},
	}
	r := newRig(t)
	r.service.on("MatchOptions", func(context.Context, any) (any, error) {
		return &pb.MatchOptionsResponse{Key: "k", Seats: 2}, nil
	})
	for _, c := range cases {
		got, err := (&matchmaker{shim: r.shim}).sharedOptions(context.Background(), tickets(c.options...))
		if err != nil || got != c.want {
			t.Errorf("%s: got %q, %v", c.name, got, err)
		}
	}
}

func TestUsersAreToldWhenTheirTicketsGetNoMatch(t *testing.T) {
	cases := []struct {
		name    string
		spoil   func(*rig)
		options []string
		code    int
	}{
		{"service away", func(r *rig) { r.service.failing(codes.Unavailable, "MatchInit") }, []string{"", ""}, 14},
		{"options refused", func(r *rig) { r.service.failing(codes.InvalidArgument, "MatchOptions") }, []string{"{}", ""}, 3},
		{"different options", func(*rig) {}, []string{`{"a":1}`, `{"a":2}`}, 3},
		{"options no object", func(*rig) {}, []string{"[]", ""}, 3},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			r := newRig(t)
			c.spoil(r)
			id, err := matched(r, tickets(c.options...))
			wantCode(t, err, c.code)
			if id != "" || len(r.nakama.notified) != 2 {
				t.Fatalf("got %q, %d users told", id, len(r.nakama.notified))
			}
			told := r.nakama.notified[1]
			if told.UserID != "user of p1" || told.Subject != "set_unavailable" || told.Code < 1 ||
				told.Content["ticket"] != "ticket of p1" || told.Content["code"] != c.code || told.Content["reason"] == "" {
				t.Errorf("told %+v", told)
			}
		})
	}
}
