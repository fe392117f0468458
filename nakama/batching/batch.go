package batching

import (
	"context"
	"time"

	"setmatch/nakama/pb"
)

// batch is MatchLoop calls of several matches that go together. Its call ends when the last of them gives up waiting.
type batch struct {
	ctx     context.Context
	cancel  context.CancelCauseFunc
	members []*member // only the batcher adds to it, until the batch departs
	load    load
	alarm   stopper
	waiting int // members that have not given up; the batcher's lock guards it
}

// member is one call in a batch.
type member struct {
	ctx     context.Context // of its match, with its own deadline
	client  pb.MatchHandlerServiceClient
	req     *pb.MatchLoopRequest
	load    load
	batch   *batch
	outcome chan outcome // has room for one
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

// settle tells a member what became of it; only the first word counts.
func (m *member) settle(o outcome) {
	select {
	case m.outcome <- o:
	default:
	}
}

// present returns the members that have not given up yet.
func (b *batch) present() []*member {
	var present []*member
	for _, m := range b.members {
		if m.ctx.Err() == nil {
			present = append(present, m)
		}
	}
	return present
}

// latestDeadline returns when the last of the members gives up; false: one never does.
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
