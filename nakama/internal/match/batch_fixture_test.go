package match

import (
	"context"
	"fmt"
	"testing"
	"time"

	"setmatch/nakama/batching"
	"setmatch/nakama/internal/config"
	"setmatch/nakama/internal/fake"
	"setmatch/nakama/internal/rules"
	"setmatch/nakama/pb"
)

// batchFixture is a link with batches on which one call is in flight until the test ends. The other calls wait until a batch
// is full.
type batchFixture struct {
	*fixture
	results chan error // the error of each call
}

func newBatchFixture(t *testing.T) *batchFixture {
	t.Helper()
	c := dialBatchFixture(t, config.Settings{})
	c.shared.Batcher = rules.NewBatcher(time.Hour, c.shared.Meters, fake.FailOnPanic(t))
	c.hold()
	return c
}

// dialBatchFixture opens the link of some settings without a call.
func dialBatchFixture(t *testing.T, s config.Settings) *batchFixture {
	t.Helper()
	f := fake.StartService(t)
	s.Addr = f.Addr
	r := dial(t, s)
	r.service = f
	r.waitReady(1)
	return &batchFixture{r, make(chan error, 2*batching.MaxCalls)}
}

// hold makes a call that is in flight until the test ends.
func (c *batchFixture) hold() {
	c.t.Helper()
	held := make(chan struct{})
	c.t.Cleanup(func() { close(held) })
	c.service.Handle("MatchLoop", func(context.Context, any) (any, error) { <-held; return nil, nil })
	go func() { _, _ = c.loop(context.Background(), "held") }()
	c.waitUntil("the held call", func() bool { return len(c.service.TakeCalls()) == 1 })
	c.service.Handle("MatchLoop", nil)
}

// loop makes a call that may be batched.
func (c *batchFixture) loop(ctx context.Context, matchID string) (*pb.MatchLoopResponse, error) {
	return c.shared.Batcher.Call(c.client(), ctx, &pb.MatchLoopRequest{MatchId: matchID})
}

func (c *batchFixture) client() pb.MatchHandlerServiceClient {
	link, _ := c.shared.Rules.Links.Pick(0, nil)
	return link.Client()
}

// startCalls starts a number of calls that may be batched.
func (c *batchFixture) startCalls(ctx context.Context, count int) {
	for number := range count {
		go func() {
			resp, err := c.loop(ctx, fmt.Sprint("m", number))
			if err == nil {
				err = rules.CheckStep(resp.GetStep())
			}
			c.results <- err
		}()
	}
}

// collectErrors waits for a number of calls and returns their errors.
func (c *batchFixture) collectErrors(count int) []error {
	c.t.Helper()
	var list []error
	for range count {
		select {
		case err := <-c.results:
			list = append(list, err)
		case <-time.After(fake.Timeout):
			c.t.Fatalf("timeout while waiting for call %d", len(list)+1)
		}
	}
	return list
}

// fillBatch makes the calls of one full batch and returns their errors.
func (c *batchFixture) fillBatch() []error {
	c.t.Helper()
	c.startCalls(context.Background(), batching.MaxCalls)
	return c.collectErrors(batching.MaxCalls)
}
