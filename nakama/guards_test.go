package main

import (
	"context"
	"testing"

	"github.com/heroiclabs/nakama-common/rtapi"
)

func joining(match *rtapi.MatchJoin) *rtapi.Envelope {
	return &rtapi.Envelope{Message: &rtapi.Envelope_MatchJoin{MatchJoin: match}}
}

func TestOnlyMatchesWithARefereeMayBeJoined(t *testing.T) {
	cases := []struct {
		name  string
		in    *rtapi.Envelope
		allow bool
	}{
		{"with a node", joining(&rtapi.MatchJoin{Id: &rtapi.MatchJoin_MatchId{MatchId: "id.node"}}), true},
		{"with an empty node", joining(&rtapi.MatchJoin{Id: &rtapi.MatchJoin_MatchId{MatchId: "id."}}), false},
		{"without a node", joining(&rtapi.MatchJoin{Id: &rtapi.MatchJoin_MatchId{MatchId: "id"}}), false},
		{"by token", joining(&rtapi.MatchJoin{Id: &rtapi.MatchJoin_Token{Token: "a.b.c"}}), false},
		{"neither", joining(&rtapi.MatchJoin{}), false},
		{"another message", &rtapi.Envelope{}, false},
	}
	g := &guards{shim: newRig(t).shim}
	for _, c := range cases {
		out, err := g.join(context.Background(), newFakeLogger(), nil, nil, c.in)
		if c.allow && (out != c.in || err != nil) {
			t.Errorf("%s: got %v, %v", c.name, out, err)
		}
		if !c.allow {
			wantCode(t, err, 7)
		}
	}
}

func TestRelayedMatchesAreNotCreated(t *testing.T) {
	_, err := (&guards{}).create(context.Background(), newFakeLogger(), nil, nil, &rtapi.Envelope{})
	wantCode(t, err, 7)
}
