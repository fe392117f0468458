package setmatch

import (
	"context"
	"database/sql"
	"strings"

	"github.com/heroiclabs/nakama-common/rtapi"
	"github.com/heroiclabs/nakama-common/runtime"
	"google.golang.org/grpc/codes"

	"setmatch/nakama/internal/refusal"
)

const noRelayed = "matches without the rules service are not allowed here"

// guards check the messages of clients to Nakama. They limit joins and reject relayed matches, in which no server checks the
// players' messages. Nakama creates a relayed match when matched tickets get no match. SET_RULES_ALLOW_RELAYED=1 allows them,
// for servers with other games.
type guards struct {
	shim         *shim
	allowRelayed bool
}

// join checks the limit of joins. It rejects joins by token and joins of a match id without a node.
func (g *guards) join(
	ctx context.Context, logger runtime.Logger, _ *sql.DB, _ runtime.NakamaModule, in *rtapi.Envelope,
) (out *rtapi.Envelope, err error) {
	defer g.shim.panics.RecoverAs(logger, "guard of MatchJoin", &err)
	if !g.allowRelayed && nodeOf(in.GetMatchJoin().GetMatchId()) == "" {
		return nil, refusal.New(codes.PermissionDenied, noRelayed)
	}
	if exceeded := g.shim.limits.Join(caller(ctx)); exceeded != nil {
		return nil, g.shim.refuse(exceeded)
	}
	return in, nil
}

// create rejects the creation of a relayed match.
func (g *guards) create(
	context.Context, runtime.Logger, *sql.DB, runtime.NakamaModule, *rtapi.Envelope,
) (*rtapi.Envelope, error) {
	return nil, refusal.New(codes.PermissionDenied, noRelayed)
}

// nodeOf returns the node in a match id. It is empty for a relayed match.
func nodeOf(matchID string) string {
	_, node, _ := strings.Cut(matchID, ".")
	return node
}
