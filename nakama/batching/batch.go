package batching

import (
	"context"
	"time"

	"setmatch/nakama/pb"
)

// batch is a group of MatchLoop calls of different matches that share one RPC. The RPC is canceled when the contexts of all
// calls have ended.
type batch struct {
	ctx     context.Context
	cancel  context.CancelCauseFunc
	members []*member // appended to by the batcher until the batch is flushed
	load    load
	timer   timer
	waiting int // members whose callers still wait; guarded by Batcher.mu
}

// member is one call of a batch.
type member struct {
	ctx     context.Context // of the caller, with the deadline of this call
	client  pb.MatchHandlerServiceClient
	req     *pb.MatchLoopRequest
	load    load
	batch   *batch
	outcome chan outcome // has a buffer of one
}

func newBatch() *batch {
	ctx, cancel := context.WithCancelCause(context.Background())
	return &batch{ctx: ctx, cancel: cancel}
}

func (b *batch) add(m *member) {
	m.batch = b
	b.members = append(b.members, m)
	b.load = b.load.plus(m.load)
	b.waiting++
}

// deliver sends the outcome of a call to its caller. Only the first outcome of a call is delivered.
func (m *member) deliver(o outcome) {
	select {
	case m.outcome <- o:
	default:
	}
}

// active returns the members whose contexts have not ended.
func (b *batch) active() []*member {
	var active []*member
	for _, m := range b.members {
		if m.ctx.Err() == nil {
			active = append(active, m)
		}
	}
	return active
}

// latestDeadline returns the latest deadline of the members, and false if a member has no deadline.
func latestDeadline(members []*member) (time.Time, bool) {
	var latest time.Time
	for _, m := range members {
		deadline, ok := m.ctx.Deadline()
		if !ok {
			return time.Time{}, false
		}
		if deadline.After(latest) {
			latest = deadline
		}
	}
	return latest, true
}

func batchRequest(members []*member) *pb.MatchBatchRequest {
	req := &pb.MatchBatchRequest{Calls: make([]*pb.MatchLoopRequest, 0, len(members))}
	for _, m := range members {
		req.Calls = append(req.Calls, m.req)
	}
	return req
}
