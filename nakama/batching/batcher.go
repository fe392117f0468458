// Package batching is the rule by which MatchLoop calls of different matches share RPCs (docs/decisions.md, E50). The plugin
// calls by it, and the bench measures it (nakama/bench).
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

// DefaultWindowMs is how long a call waits for company unless an operator says otherwise, in milliseconds (decision E50).
const DefaultWindowMs = 1

// unbatchedFor is how long calls are made alone after a service answered that it knows no batches: one that is older,
// during an upgrade.
const unbatchedFor = 5 * time.Second

// stopper is a timer that can be stopped.
type stopper interface{ Stop() bool }

// Batcher lets MatchLoop calls of different matches share RPCs: one that comes while others are on their way waits a
// moment for company, one that finds none on its way goes out at once. There is one for all connections, as each of
// several would seldom find company; a batch goes over the connection of the first in it (decision E50).
type Batcher struct {
	window time.Duration // how long a call waits for company; 0: never, and no call is shared
	host   Host
	now    func() time.Time
	later  func(time.Duration, func()) stopper

	mu         sync.Mutex
	flying     int // RPCs that are on their way
	forming    *batch
	aloneUntil time.Time
}

// New makes a batcher whose calls wait for company for a window from 0 on, milliseconds in practice; with 0 none waits and none
// is shared (decision E50).
func New(window time.Duration, host Host) *Batcher {
	return &Batcher{
		window: window, host: host, now: time.Now,
		later: func(d time.Duration, f func()) stopper { return time.AfterFunc(d, f) },
	}
}

// Call makes a MatchLoop call, alone or in company: the caller cannot tell, save by the time (decision E50). It takes what the
// generated method takes, in whose place it stands. The context's end counts while the call waits for company too; a batch
// whose calls have all given up is cancelled, with the reason of the last of them as its cause. The error is that of the
// call by itself, with gRPC's code, or the host's of a malformed answer.
func (br *Batcher) Call(
	client pb.MatchHandlerServiceClient, ctx context.Context, req *pb.MatchLoopRequest, opts ...grpc.CallOption,
) (*pb.MatchLoopResponse, error) {
	if m := br.seat(&member{ctx: ctx, client: client, req: req, load: loadOf(req), outcome: make(chan outcome, 1)}); m != nil {
		if o := br.await(m); !o.alone {
			return o.resp, o.err
		}
		br.takeOff()
	}
	defer br.land()
	return client.MatchLoop(ctx, req, opts...)
}

// seat gives a call its place in the batch that forms; nil: it has taken off alone.
func (br *Batcher) seat(m *member) *member {
	br.mu.Lock()
	defer br.mu.Unlock()
	if br.isIdle() || br.window == 0 || !m.load.fits() || br.now().Before(br.aloneUntil) {
		br.flying++
		return nil
	}
	br.join(m)
	return m
}

func (br *Batcher) isIdle() bool {
	return br.flying == 0 && br.forming == nil
}

// join adds a call to the batch that forms. A batch that is full departs at once, on a goroutine of its own.
func (br *Batcher) join(m *member) {
	if br.forming != nil && !br.forming.load.plus(m.load).fits() {
		br.close(br.forming)
	}
	if br.forming == nil {
		b := newBatch()
		b.alarm = br.later(br.window, func() { br.depart(b) })
		br.forming = b
	}
	br.forming.add(m)
	if br.forming.load.calls == MaxCalls {
		br.close(br.forming)
	}
}

// close lets a batch depart before its time.
func (br *Batcher) close(b *batch) {
	br.forming = nil
	if b.alarm.Stop() {
		go br.depart(b)
	}
}

// await waits for what becomes of a member until its match gives up.
func (br *Batcher) await(m *member) outcome {
	select {
	case o := <-m.outcome:
		return o
	case <-m.ctx.Done():
		br.giveUp(m)
		return outcome{err: status.FromContextError(m.ctx.Err()).Err()}
	}
}

func (br *Batcher) giveUp(m *member) {
	br.mu.Lock()
	defer br.mu.Unlock()
	m.batch.waiting--
	if m.batch.waiting == 0 && m.batch != br.forming {
		m.batch.cancel(m.ctx.Err())
	}
}

// depart sends a batch off and tells its members what became of them. It runs on a goroutine of its own, once.
func (br *Batcher) depart(b *batch) {
	br.board(b)
	defer b.cancel(nil)
	defer br.land()
	defer br.recovered(b)
	switch present := b.present(); len(present) {
	case 0:
	case 1:
		present[0].settle(outcome{alone: true})
	default:
		br.send(b, present)
	}
}

// board lets nobody join a batch any more.
func (br *Batcher) board(b *batch) {
	br.mu.Lock()
	defer br.mu.Unlock()
	br.flying++
	if br.forming == b {
		br.forming = nil
	}
}

func (br *Batcher) send(b *batch, present []*member) {
	ctx := b.ctx
	if latest, ends := latestDeadline(present); ends {
		bounded, cancel := context.WithDeadline(ctx, latest)
		defer cancel()
		ctx = bounded
	}
	begun := time.Now()
	resp, err := present[0].client.MatchBatch(ctx, batchRequest(present))
	br.host.Shared(len(present), time.Since(begun), err)
	br.noteVersion(err)
	for i, o := range br.outcomes(len(present), resp, err) {
		present[i].settle(o)
	}
}

// noteVersion stops sharing for a while if the service is too old for it.
func (br *Batcher) noteVersion(err error) {
	if status.Code(err) != codes.Unimplemented {
		return
	}
	br.mu.Lock()
	defer br.mu.Unlock()
	br.aloneUntil = br.now().Add(unbatchedFor)
}

// recovered survives a panic while a batch was sent: its calls are made alone.
func (br *Batcher) recovered(b *batch) {
	value := recover()
	if value != nil {
		br.host.Panicked(value)
	}
	for _, m := range b.members {
		m.settle(outcome{alone: true})
	}
}

func (br *Batcher) takeOff() {
	br.mu.Lock()
	defer br.mu.Unlock()
	br.flying++
}

func (br *Batcher) land() {
	br.mu.Lock()
	defer br.mu.Unlock()
	br.flying--
}
