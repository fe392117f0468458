package main

import (
	"context"

	"github.com/heroiclabs/nakama-common/runtime"
	"google.golang.org/grpc/codes"

	"setmatch/nakama/internal/limits"
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

// beginCall counts a lobby call and checks its limits. If the error is nil, `done` must be called at the end of the call.
func (s *shim) beginCall(ctx context.Context) (done func(), err error) {
	done, exceeded := s.limits.Call(caller(ctx))
	if exceeded != nil {
		return nil, s.refuse(exceeded)
	}
	return done, nil
}

// refuse counts a call that exceeds a limit and returns its error for the client.
func (s *shim) refuse(exceeded *limits.Exceeded) error {
	s.meters.countLimited(exceeded.Limit)
	return newError(codes.ResourceExhausted, exceeded.Message)
}
