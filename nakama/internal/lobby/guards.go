package lobby

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

// beforeJoin checks the limit of joins. It rejects joins by token and joins of a match id without a node: in relayed matches, no
// server checks the messages of players. Nakama creates a relayed match when matched tickets get no match.
func (l *Lobby) beforeJoin(
	ctx context.Context, logger runtime.Logger, _ *sql.DB, _ runtime.NakamaModule, in *rtapi.Envelope,
) (out *rtapi.Envelope, err error) {
	defer l.Panics.RecoverAs(logger, "guard of MatchJoin", &err)
	if !l.AllowRelayed && nodeOf(in.GetMatchJoin().GetMatchId()) == "" {
		return nil, refusal.New(codes.PermissionDenied, noRelayed)
	}
	if exceeded := l.Limits.Join(caller(ctx)); exceeded != nil {
		return nil, l.refuse(exceeded)
	}
	return in, nil
}

// beforeRelayed rejects the creation of a relayed match.
func (l *Lobby) beforeRelayed(
	context.Context, runtime.Logger, *sql.DB, runtime.NakamaModule, *rtapi.Envelope,
) (*rtapi.Envelope, error) {
	return nil, refusal.New(codes.PermissionDenied, noRelayed)
}

// nodeOf returns the node in a match id. It is empty for a relayed match.
func nodeOf(matchID string) string {
	_, node, _ := strings.Cut(matchID, ".")
	return node
}
