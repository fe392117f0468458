package match

import (
	"context"
	"slices"
	"testing"
	"time"

	"google.golang.org/grpc/codes"

	"setmatch/nakama/batching"
	"setmatch/nakama/internal/config"
	"setmatch/nakama/internal/failure"
	"setmatch/nakama/internal/fake"
	"setmatch/nakama/internal/outage"
	"setmatch/nakama/internal/rules"
	"setmatch/nakama/pb"
)

// isUnbatched reports whether the call of a match is not batched although other calls wait.
func (c *batchFixture) isUnbatched(m *matchState) bool {
	c.t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	go func() { _, _ = m.loopRPC(false)(c.client(), ctx, &pb.MatchLoopRequest{MatchId: "m"}) }()
	c.startCalls(ctx, batching.MaxCalls-1)
	var methods []string
	c.waitUntil("the call", func() bool { methods = c.service.TakeMethods(); return len(methods) > 0 })
	return slices.Equal(methods, []string{"MatchLoop"})
}

func TestMatchWithRecentFailuresIsNotBatched(t *testing.T) {
	cases := map[string]struct {
		after     []codes.Code
		unbatched bool
	}{
		"no failure":      {nil, false},
		"unavailable":     {[]codes.Code{codes.Unavailable, codes.Unavailable}, false},
		"two misses":      {[]codes.Code{codes.DeadlineExceeded, codes.DeadlineExceeded}, false},
		"three misses":    {slices.Repeat([]codes.Code{codes.DeadlineExceeded}, 3), true},
		"poison":          {[]codes.Code{codes.Internal}, true},
		"replica too old": {[]codes.Code{codes.FailedPrecondition}, true},
	}
	for name, one := range cases {
		c := newBatchFixture(t)
		m := &matchState{shared: c.shared}
		for _, code := range one.after {
			m.outage, _ = m.outage.AfterFailure(outage.Failure{Err: fake.ScriptedError(code)}, c.shared.now(), standardTiming().outage)
		}
		if unbatched := c.isUnbatched(m); unbatched != one.unbatched {
			t.Errorf("%s: unbatched %t", name, unbatched)
		}
	}
}

func TestMatchIsBatchedAgainAfterUnbatchedTime(t *testing.T) {
	c := newBatchFixture(t)
	clock := &fake.Clock{At: time.Now()}
	c.shared.now = clock.Now
	m := &matchState{shared: c.shared}
	m.outage, _ = m.outage.AfterFailure(outage.Failure{Err: fake.ScriptedError(codes.FailedPrecondition)}, c.shared.now(), standardTiming().outage)
	clock.Advance(m.outage.UnbatchedUntil.Sub(clock.Now()))
	if c.isUnbatched(m) {
		t.Error("the match is still not batched")
	}
}

func TestBatchesAreCounted(t *testing.T) {
	c := newBatchFixture(t)
	c.fillBatch()
	c.service.FailWith(codes.Unavailable, "MatchBatch")
	c.fillBatch()
	want := map[string]int64{
		"set_rules_calls code=OK method=MatchBatch":          1,
		"set_rules_calls code=Unavailable method=MatchBatch": 1,
		"set_rules_call_time method=MatchBatch":              2,
		"set_rules_batched_calls":                            2 * batching.MaxCalls,
	}
	for name, count := range want {
		if got := c.nakama.Counter(name); got != count {
			t.Errorf("%s is %d, want %d", name, got, count)
		}
	}
}

func TestNoBatchesWithoutWindowOrWithTrace(t *testing.T) {
	if got := (config.Settings{BatchMs: 3}).BatchWindow(); got != 3*time.Millisecond {
		t.Errorf("the window is %v", got)
	}
	for _, s := range []config.Settings{{BatchMs: 0}, {BatchMs: config.MaxBatchMs, Trace: true}} {
		c := dialBatchFixture(t, s)
		c.hold()
		c.fillBatch()
		want := slices.Repeat([]string{"MatchLoop"}, batching.MaxCalls)
		if got := c.service.TakeMethods(); !slices.Equal(got, want) {
			t.Errorf("%+v: calls %q", s, got)
		}
	}
}

func TestBatchWindowSettingEnablesBatches(t *testing.T) {
	c := dialBatchFixture(t, config.Settings{BatchMs: config.MaxBatchMs})
	c.hold()
	c.fillBatch()
	if got := c.service.TakeMethods(); !slices.Contains(got, "MatchBatch") {
		t.Errorf("calls %q", got)
	}
}

func TestMalformedBatchResultFailsOnlyItsMatch(t *testing.T) {
	parts := map[string]*pb.MatchBatchResult{
		"nothing":              {},
		"no step":              {Result: &pb.MatchBatchResult_Response{Response: &pb.MatchLoopResponse{}}},
		"a failure that is OK": {Result: &pb.MatchBatchResult_Failure{Failure: &pb.CallFailure{}}},
	}
	for name, part := range parts {
		c := newBatchFixture(t)
		c.service.Handle("MatchBatch", func(_ context.Context, req any) (any, error) {
			resp := c.service.Batch(req.(*pb.MatchBatchRequest))
			resp.Results[7] = part
			return resp, nil
		})
		failed := slices.DeleteFunc(c.fillBatch(), func(err error) bool { return err == nil })
		if len(failed) != 1 || !failure.IsMalformed(failed[0]) {
			t.Errorf("%s: %v", name, failed)
		}
	}
}

func TestPanicInBatchIsReported(t *testing.T) {
	c := dialBatchFixture(t, config.Settings{})
	panics := make(chan any, 1)
	c.shared.Batcher = rules.NewBatcher(time.Hour, nil, func(value any) { panics <- value })
	c.hold()
	for _, err := range c.fillBatch() {
		if err != nil {
			t.Error(err)
		}
	}
	if len(panics) != 1 {
		t.Errorf("%d panics were reported", len(panics))
	}
}
