package lobby

import (
	"context"
	"database/sql"
	"slices"

	"github.com/heroiclabs/nakama-common/runtime"
	"google.golang.org/grpc/codes"

	"setmatch/nakama/internal/refusal"
)

// resumeReply is the reply of set_resume.
type resumeReply struct {
	Matches []resumableMatch `json:"matches"` // sorted by match id
}

// resumableMatch is a match that a user can join again.
type resumableMatch struct {
	MatchID string `json:"matchId"`
}

// resume is the RPC set_resume. Its payload is empty or an empty object; it returns the live matches of the caller: those that the
// caller has created, has a reservation for, has joined, or has lost the connection to. Errors: code 3 for an invalid payload, 7
// for servers, which have no user id, 8 above a limit.
func (l *Lobby) resume(
	ctx context.Context, logger runtime.Logger, _ *sql.DB, _ runtime.NakamaModule, payload string,
) (reply string, err error) {
	defer l.Panics.RecoverAs(logger, "set_resume", &err)
	user := callerID(ctx)
	if user == "" {
		return "", refusal.New(codes.PermissionDenied, "set_resume is for players")
	}
	done, err := l.beginCall(ctx, payload)
	if err != nil {
		return "", err
	}
	defer done()
	found := resumeReply{Matches: []resumableMatch{}}
	matches := l.Members.Resumable(user)
	slices.Sort(matches)
	for _, match := range matches {
		found.Matches = append(found.Matches, resumableMatch{MatchID: match})
	}
	return encodeReply(found)
}
