package lobby

import (
	"context"
	"testing"

	"github.com/heroiclabs/nakama-common/rtapi"

	"setmatch/nakama/internal/fake"
)

func joinEnvelope(match *rtapi.MatchJoin) *rtapi.Envelope {
	return &rtapi.Envelope{Message: &rtapi.Envelope_MatchJoin{MatchJoin: match}}
}

func TestOnlyAuthoritativeMatchesMayBeJoined(t *testing.T) {
	cases := []struct {
		name  string
		in    *rtapi.Envelope
		allow bool
	}{
		{"with a node", joinEnvelope(&rtapi.MatchJoin{Id: &rtapi.MatchJoin_MatchId{MatchId: "id.node"}}), true},
		{"with an empty node", joinEnvelope(&rtapi.MatchJoin{Id: &rtapi.MatchJoin_MatchId{MatchId: "id."}}), false},
		{"without a node", joinEnvelope(&rtapi.MatchJoin{Id: &rtapi.MatchJoin_MatchId{MatchId: "id"}}), false},
		{"by token", joinEnvelope(&rtapi.MatchJoin{Id: &rtapi.MatchJoin_Token{Token: "a.b.c"}}), false},
		{"neither", joinEnvelope(&rtapi.MatchJoin{}), false},
		{"another message", &rtapi.Envelope{}, false},
	}
	l := newFixture(t).lobby
	for _, c := range cases {
		out, err := l.beforeJoin(context.Background(), fake.NewLogger(), nil, nil, c.in)
		if c.allow && (out != c.in || err != nil) {
			t.Errorf("%s: got %v, %v", c.name, out, err)
		}
		if !c.allow {
			wantCode(t, err, 7)
		}
	}
}

func TestRelayedMatchesAreNotCreated(t *testing.T) {
	_, err := (&Lobby{}).beforeRelayed(context.Background(), fake.NewLogger(), nil, nil, &rtapi.Envelope{})
	wantCode(t, err, 7)
}
