package links

import (
	"context"
	"fmt"
	"sync/atomic"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/backoff"
	"google.golang.org/grpc/connectivity"
	"google.golang.org/grpc/keepalive"

	"setmatch/nakama/pb"
)

const (
	reconnectCeiling = 500 * time.Millisecond // with gRPC's default of two minutes, a restarted service would be detected late
	connectTimeout   = 2 * time.Second
	keepaliveTime    = 10 * time.Second
	keepaliveTimeout = 2 * time.Second
	maxReplyBytes    = 64 << 20 // gRPC's default of 4 MiB is too small for a tick of a match with hundreds of connections
)

// Link is one connection to one address. One HTTP/2 connection reaches only one worker of the service.
type Link struct {
	address string
	seed    uint64 // selects the matches that prefer this link
	conn    *grpc.ClientConn
	client  pb.MatchHandlerServiceClient
	cancel  context.CancelFunc // closes the link
	readyAt atomic.Int64       // when the link became ready, in Unix nanoseconds; 0: it is not ready
	health  *health
	worker  atomic.Pointer[worker] // nil: the service has not been asked
}

// open opens a link without waiting until it is ready. It does not add it to the pool.
func (p *Pool) open(address string, seed uint64) (*Link, error) {
	conn, err := grpc.NewClient("passthrough:///"+address, p.dialOptions(address)...)
	if err != nil {
		return nil, fmt.Errorf("the address %q cannot be used: %w", address, err)
	}
	ctx, cancel := context.WithCancel(p.ctx)
	link := &Link{address: address, seed: seed, conn: conn, cancel: cancel, health: &health{}}
	link.client = pb.NewMatchHandlerServiceClient(link)
	go p.watch(ctx, link)
	return link, nil
}

// dialOptions returns the options of a connection. The authority, from which TLS takes the name of the server, is the
// configured one also if the address was resolved.
func (p *Pool) dialOptions(address string) []grpc.DialOption {
	authority := address
	if p.config.Resolve {
		authority = p.config.Addresses[0]
	}
	return append([]grpc.DialOption{
		grpc.WithAuthority(authority),
		grpc.WithDisableServiceConfig(),
		grpc.WithIdleTimeout(0),
		grpc.WithNoProxy(),
		grpc.WithDefaultCallOptions(grpc.MaxCallRecvMsgSize(maxReplyBytes)),
		grpc.WithConnectParams(grpc.ConnectParams{Backoff: reconnectBackoff(), MinConnectTimeout: connectTimeout}),
		grpc.WithKeepaliveParams(keepalive.ClientParameters{
			Time: keepaliveTime, Timeout: keepaliveTimeout, PermitWithoutStream: true,
		}),
	}, p.config.Options...)
}

func reconnectBackoff() backoff.Config {
	return backoff.Config{BaseDelay: 50 * time.Millisecond, Multiplier: 1.6, Jitter: 0.2, MaxDelay: reconnectCeiling}
}

// watch keeps a link connected and its state up to date until the context ends, and then closes it. Nothing else closes a link.
func (p *Pool) watch(ctx context.Context, link *Link) {
	defer func() {
		link.readyAt.Store(0)
		_ = link.conn.Close()
	}()
	for ctx.Err() == nil {
		p.recovered(func() {
			state := link.conn.GetState()
			p.setState(link, state)
			if state == connectivity.Idle {
				link.conn.Connect()
			}
			link.conn.WaitForStateChange(ctx, state)
		})
	}
}

func (p *Pool) setState(link *Link, state connectivity.State) {
	switch {
	case state != connectivity.Ready:
		link.readyAt.Store(0)
		link.worker.Store(nil)
	case link.readyAt.CompareAndSwap(0, time.Now().UnixNano()):
		p.connects.Add(1)
	}
}

// Ready reports whether the link is connected.
func (l *Link) Ready() bool {
	return l.readyAt.Load() != 0
}

// Client returns a client whose calls use this link and change its health.
func (l *Link) Client() pb.MatchHandlerServiceClient {
	return l.client
}

// Invoke makes a call and records its result. It implements grpc.ClientConnInterface.
func (l *Link) Invoke(ctx context.Context, method string, args, reply any, opts ...grpc.CallOption) error {
	ready := l.Ready()
	err := l.conn.Invoke(ctx, method, args, reply, opts...)
	if ready {
		l.health.record(verdictOf(ctx, reply, err), time.Now())
	}
	return err
}

// NewStream implements grpc.ClientConnInterface. The service has no streams.
func (l *Link) NewStream(
	ctx context.Context, desc *grpc.StreamDesc, method string, opts ...grpc.CallOption,
) (grpc.ClientStream, error) {
	return l.conn.NewStream(ctx, desc, method, opts...)
}

// retire closes the link when its calls in flight have ended.
func (l *Link) retire() {
	time.AfterFunc(drainTime, l.cancel)
}
