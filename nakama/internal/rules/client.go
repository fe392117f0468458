// Package rules is the client of the rules service: calls with timeout, metrics and one retry over another link, batches, and
// checks of the responses.
package rules

import (
	"context"
	"fmt"
	"slices"
	"sync/atomic"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"setmatch/nakama/internal/config"
	"setmatch/nakama/internal/failure"
	"setmatch/nakama/internal/links"
	"setmatch/nakama/internal/telemetry"
	"setmatch/nakama/pb"
)

// Links is the connections to the rules service. Tests simulate their loss.
type Links interface {
	Pick(key links.Key, tried []*links.Link) (link *links.Link, alone bool)
	HasOther(link *links.Link) bool
	Reachable() bool
	Connects() int64
	Problem() string
}

// Dial opens the links without waiting until they are ready. A nil lookup means the DNS of the settings.
func Dial(s config.Settings, lookup links.LookupFunc, reportPanic func(any)) (*links.Pool, error) {
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

// RPC is a generated client method of the rules service.
type RPC[Req, Resp any] func(pb.MatchHandlerServiceClient, context.Context, *Req, ...grpc.CallOption) (*Resp, error)

// Client has the links, metrics and logs of calls to the rules service. All matches of the process share it.
type Client struct {
	Links    Links
	Meters   *telemetry.Meters
	Problems *telemetry.ProblemLog // logs connection problems
	Trace    bool                  // calls carry a trace header

	options atomic.Int64 // calls of Options; selects their link
}

// optionsTimeout is the timeout of MatchOptions.
const optionsTimeout = 2 * time.Second

// Options lets the service validate and complete options, a JSON object or an empty text. The deadline of the context does not apply
// to the call: if it is missed, this would count as a failure of the link.
func (c *Client) Options(ctx context.Context, options string) (*pb.MatchOptionsResponse, error) {
	call := Call[pb.MatchOptionsRequest, pb.MatchOptionsResponse]{
		Method: "MatchOptions", Timeout: optionsTimeout, Do: pb.MatchHandlerServiceClient.MatchOptions,
		Req: &pb.MatchOptionsRequest{Options: []byte(options)}, Check: CheckOptions,
	}
	reply, _, err := call.WithRetry(context.WithoutCancel(ctx), c, links.Key(c.options.Add(1)), nil)
	return reply, err
}

// Call is a call to the rules service.
type Call[Req, Resp any] struct {
	Method  string
	Timeout time.Duration
	Do      RPC[Req, Resp]
	Req     *Req
	Check   func(*Resp) error // rejects a malformed response
}

// Over makes the call over a link within its timeout. It counts the call and logs connection problems.
func (c Call[Req, Resp]) Over(ctx context.Context, client *Client, link *links.Link) (*Resp, error) {
	if link == nil {
		err := status.Error(codes.Unavailable, client.Links.Problem())
		client.Problems.Log(err)
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, c.Timeout)
	defer cancel()
	if client.Trace {
		ctx = telemetry.Traced(ctx, c.Req)
	}
	start := time.Now()
	resp, err := c.Do(link.Client(), ctx, c.Req)
	client.Meters.CountCall(c.Method, failure.Name(err), time.Since(start))
	client.Problems.Log(err)
	if err == nil {
		err = c.Check(resp)
	}
	return resp, err
}

// WithRetry makes the call, and makes it once more over another link if it failed. Both attempts share the timeout. It returns
// the links that have failed in addition to those that the caller has tried.
func (c Call[Req, Resp]) WithRetry(
	ctx context.Context, client *Client, key links.Key, tried []*links.Link,
) (*Resp, []*links.Link, error) {
	deadline := time.Now().Add(c.Timeout)
	link, _ := client.Links.Pick(key, tried)
	if !client.Links.HasOther(link) {
		resp, err := c.Over(ctx, client, link)
		return resp, WithFailed(tried, link, err), err
	}
	c.Timeout /= 2
	resp, err := c.Over(ctx, client, link)
	tried = WithFailed(tried, link, err)
	if !canSucceedElsewhere(err) || ctx.Err() != nil {
		return resp, tried, err
	}
	link, _ = client.Links.Pick(key, tried)
	c.Timeout = time.Until(deadline)
	resp, err = c.Over(ctx, client, link)
	return resp, WithFailed(tried, link, err), err
}

// WithFailed adds the link of a failed call to the tried ones. If that link was tried before, all links have failed, and a new
// round begins with it.
func WithFailed(tried []*links.Link, link *links.Link, err error) []*links.Link {
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
