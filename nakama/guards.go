package main

import (
	"context"
	"database/sql"
	"strings"

	"github.com/heroiclabs/nakama-common/rtapi"
	"github.com/heroiclabs/nakama-common/runtime"
	"google.golang.org/grpc/codes"
)

const noRelayed = "matches without a referee are not allowed here"

// guards check what clients ask of Nakama itself. They limit joins. They refuse relayed matches, which Nakama creates from
// matchmaker tickets when no match is returned for them, and in which players could decide everything themselves;
// SET_RULES_ALLOW_RELAYED=1 allows these, for servers with other games.
type guards struct {
	shim         *shim
	allowRelayed bool
}

// join counts a join against the limits. It refuses to join by token, and matches whose id names no node.
func (g *guards) join(
	ctx context.Context, logger runtime.Logger, _ *sql.DB, _ runtime.NakamaModule, in *rtapi.Envelope,
) (out *rtapi.Envelope, err error) {
	defer g.shim.recoveredAs(logger, "guard of MatchJoin", &err)
	if !g.allowRelayed && nodeOf(in.GetMatchJoin().GetMatchId()) == "" {
		return nil, newError(codes.PermissionDenied, noRelayed)
	}
	if exceeded := g.shim.limits.Join(caller(ctx)); exceeded != nil {
		return nil, g.shim.refuse(exceeded)
	}
	return in, nil
}

// create refuses to create a relayed match.
func (g *guards) create(
	context.Context, runtime.Logger, *sql.DB, runtime.NakamaModule, *rtapi.Envelope,
) (*rtapi.Envelope, error) {
	return nil, newError(codes.PermissionDenied, noRelayed)
}

// nodeOf returns the node in a match id, empty if there is none: such a match has no referee.
func nodeOf(matchID string) string {
	_, node, _ := strings.Cut(matchID, ".")
	return node
}
