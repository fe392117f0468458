package setmatch

import (
	"context"
	"fmt"
	"slices"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"setmatch/nakama/batching"
	"setmatch/nakama/internal/config"
	"setmatch/nakama/internal/failure"
	"setmatch/nakama/internal/links"
	"setmatch/nakama/internal/telemetry"
	"setmatch/nakama/pb"
)

// rulesLinks is the connections to the rules service. Tests simulate their loss.
type rulesLinks interface {
	Pick(key links.Key, tried []*links.Link) (link *links.Link, alone bool)
	HasOther(link *links.Link) bool
	Reachable() bool
	Connects() int64
	Problem() string
}

// dialRules opens the links without waiting until they are ready.
func dialRules(s config.Settings, lookup links.LookupFunc, reportPanic func(...any)) (*links.Pool, error) {
	secure, err := s.TransportSecurity()
	if err != nil {
		return nil, err
	}
	if server := s.DNSServer(); lookup == nil && server != "" {
		lookup = links.LookupAt(server)
	}
	pool, err := links.Open(links.Config{
		Addresses: s.Addresses(), Resolve: s.UsesDNS(), Connections: s.Connections, Options: secure, Lookup: lookup,
		ReportPanic: reportPanic,
	})
	if err != nil {
		return nil, fmt.Errorf("SET_RULES_ADDR is %q, which cannot be used: %w", s.Addr, err)
	}
	return pool, nil
}

// rpc is a generated client method of the rules service.
type rpc[Req, Resp any] func(pb.MatchHandlerServiceClient, context.Context, *Req, ...grpc.CallOption) (*Resp, error)

// rulesCall is a call to the rules service.
type rulesCall[Req, Resp any] struct {
	method  string
	timeout time.Duration
	do      rpc[Req, Resp]
	req     *Req
	check   func(*Resp) error // rejects a malformed response
}

// over makes the call over a link within its timeout. It counts the call and logs connection problems.
func (c rulesCall[Req, Resp]) over(ctx context.Context, s *shim, link *links.Link) (*Resp, error) {
	if link == nil {
		err := status.Error(codes.Unavailable, s.links.Problem())
		s.problems.Log(err)
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, c.timeout)
	defer cancel()
	if s.trace {
		ctx = telemetry.Traced(ctx, c.req)
	}
	start := time.Now()
	resp, err := c.do(link.Client(), ctx, c.req)
	s.meters.CountCall(c.method, failure.Name(err), time.Since(start))
	s.problems.Log(err)
	if err == nil {
		err = c.check(resp)
	}
	return resp, err
}

// withRetry makes the call, and makes it once more over another link if it failed. Both attempts share the timeout. It returns
// the links that have failed in addition to those that the caller has tried.
func (c rulesCall[Req, Resp]) withRetry(
	ctx context.Context, s *shim, key links.Key, tried []*links.Link,
) (*Resp, []*links.Link, error) {
	deadline := time.Now().Add(c.timeout)
	link, _ := s.links.Pick(key, tried)
	if !s.links.HasOther(link) {
		resp, err := c.over(ctx, s, link)
		return resp, withFailed(tried, link, err), err
	}
	c.timeout /= 2
	resp, err := c.over(ctx, s, link)
	tried = withFailed(tried, link, err)
	if !canSucceedElsewhere(err) || ctx.Err() != nil {
		return resp, tried, err
	}
	link, _ = s.links.Pick(key, tried)
	c.timeout = time.Until(deadline)
	resp, err = c.over(ctx, s, link)
	return resp, withFailed(tried, link, err), err
}

// withFailed adds the link of a failed call to the tried ones. If that link was tried before, all links have failed, and a new
// round begins with it.
func withFailed(tried []*links.Link, link *links.Link, err error) []*links.Link {
	switch {
	case err == nil || link == nil:
		return tried
	case slices.Contains(tried, link):
		return []*links.Link{link}
	default:
		return append(slices.Clip(tried), link)
	}
}

// canSucceedElsewhere reports whether a failed call may succeed on another replica.
func canSucceedElsewhere(err error) bool {
	switch status.Code(err) {
	case codes.OK, codes.InvalidArgument, codes.Canceled:
		return false
	default:
		return true
	}
}

// batchHost connects a batcher to the plugin's metrics and panic report.
type batchHost struct {
	meters      *telemetry.Meters
	reportPanic func(...any)
}

func newBatcher(window time.Duration, m *telemetry.Meters, reportPanic func(...any)) *batching.Batcher {
	return batching.New(window, batchHost{m, reportPanic})
}

// Shared counts a batch.
func (h batchHost) Shared(calls int, duration time.Duration, err error) {
	h.meters.CountBatch(calls, failure.Name(err), duration)
}

// Malformed returns the error of a result that cannot be applied.
func (h batchHost) Malformed(problem string) error {
	return failure.Malformed(problem)
}

// Panicked reports a recovered panic.
func (h batchHost) Panicked(value any) {
	h.reportPanic(value)
}
