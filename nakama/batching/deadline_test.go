package batching

import (
	"context"
	"testing"
	"time"

	"google.golang.org/grpc"

	"setmatch/nakama/pb"
)

func TestEachCallHasItsOwnDeadline(t *testing.T) {
	r := newRig(t)
	held := make(chan struct{})
	r.service.holding(held)
	soon, cancel := context.WithTimeout(context.Background(), 20*time.Millisecond)
	defer cancel()
	r.call(soon, loopOf("hasty"))
	r.calls("patient", "third")
	r.alarms.ring()
	r.wantAnswers("hasty: DeadlineExceeded context deadline exceeded")
	close(held)
	r.wantAnswers("patient: patient", "third: third")
}

func TestADeadlineCountsWhileACallWaitsForCompany(t *testing.T) {
	r := newRig(t)
	soon, cancel := context.WithTimeout(context.Background(), time.Millisecond)
	defer cancel()
	r.call(soon, loopOf("hasty"))
	r.calls("a", "b")
	r.wantAnswers("hasty: DeadlineExceeded context deadline exceeded")
	r.alarms.ring()
	r.answers(2)
	r.wantRPCs("MatchBatch a b")
}

func TestABatchLastsAsLongAsTheLastOfItsCalls(t *testing.T) {
	r := newRig(t)
	ends := make(chan time.Time, 1)
	r.service.onAll(func(ctx context.Context, _ *pb.MatchBatchRequest) (*pb.MatchBatchResponse, error) {
		deadline, _ := ctx.Deadline()
		ends <- deadline
		return nil, nil
	})
	latest := time.Now().Add(time.Hour)
	for i, id := range []string{"a", "b", "c"} {
		ctx, cancel := context.WithDeadline(context.Background(), latest.Add(time.Duration(-i)*time.Minute))
		defer cancel()
		r.call(ctx, loopOf(id))
	}
	r.alarms.ring()
	r.answers(3)
	if off := (<-ends).Sub(latest).Abs(); off > time.Minute/2 {
		t.Errorf("the batch ends %v away from the last of its calls", off)
	}
}

func TestABatchEndsWhenAllHaveGivenUp(t *testing.T) {
	r := newRig(t)
	begun, ended := make(chan struct{}), make(chan struct{})
	r.service.onAll(func(ctx context.Context, _ *pb.MatchBatchRequest) (*pb.MatchBatchResponse, error) {
		close(begun)
		<-ctx.Done()
		close(ended)
		return nil, ctx.Err()
	})
	var giveUp []context.CancelFunc
	for _, id := range []string{"a", "b"} {
		ctx, cancel := context.WithCancel(context.Background())
		giveUp = append(giveUp, cancel)
		r.call(ctx, loopOf(id))
	}
	r.alarms.ring()
	<-begun
	giveUp[0]()
	r.wantAnswers("a: Canceled context canceled")
	select {
	case <-ended:
		t.Error("the batch ended while one still waited for it")
	default:
	}
	giveUp[1]()
	r.wantAnswers("b: Canceled context canceled")
	<-ended
}

func TestABatchThatNobodyWaitsForIsNotSent(t *testing.T) {
	r := newRig(t)
	ctx, cancel := context.WithCancel(context.Background())
	r.call(ctx, loopOf("a"))
	r.call(ctx, loopOf("b"))
	cancel()
	r.answers(2)
	r.alarms.ring()
	r.onWay(1)
	r.wantRPCs()
}

func TestABatchThatAllGaveUpEndsForTheirReason(t *testing.T) {
	r := newIdleRig(t)
	reason := make(chan error, 1)
	r.conn = dial(t, r.service.addr, grpc.WithUnaryInterceptor(func(
		ctx context.Context, method string, req, reply any, conn *grpc.ClientConn, invoke grpc.UnaryInvoker, opts ...grpc.CallOption,
	) error {
		err := invoke(ctx, method, req, reply, conn, opts...)
		if method == pb.MatchHandlerService_MatchBatch_FullMethodName {
			reason <- context.Cause(ctx)
		}
		return err
	}))
	r.hold()
	held := make(chan struct{})
	defer close(held)
	begun := r.service.holding(held)
	late := overdue{context.Background(), make(chan struct{})}
	r.call(late, loopOf("a"))
	r.call(late, loopOf("b"))
	r.alarms.ring()
	<-begun
	close(late.done)
	r.answers(2)
	if err := <-reason; err != context.DeadlineExceeded {
		t.Errorf("the batch ended because of %v", err)
	}
}

// overdue is a context whose deadline passes when the test says so.
type overdue struct {
	context.Context
	done chan struct{}
}

func (o overdue) Done() <-chan struct{} { return o.done }

func (o overdue) Err() error {
	select {
	case <-o.done:
		return context.DeadlineExceeded
	default:
		return nil
	}
}
