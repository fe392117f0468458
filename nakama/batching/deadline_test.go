package batching

import (
	"context"
	"testing"
	"time"

	"google.golang.org/grpc"

	"setmatch/nakama/pb"
)

func TestEachCallHasItsOwnDeadline(t *testing.T) {
	f := newFixture(t)
	released := make(chan struct{})
	f.service.holdBatches(released)
	soon, cancel := context.WithTimeout(context.Background(), 20*time.Millisecond)
	defer cancel()
	f.startCall(soon, loopOf("hasty"))
	f.startCalls("patient", "third")
	f.timers.fire()
	f.wantResults("hasty: DeadlineExceeded context deadline exceeded")
	close(released)
	f.wantResults("patient: patient", "third: third")
}

func TestDeadlineAppliesWhileBatchIsPending(t *testing.T) {
	f := newFixture(t)
	soon, cancel := context.WithTimeout(context.Background(), time.Millisecond)
	defer cancel()
	f.startCall(soon, loopOf("hasty"))
	f.startCalls("a", "b")
	f.wantResults("hasty: DeadlineExceeded context deadline exceeded")
	f.timers.fire()
	f.waitResults(2)
	f.wantRPCs("MatchBatch a b")
}

func TestBatchHasTheLatestDeadlineOfItsCalls(t *testing.T) {
	f := newFixture(t)
	deadlines := make(chan time.Time, 1)
	f.service.onBatch(func(ctx context.Context, _ *pb.MatchBatchRequest) (*pb.MatchBatchResponse, error) {
		deadline, _ := ctx.Deadline()
		deadlines <- deadline
		return nil, nil
	})
	latest := time.Now().Add(time.Hour)
	for i, id := range []string{"a", "b", "c"} {
		ctx, cancel := context.WithDeadline(context.Background(), latest.Add(time.Duration(-i)*time.Minute))
		defer cancel()
		f.startCall(ctx, loopOf(id))
	}
	f.timers.fire()
	f.waitResults(3)
	if off := (<-deadlines).Sub(latest).Abs(); off > time.Minute/2 {
		t.Errorf("the deadline of the batch differs by %v", off)
	}
}

func TestBatchIsCanceledWhenAllCallsAreCanceled(t *testing.T) {
	f := newFixture(t)
	arrived, ended := make(chan struct{}), make(chan struct{})
	f.service.onBatch(func(ctx context.Context, _ *pb.MatchBatchRequest) (*pb.MatchBatchResponse, error) {
		close(arrived)
		<-ctx.Done()
		close(ended)
		return nil, ctx.Err()
	})
	var cancels []context.CancelFunc
	for _, id := range []string{"a", "b"} {
		ctx, cancel := context.WithCancel(context.Background())
		cancels = append(cancels, cancel)
		f.startCall(ctx, loopOf(id))
	}
	f.timers.fire()
	<-arrived
	cancels[0]()
	f.wantResults("a: Canceled context canceled")
	select {
	case <-ended:
		t.Error("the batch ended while one call still waited")
	default:
	}
	cancels[1]()
	f.wantResults("b: Canceled context canceled")
	<-ended
}

func TestBatchOfCanceledCallsIsNotSent(t *testing.T) {
	f := newFixture(t)
	ctx, cancel := context.WithCancel(context.Background())
	f.startCall(ctx, loopOf("a"))
	f.startCall(ctx, loopOf("b"))
	cancel()
	f.waitResults(2)
	f.timers.fire()
	f.waitInFlight(1)
	f.wantRPCs()
}

func TestCanceledBatchHasTheCauseOfItsCalls(t *testing.T) {
	f := newIdleFixture(t)
	cause := make(chan error, 1)
	f.conn = dial(t, f.service.addr, grpc.WithUnaryInterceptor(func(
		ctx context.Context, method string, req, reply any, conn *grpc.ClientConn, invoke grpc.UnaryInvoker, opts ...grpc.CallOption,
	) error {
		err := invoke(ctx, method, req, reply, conn, opts...)
		if method == pb.MatchHandlerService_MatchBatch_FullMethodName {
			cause <- context.Cause(ctx)
		}
		return err
	}))
	f.holdCall()
	released := make(chan struct{})
	defer close(released)
	arrived := f.service.holdBatches(released)
	expiring := expiringContext{context.Background(), make(chan struct{})}
	f.startCall(expiring, loopOf("a"))
	f.startCall(expiring, loopOf("b"))
	f.timers.fire()
	<-arrived
	close(expiring.expired)
	f.waitResults(2)
	if err := <-cause; err != context.DeadlineExceeded {
		t.Errorf("the cause of the cancellation is %v", err)
	}
}

// expiringContext is a context whose deadline passes when the test closes `expired`.
type expiringContext struct {
	context.Context
	expired chan struct{}
}

func (c expiringContext) Done() <-chan struct{} { return c.expired }

func (c expiringContext) Err() error {
	select {
	case <-c.expired:
		return context.DeadlineExceeded
	default:
		return nil
	}
}
