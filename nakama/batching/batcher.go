// Package batching combines MatchLoop calls of different matches into shared RPCs (docs/decisions.md, E50). The plugin uses
// it, and the benchmark in nakama/cmd/bench measures it.
package batching

import (
	"context"
	"sync"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"setmatch/nakama/pb"
)

// DefaultWindowMs is the default time in milliseconds that a call waits for other calls (decision E50).
const DefaultWindowMs = 1

// unbatchedFor is how long all calls are made as single RPCs after the service returned Unimplemented for a batch. An older
// replica does this during an upgrade.
const unbatchedFor = 5 * time.Second

// timer is the part of time.Timer that the batcher needs.
type timer interface{ Stop() bool }

// Batcher combines MatchLoop calls of different matches into batches. If no RPC is in flight, a call is sent immediately;
// otherwise it waits up to the window for other calls. One batcher serves all connections, because a batcher for each
// connection would rarely have two calls to combine. A batch is sent over the connection of its first call (decision E50).
type Batcher struct {
	window    time.Duration // the longest wait for other calls; 0 disables batches
	host      Host
	now       func() time.Time
	afterFunc func(time.Duration, func()) timer

	mu             sync.Mutex
	inFlight       int    // RPCs in flight
	pending        *batch // the batch that waits for more calls; nil: none
	unbatchedUntil time.Time
}

// New returns a batcher with a window of at least 0, usually a few milliseconds. A window of 0 disables batches (decision E50).
func New(window time.Duration, host Host) *Batcher {
	return &Batcher{
		window: window, host: host, now: time.Now,
		afterFunc: func(d time.Duration, f func()) timer { return time.AfterFunc(d, f) },
	}
}

// Call makes a MatchLoop call, as a single RPC or in a batch. It replaces the generated method: arguments and results are the
// same, and only the duration differs (decision E50). The context also limits the wait for other calls. A batch is canceled
// when the contexts of all its calls have ended; its cause is the error of the last context. The error is the gRPC error of
// this call, or the error of Host.Malformed.
func (br *Batcher) Call(
	client pb.MatchHandlerServiceClient, ctx context.Context, req *pb.MatchLoopRequest, opts ...grpc.CallOption,
) (*pb.MatchLoopResponse, error) {
	if m := br.enqueue(&member{ctx: ctx, client: client, req: req, load: loadOf(req), outcome: make(chan outcome, 1)}); m != nil {
		if o := br.wait(m); !o.single {
			return o.resp, o.err
		}
		br.countInFlight(1)
	}
	defer br.countInFlight(-1)
	return client.MatchLoop(ctx, req, opts...)
}

// enqueue adds a call to the pending batch. If the call must be a single RPC, enqueue counts it as in flight and returns nil.
func (br *Batcher) enqueue(m *member) *member {
	br.mu.Lock()
	defer br.mu.Unlock()
	if br.isIdle() || br.window == 0 || !m.load.fits() || br.now().Before(br.unbatchedUntil) {
		br.inFlight++
		return nil
	}
	br.addToPending(m)
	return m
}

func (br *Batcher) isIdle() bool {
	return br.inFlight == 0 && br.pending == nil
}

// addToPending adds a call to the pending batch, and starts a new batch if the call does not fit. A full batch is flushed
// immediately.
func (br *Batcher) addToPending(m *member) {
	if br.pending != nil && !br.pending.load.plus(m.load).fits() {
		br.flushEarly(br.pending)
	}
	if br.pending == nil {
		b := newBatch()
		b.timer = br.afterFunc(br.window, func() { br.flush(b) })
		br.pending = b
	}
	br.pending.add(m)
	if br.pending.load.calls == MaxCalls {
		br.flushEarly(br.pending)
	}
}

// flushEarly flushes a batch before the end of its window. If the timer has fired, the timer's goroutine flushes the batch.
func (br *Batcher) flushEarly(b *batch) {
	br.pending = nil
	if b.timer.Stop() {
		go br.flush(b)
	}
}

// wait returns the outcome of a call, or the error of its context if the context ends first.
func (br *Batcher) wait(m *member) outcome {
	select {
	case o := <-m.outcome:
		return o
	case <-m.ctx.Done():
		br.abandon(m)
		return outcome{err: status.FromContextError(m.ctx.Err()).Err()}
	}
}

// abandon removes a call from the waiting calls of its batch, and cancels the batch after its last call.
func (br *Batcher) abandon(m *member) {
	br.mu.Lock()
	defer br.mu.Unlock()
	m.batch.waiting--
	if m.batch.waiting == 0 && m.batch != br.pending {
		m.batch.cancel(m.ctx.Err())
	}
}

// flush sends a batch and delivers the outcomes. It runs once for each batch, in its own goroutine.
func (br *Batcher) flush(b *batch) {
	br.closeBatch(b)
	defer b.cancel(nil)
	defer br.countInFlight(-1)
	defer br.recoverPanic(b)
	switch active := b.active(); len(active) {
	case 0:
	case 1:
		active[0].deliver(outcome{single: true})
	default:
		br.send(b, active)
	}
}

// closeBatch counts a batch as in flight. After that no call can be added to it.
func (br *Batcher) closeBatch(b *batch) {
	br.mu.Lock()
	defer br.mu.Unlock()
	br.inFlight++
	if br.pending == b {
		br.pending = nil
	}
}

func (br *Batcher) send(b *batch, active []*member) {
	ctx := b.ctx
	if latest, ok := latestDeadline(active); ok {
		bounded, cancel := context.WithDeadline(ctx, latest)
		defer cancel()
		ctx = bounded
	}
	start := time.Now()
	resp, err := active[0].client.MatchBatch(ctx, batchRequest(active))
	br.host.Shared(len(active), time.Since(start), err)
	br.disableIfUnimplemented(err)
	for i, o := range br.outcomes(len(active), resp, err) {
		active[i].deliver(o)
	}
}

// disableIfUnimplemented disables batches for the time unbatchedFor if the service does not implement MatchBatch.
func (br *Batcher) disableIfUnimplemented(err error) {
	if status.Code(err) != codes.Unimplemented {
		return
	}
	br.mu.Lock()
	defer br.mu.Unlock()
	br.unbatchedUntil = br.now().Add(unbatchedFor)
}

// recoverPanic recovers from a panic during a flush. Calls without an outcome are made as single RPCs.
func (br *Batcher) recoverPanic(b *batch) {
	value := recover()
	if value != nil {
		br.host.Panicked(value)
	}
	for _, m := range b.members {
		m.deliver(outcome{single: true})
	}
}

func (br *Batcher) countInFlight(delta int) {
	br.mu.Lock()
	defer br.mu.Unlock()
	br.inFlight += delta
}
