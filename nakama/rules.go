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
	reconnectCeiling = 500 * time.Millisecond // gRPC's own default of two minutes would hide a restarted service
	connectTimeout   = 2 * time.Second
	keepaliveTime    = 10 * time.Second
	keepaliveTimeout = 2 * time.Second
	lookupInterval   = time.Second // gRPC's own 30 s would hide a replica that came back at another address
	roundRobin       = `{"loadBalancingConfig":[{"round_robin":{}}]}`
	listScheme       = "set-rules"
	maxReplyBytes    = 64 << 20 // gRPC takes 4 MiB; a tick of a match that hundreds watch can say more
)

// rulesPool is every connection of this process to the rules service. The service keeps no state, so any connection
// serves any match; a match stays on one as long as that works.
type rulesPool struct {
	links    []*rulesLink
	batcher  *batching.Batcher
	epoch    atomic.Int64
	cancel   context.CancelFunc
	panicked func(...any)
}

// rulesLink is one connection for each address.
type rulesLink struct {
	conn   *grpc.ClientConn
	client pb.MatchHandlerServiceClient
	ready  atomic.Bool
	health linkHealth
}

// dialRules opens the connections without waiting for any. A panic on one of its goroutines is reported and survived.
func dialRules(s settings, m *meters, panicked func(...any)) (*rulesPool, error) {
	ctx, cancel := context.WithCancel(context.Background())
	pool := &rulesPool{cancel: cancel, panicked: panicked, batcher: newBatcher(s.window(), m, panicked)}
	for range s.connections {
		link := &rulesLink{}
		conn, err := dialOne(s, grpc.WithUnaryInterceptor(link.health.observe))
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

func dialOne(s settings, more ...grpc.DialOption) (*grpc.ClientConn, error) {
	secure, err := s.transportSecurity()
	if err != nil {
		return nil, err
	}
	target, options := dialTarget(s)
	options = append(append(options, secure...), more...)
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

// dialTarget names the service to gRPC. Listed addresses are looked up anew at each connection attempt, so a service
// that comes back under the same name elsewhere is found; dns:/// spreads over all addresses of a name.
func dialTarget(s settings) (string, []grpc.DialOption) {
	if s.viaDNS() {
		dns.SetMinResolutionInterval(lookupInterval)
		return s.addr, nil
	}
	list := manual.NewBuilderWithScheme(listScheme)
	var state resolver.State
	for _, addr := range s.addresses() {
		one := resolver.Address{Addr: addr, ServerName: hostOf(addr)}
		state.Endpoints = append(state.Endpoints, resolver.Endpoint{Addresses: []resolver.Address{one}})
	}
	list.InitialState(state)
	return listScheme + ":///rules", []grpc.DialOption{grpc.WithResolvers(list)}
}

func hostOf(addr string) string {
	return strings.Trim(addr[:strings.LastIndex(addr, ":")], "[]")
}

// watch keeps a connection connected and its ready flag true to its state.
func (p *rulesPool) watch(ctx context.Context, link *rulesLink) {
	for ctx.Err() == nil {
		p.watchOnce(ctx, link)
	}
}

func (p *rulesPool) watchOnce(ctx context.Context, link *rulesLink) {
	defer p.recovered()
	state := link.conn.GetState()
	p.note(link, state)
	if state == connectivity.Idle {
		link.conn.Connect()
	}
	link.conn.WaitForStateChange(ctx, state)
}

func (p *rulesPool) recovered() {
	if value := recover(); value != nil {
		p.panicked(value)
		time.Sleep(reconnectCeiling) // a panic that comes again and again must not take a core
	}
}

func (p *rulesPool) note(link *rulesLink, state connectivity.State) {
	ready := state == connectivity.Ready
	if link.ready.Swap(ready) != ready && ready {
		p.epoch.Add(1)
	}
}

// pick returns the first ready connection at or after a place, rather one that answers in time, or the one at that
// place if none is ready.
func (p *rulesPool) pick(place int) (*rulesLink, bool) {
	var slow *rulesLink
	for i := range p.links {
		link := p.links[(place+i)%len(p.links)]
		switch {
		case !link.ready.Load():
		case link.health.isWell():
			return link, true
		case slow == nil:
			slow = link
		}
	}
	if slow != nil {
		return slow, true
	}
	return p.links[place%len(p.links)], false
}

// reachable reports whether a connection to the service stands.
func (p *rulesPool) reachable(place int) bool {
	_, ready := p.pick(place)
	return ready
}

// placeOf spreads matches over the connections.
func placeOf(matchID string) int {
	h := fnv.New32a()
	_, _ = h.Write([]byte(matchID))
	return int(h.Sum32() & 0xffff)
}

// close ends all connections.
func (p *rulesPool) close() {
	p.cancel()
	for _, link := range p.links {
		_ = link.conn.Close()
	}
}
