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

// guards refuse relayed matches: Nakama makes them from matchmaker tickets when the rules service is away, and players
// could decide in them what they like. SET_RULES_ALLOW_RELAYED=1 allows them, for servers that have other games.
type guards struct {
	shim *shim
}

// join refuses to join by token, and matches whose id names no node.
func (g *guards) join(
	_ context.Context, logger runtime.Logger, _ *sql.DB, _ runtime.NakamaModule, in *rtapi.Envelope,
) (out *rtapi.Envelope, err error) {
	defer g.shim.recoveredAs(logger, "guard of MatchJoin", &err)
	if nodeOf(in.GetMatchJoin().GetMatchId()) == "" {
		return nil, newError(codes.PermissionDenied, noRelayed)
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
