package lobby

import (
	"context"

	"github.com/heroiclabs/nakama-common/runtime"
	"google.golang.org/grpc/codes"

	"setmatch/nakama/internal/limits"
	"setmatch/nakama/internal/match"
	"setmatch/nakama/internal/refusal"
)

// caller returns the caller of an RPC or a hook.
func caller(ctx context.Context) limits.Caller {
	address, _ := ctx.Value(runtime.RUNTIME_CTX_CLIENT_IP).(string)
	return limits.Caller{UserID: callerID(ctx), Address: address}
}

// callerID returns the user id of the caller. It is empty for a call of another server.
func callerID(ctx context.Context) string {
	user, _ := ctx.Value(runtime.RUNTIME_CTX_USER_ID).(string)
	return user
}

// expectedCaller returns the caller as the user for whom a seat is reserved, or nil for a call of another server.
func expectedCaller(ctx context.Context) []match.User {
	user := callerID(ctx)
	if user == "" {
		return nil
	}
	name, _ := ctx.Value(runtime.RUNTIME_CTX_USERNAME).(string)
	return []match.User{{UserID: user, Username: name}}
}

// beginCall counts a lobby call, and checks its limits and its payload. If the error is nil, `done` must be called at the end of the
// call.
func (l *Lobby) beginCall(ctx context.Context, payload string) (done func(), err error) {
	done, exceeded := l.Limits.Call(caller(ctx))
	if exceeded != nil {
		return nil, l.refuse(exceeded)
	}
	if err := checkPayload(payload); err != nil {
		done()
		return nil, err
	}
	return done, nil
}

// checkMatchLimit returns the exceeded limit of live matches of a user, or nil.
func (l *Lobby) checkMatchLimit(user string) *limits.Exceeded {
	return l.Limits.Matches(user, len(l.Members.Matches(user)))
}

// refuse counts a call that exceeds a limit and returns its error for the client.
func (l *Lobby) refuse(exceeded *limits.Exceeded) error {
	l.Meters.CountLimited(exceeded.Limit)
	return refusal.New(codes.ResourceExhausted, exceeded.Message)
}
