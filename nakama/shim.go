package main

import (
	"context"
	"sync/atomic"
	"time"

	"google.golang.org/grpc"

	"setmatch/nakama/internal/effects"
	"setmatch/nakama/internal/limits"
	"setmatch/nakama/internal/lobby"
	"setmatch/nakama/pb"
)

// shim is the state that all matches of this process share.
type shim struct {
	rules     *rulesPool
	effects   *effects.Worker
	open      *lobby.OpenMatches
	members   *lobby.Members
	limits    *limits.Limits
	creations *creations
	meters    *meters
	census    *census
	troubles  *troubleLog
	timing    timing
	trace     bool // calls say what trace they belong to
	now       func() time.Time
	calls     *atomic.Int64 // calls that belong to no match
	live      *atomic.Int64 // matches that have not stopped
}

// rpc is one method of the service, as generated.
type rpc[Req, Resp any] func(pb.MatchHandlerServiceClient, context.Context, *Req, ...grpc.CallOption) (*Resp, error)

// invoke makes one call over the connection at a place, or the next one that stands, counts it and says what hinders it.
func invoke[Req, Resp any](
	ctx context.Context, s *shim, place int, method string, deadline time.Duration, do rpc[Req, Resp], req *Req,
) (*Resp, error) {
	link, _ := s.rules.pick(place)
	ctx, cancel := context.WithTimeout(ctx, deadline)
	defer cancel()
	if s.trace {
		ctx = traced(ctx, req)
	}
	begun := time.Now()
	resp, err := do(link.client, ctx, req)
	s.meters.called(method, failureName(err), time.Since(begun))
	s.troubles.note(err)
	return resp, err
}
