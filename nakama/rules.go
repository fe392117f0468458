package main

import (
	"context"
	"fmt"
	"hash/fnv"
	"strings"
	"sync/atomic"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/backoff"
	"google.golang.org/grpc/connectivity"
	"google.golang.org/grpc/keepalive"
	"google.golang.org/grpc/resolver"
	"google.golang.org/grpc/resolver/dns"
	"google.golang.org/grpc/resolver/manual"

	"setmatch/nakama/batching"
	"setmatch/nakama/pb"
)

const (
	reconnectCeiling = 500 * time.Millisecond // with gRPC's default of two minutes, a restarted service would be detected late
	connectTimeout   = 2 * time.Second
	keepaliveTime    = 10 * time.Second
	keepaliveTimeout = 2 * time.Second
	lookupInterval   = time.Second // with gRPC's default of 30 s, a replica with a new address would be detected late
	roundRobin       = `{"loadBalancingConfig":[{"round_robin":{}}]}`
	listScheme       = "set-rules"
	maxReplyBytes    = 64 << 20 // gRPC's default of 4 MiB is too small for a tick of a match with hundreds of connections
)

// rulesPool is the links of this process to the rules service. The service is stateless, so a match can use any link; it stays
// on one until a call fails.
type rulesPool struct {
	links        []*rulesLink
	batcher      *batching.Batcher
	connectCount atomic.Int64       // how often a link became ready
	cancel       context.CancelFunc // stops the goroutines of the links
	reportPanic  func(...any)
}

// rulesLink is a gRPC client connection, which holds one connection to each address.
type rulesLink struct {
	conn   *grpc.ClientConn
	client pb.MatchHandlerServiceClient
	ready  atomic.Bool // at least one address is connected
	health linkHealth
}

// dialRules opens the links without waiting until they are ready. It recovers from panics on its goroutines and reports them.
func dialRules(s settings, m *meters, reportPanic func(...any)) (*rulesPool, error) {
	ctx, cancel := context.WithCancel(context.Background())
	pool := &rulesPool{cancel: cancel, reportPanic: reportPanic, batcher: newBatcher(s.batchWindow(), m, reportPanic)}
	for range s.connections {
		link := &rulesLink{}
		conn, err := dialLink(s, grpc.WithUnaryInterceptor(link.health.intercept))
		if err != nil {
			pool.close()
			return nil, err
		}
		link.conn, link.client = conn, pb.NewMatchHandlerServiceClient(conn)
		pool.links = append(pool.links, link)
		go pool.watch(ctx, link)
	}
	return pool, nil
}

func dialLink(s settings, extra ...grpc.DialOption) (*grpc.ClientConn, error) {
	secure, err := s.transportSecurity()
	if err != nil {
		return nil, err
	}
	target, options := dialTarget(s)
	options = append(append(options, secure...), extra...)
	options = append(options,
		grpc.WithDefaultServiceConfig(roundRobin),
		grpc.WithDisableServiceConfig(),
		grpc.WithIdleTimeout(0),
		grpc.WithNoProxy(),
		grpc.WithDefaultCallOptions(grpc.MaxCallRecvMsgSize(maxReplyBytes)),
		grpc.WithConnectParams(grpc.ConnectParams{Backoff: reconnectBackoff(), MinConnectTimeout: connectTimeout}),
		grpc.WithKeepaliveParams(keepalive.ClientParameters{
			Time: keepaliveTime, Timeout: keepaliveTimeout, PermitWithoutStream: true,
		}),
	)
	conn, err := grpc.NewClient(target, options...)
	if err != nil {
		return nil, fmt.Errorf("SET_RULES_ADDR is %q, which cannot be used: %w", s.addr, err)
	}
	return conn, nil
}

func reconnectBackoff() backoff.Config {
	return backoff.Config{BaseDelay: 50 * time.Millisecond, Multiplier: 1.6, Jitter: 0.2, MaxDelay: reconnectCeiling}
}

// dialTarget returns the gRPC target and its options. Host names in a list are resolved at each connection attempt, so that a
// service can move to another address; dns:/// distributes the calls over all addresses of a name.
func dialTarget(s settings) (string, []grpc.DialOption) {
	if s.usesDNS() {
		dns.SetMinResolutionInterval(lookupInterval)
		return s.addr, nil
	}
	list := manual.NewBuilderWithScheme(listScheme)
	var state resolver.State
	for _, addr := range s.addresses() {
		address := resolver.Address{Addr: addr, ServerName: hostOf(addr)}
		state.Endpoints = append(state.Endpoints, resolver.Endpoint{Addresses: []resolver.Address{address}})
	}
	list.InitialState(state)
	return listScheme + ":///rules", []grpc.DialOption{grpc.WithResolvers(list)}
}

func hostOf(addr string) string {
	return strings.Trim(addr[:strings.LastIndex(addr, ":")], "[]")
}

// watch keeps a link connected and its ready flag up to date, until the context ends.
func (p *rulesPool) watch(ctx context.Context, link *rulesLink) {
	for ctx.Err() == nil {
		p.watchOnce(ctx, link)
	}
}

func (p *rulesPool) watchOnce(ctx context.Context, link *rulesLink) {
	defer p.recoverPanic()
	state := link.conn.GetState()
	p.setState(link, state)
	if state == connectivity.Idle {
		link.conn.Connect()
	}
	link.conn.WaitForStateChange(ctx, state)
}

func (p *rulesPool) recoverPanic() {
	if value := recover(); value != nil {
		p.reportPanic(value)
		time.Sleep(reconnectCeiling) // a repeated panic must not use a whole core
	}
}

func (p *rulesPool) setState(link *rulesLink, state connectivity.State) {
	ready := state == connectivity.Ready
	if link.ready.Swap(ready) != ready && ready {
		p.connectCount.Add(1)
	}
}

// pick returns the first ready and healthy link at or after an index, else the first ready one, and true. If none is ready, it
// returns the link at the index and false.
func (p *rulesPool) pick(linkIndex int) (*rulesLink, bool) {
	var unhealthy *rulesLink
	for i := range p.links {
		link := p.links[(linkIndex+i)%len(p.links)]
		switch {
		case !link.ready.Load():
		case link.health.isHealthy():
			return link, true
		case unhealthy == nil:
			unhealthy = link
		}
	}
	if unhealthy != nil {
		return unhealthy, true
	}
	return p.links[linkIndex%len(p.links)], false
}

// reachable reports whether any link is ready.
func (p *rulesPool) reachable() bool {
	_, ready := p.pick(0)
	return ready
}

// linkIndexOf returns the first link index of a match, a hash that distributes the matches over the links.
func linkIndexOf(matchID string) int {
	h := fnv.New32a()
	_, _ = h.Write([]byte(matchID))
	return int(h.Sum32() & 0xffff)
}

// close closes all links.
func (p *rulesPool) close() {
	p.cancel()
	for _, link := range p.links {
		_ = link.conn.Close()
	}
}
