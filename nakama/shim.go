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
	rules *rulesPool

	effects     *effects.Worker
	open        *lobby.OpenMatches
	members     *lobby.Members
	limits      *limits.Limits
	creations   *creations
	liveMatches *atomic.Int64 // matches that have not stopped
	calls       *atomic.Int64 // calls without a match; selects their link

	meters   *meters
	census   *census
	problems *problemLog
	trace    bool // calls carry a trace header

	timing timing
	now    func() time.Time
}

// rpc is a generated client method of the rules service.
type rpc[Req, Resp any] func(pb.MatchHandlerServiceClient, context.Context, *Req, ...grpc.CallOption) (*Resp, error)

// invoke makes one call over the ready link at or after an index. It counts the call and logs connection problems.
func invoke[Req, Resp any](
	ctx context.Context, s *shim, linkIndex int, method string, timeout time.Duration, do rpc[Req, Resp], req *Req,
) (*Resp, error) {
	link, _ := s.rules.pick(linkIndex)
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	if s.trace {
		ctx = traced(ctx, req)
	}
	start := time.Now()
	resp, err := do(link.client, ctx, req)
	s.meters.countCall(method, failureName(err), time.Since(start))
	s.problems.log(err)
	return resp, err
}
