package main

import (
	"context"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"

	"setmatch/nakama/pb"
)

// What one batch may hold. The calls of a batch wait for each other in the service and their answers come in one
// message, which gRPC bounds at 4 MiB.
const (
	maxBatchCalls  = 64 // the service takes no more
	maxBatchInputs = 256
	maxBatchBytes  = 1 << 20
)

// load is what calls weigh in a batch.
type load struct {
	calls, inputs, bytes int
}

func loadOf(req *pb.MatchLoopRequest) load {
	return load{calls: 1, inputs: len(req.Inputs), bytes: proto.Size(req)}
}

func (l load) plus(other load) load {
	return load{l.calls + other.calls, l.inputs + other.inputs, l.bytes + other.bytes}
}

// fits reports whether so much may go in one batch.
func (l load) fits() bool {
	return l.calls <= maxBatchCalls && l.inputs <= maxBatchInputs && l.bytes <= maxBatchBytes
}

// batch is MatchLoop calls of several matches that go together. Its call ends when the last of them gives up waiting.
type batch struct {
	ctx     context.Context
	cancel  context.CancelFunc
	members []*member // only the batcher adds to it, until the batch departs
	load    load
	alarm   stopper
	waiting int // members that have not given up; the batcher's lock guards it
}

// member is one call in a batch.
type member struct {
	ctx     context.Context // of its match, with its own deadline
	req     *pb.MatchLoopRequest
	batch   *batch
	outcome chan outcome // has room for one
}

// outcome is what became of a member: an answer, an error, or the word to make the call alone.
type outcome struct {
	resp  *pb.MatchLoopResponse
	err   error
	alone bool
}

func newBatch() *batch {
	ctx, cancel := context.WithCancel(context.Background())
	return &batch{ctx: ctx, cancel: cancel}
}

func (b *batch) add(ctx context.Context, req *pb.MatchLoopRequest, weight load) *member {
	m := &member{ctx: ctx, req: req, batch: b, outcome: make(chan outcome, 1)}
	b.members = append(b.members, m)
	b.load = b.load.plus(weight)
	b.waiting++
	return m
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

// outcomes shares the answer to a batch out. If the service could not be reached, none of the calls was answered, as if
// each had been alone. If the batch failed by its content, one call may be to blame, so each is made alone.
func outcomes(count int, resp *pb.MatchBatchResponse, err error) []outcome {
	list := make([]outcome, count)
	switch {
	case err == nil && len(resp.GetResults()) == count:
		for i, result := range resp.Results {
			list[i] = outcomeOf(result)
		}
	case isAway(err):
		for i := range list {
			list[i] = outcome{err: err}
		}
	default:
		for i := range list {
			list[i] = outcome{alone: true}
		}
	}
	return list
}

// outcomeOf reads the part of an answer that belongs to one call. A part that is neither an answer nor a failure is an
// answer without a step, which the match refuses like any malformed reply.
func outcomeOf(result *pb.MatchBatchResult) outcome {
	failure := result.GetFailure()
	switch {
	case failure == nil:
		return outcome{resp: result.GetResponse()}
	case failure.Code == int32(codes.OK):
		return outcome{err: &malformedReply{"a failure without a code"}}
	default:
		return outcome{err: status.Error(knownCode(failure.Code), failure.Message)}
	}
}

// knownCode reads a status code. What gRPC does not know is Unknown, as codes are names of metrics.
func knownCode(number int32) codes.Code {
	if number < 0 || number > int32(codes.Unauthenticated) {
		return codes.Unknown
	}
	return codes.Code(number)
}

// isAway reports whether a call failed without having been looked at: whatever was in it, it would have failed.
func isAway(err error) bool {
	switch status.Code(err) {
	case codes.Unavailable, codes.DeadlineExceeded, codes.Canceled, codes.Unauthenticated, codes.PermissionDenied:
		return true
	default:
		return false
	}
}
