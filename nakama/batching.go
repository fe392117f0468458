package main

import (
	"context"
	"slices"
	"sync"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"setmatch/nakama/pb"
)

// unbatchedFor is how long a connection makes single calls after a service answered that it knows no batches: one that
// is older, during an upgrade.
const unbatchedFor = 5 * time.Second

// solo is the option of a call that is to have no company.
type solo struct{ grpc.EmptyCallOption }

// soloLoop is MatchLoop alone, for a match that others might have to fail with.
func soloLoop(
	c pb.MatchHandlerServiceClient, ctx context.Context, req *pb.MatchLoopRequest, opts ...grpc.CallOption,
) (*pb.MatchLoopResponse, error) {
	return c.MatchLoop(ctx, req, append(opts, solo{})...)
}

// stopper is a timer that can be stopped.
type stopper interface{ Stop() bool }

// batchingClient is the service over one connection. MatchLoop calls of different matches that come while others are on
// their way wait a moment for company and share one RPC; one that finds none on its way goes out at once. All else goes
// through unchanged.
type batchingClient struct {
	pb.MatchHandlerServiceClient
	window   time.Duration // how long a call waits for company; 0: never, and no call is shared
	meters   *meters
	panicked func(...any)
	now      func() time.Time
	later    func(time.Duration, func()) stopper

	mu         sync.Mutex
	flying     int // RPCs with MatchLoop calls that are on their way
	forming    *batch
	aloneUntil time.Time
}

func newBatchingClient(
	client pb.MatchHandlerServiceClient, window time.Duration, m *meters, panicked func(...any),
) *batchingClient {
	return &batchingClient{
		MatchHandlerServiceClient: client, window: window, meters: m, panicked: panicked, now: time.Now,
		later: func(d time.Duration, f func()) stopper { return time.AfterFunc(d, f) },
	}
}

// MatchLoop makes the call, alone or in company: the caller cannot tell, save by the time.
func (c *batchingClient) MatchLoop(
	ctx context.Context, req *pb.MatchLoopRequest, opts ...grpc.CallOption,
) (*pb.MatchLoopResponse, error) {
	if m := c.seat(ctx, req, opts); m != nil {
		if o := c.await(m); !o.alone {
			return o.resp, o.err
		}
		c.takeOff()
	}
	defer c.land()
	return c.MatchHandlerServiceClient.MatchLoop(ctx, req, opts...)
}

// seat gives a call its place in the batch that forms; nil: it has taken off alone.
func (c *batchingClient) seat(ctx context.Context, req *pb.MatchLoopRequest, opts []grpc.CallOption) *member {
	weight := load{}
	shares := c.window > 0 && !slices.Contains(opts, grpc.CallOption(solo{}))
	if shares {
		weight = loadOf(req)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if !shares || !weight.fits() || c.isIdle() || c.now().Before(c.aloneUntil) {
		c.flying++
		return nil
	}
	return c.join(ctx, req, weight)
}

func (c *batchingClient) isIdle() bool {
	return c.flying == 0 && c.forming == nil
}

// join adds a call to the batch that forms. A batch that is full departs at once, on a goroutine of its own.
func (c *batchingClient) join(ctx context.Context, req *pb.MatchLoopRequest, weight load) *member {
	if c.forming != nil && !c.forming.load.plus(weight).fits() {
		c.close(c.forming)
	}
	if c.forming == nil {
		b := newBatch()
		b.alarm = c.later(c.window, func() { c.depart(b) })
		c.forming = b
	}
	m := c.forming.add(ctx, req, weight)
	if c.forming.load.calls == maxBatchCalls {
		c.close(c.forming)
	}
	return m
}

// close lets a batch depart before its time.
func (c *batchingClient) close(b *batch) {
	c.forming = nil
	if b.alarm.Stop() {
		go c.depart(b)
	}
}

// await waits for what becomes of a member until its match gives up.
func (c *batchingClient) await(m *member) outcome {
	select {
	case o := <-m.outcome:
		return o
	case <-m.ctx.Done():
		c.giveUp(m.batch)
		return outcome{err: status.FromContextError(m.ctx.Err()).Err()}
	}
}

func (c *batchingClient) giveUp(b *batch) {
	c.mu.Lock()
	defer c.mu.Unlock()
	b.waiting--
	if b.waiting == 0 && b != c.forming {
		b.cancel()
	}
}

// depart sends a batch off and tells its members what became of them. It runs on a goroutine of its own, once.
func (c *batchingClient) depart(b *batch) {
	c.board(b)
	defer b.cancel()
	defer c.land()
	defer c.recovered(b)
	switch present := b.present(); len(present) {
	case 0:
	case 1:
		present[0].settle(outcome{alone: true})
	default:
		c.send(b, present)
	}
}

// board lets nobody join a batch any more.
func (c *batchingClient) board(b *batch) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.flying++
	if c.forming == b {
		c.forming = nil
	}
}

func (c *batchingClient) send(b *batch, present []*member) {
	ctx := b.ctx
	if latest, ends := latestDeadline(present); ends {
		bounded, cancel := context.WithDeadline(ctx, latest)
		defer cancel()
		ctx = bounded
	}
	begun := time.Now()
	resp, err := c.MatchBatch(ctx, batchRequest(present))
	c.meters.batched(len(present), failureName(err), time.Since(begun))
	c.noteVersion(err)
	for i, o := range outcomes(len(present), resp, err) {
		present[i].settle(o)
	}
}

// noteVersion stops sharing for a while if the service is too old for it.
func (c *batchingClient) noteVersion(err error) {
	if status.Code(err) != codes.Unimplemented {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.aloneUntil = c.now().Add(unbatchedFor)
}

// recovered survives a panic while a batch was sent: its calls are made alone.
func (c *batchingClient) recovered(b *batch) {
	value := recover()
	if value != nil {
		c.panicked(value)
	}
	for _, m := range b.members {
		m.settle(outcome{alone: true})
	}
}

func (c *batchingClient) takeOff() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.flying++
}

func (c *batchingClient) land() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.flying--
}
