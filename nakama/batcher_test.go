package main

import (
	"context"
	"slices"
	"testing"
	"time"

	"google.golang.org/grpc/codes"

	"setmatch/nakama/batching"
	"setmatch/nakama/pb"
)

// isAlone reports whether a match makes its call alone, where it could fill a batch with others.
func (c *company) isAlone(m *matchState) bool {
	c.t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	go func() { _, _ = m.loopRPC()(c.shim.rules.links[0].client, ctx, &pb.MatchLoopRequest{MatchId: "m"}) }()
	c.come(ctx, batching.MaxCalls-1)
	var methods []string
	c.await("the call", func() bool { methods = c.service.methods(); return len(methods) > 0 })
	return slices.Equal(methods, []string{"MatchLoop"})
}

func TestAMatchInDoubtCallsAlone(t *testing.T) {
	cases := map[string]struct {
		after []codes.Code
		alone bool
	}{
		"well":             {nil, false},
		"away":             {[]codes.Code{codes.Unavailable, codes.Unavailable}, false},
		"two misses":       {[]codes.Code{codes.DeadlineExceeded, codes.DeadlineExceeded}, false},
		"three misses":     {slices.Repeat([]codes.Code{codes.DeadlineExceeded}, 3), true},
		"fails by content": {[]codes.Code{codes.Internal}, true},
		"needs a newer":    {[]codes.Code{codes.FailedPrecondition}, true},
	}
	for name, one := range cases {
		c := newCompany(t)
		m := &matchState{shim: c.shim}
		for _, code := range one.after {
			m.countMiss(scriptedError(code))
			m.countPoison(scriptedError(code))
		}
		if alone := c.isAlone(m); alone != one.alone {
			t.Errorf("%s: alone %t", name, alone)
		}
	}
}

func TestAMatchInDoubtAboutReplicasCallsInCompanyAgainLater(t *testing.T) {
	c := newCompany(t)
	clock := &fakeClock{at: time.Now()}
	c.shim.now = clock.now
	m := &matchState{shim: c.shim}
	m.countMiss(scriptedError(codes.FailedPrecondition))
	clock.pass(choosyFor)
	if c.isAlone(m) {
		t.Error("the match still calls alone")
	}
}

func TestBatchesAreCounted(t *testing.T) {
	c := newCompany(t)
	c.fill()
	c.service.failing(codes.Unavailable, "MatchBatch")
	c.fill()
	want := map[string]int64{
		"set_rules_calls code=OK method=MatchBatch":          1,
		"set_rules_calls code=Unavailable method=MatchBatch": 1,
		"set_rules_call_time method=MatchBatch":              2,
		"set_rules_batched_calls":                            2 * batching.MaxCalls,
	}
	for name, count := range want {
		if got := c.nakama.counter(name); got != count {
			t.Errorf("%s is %d, want %d", name, got, count)
		}
	}
}

func TestNoCallIsSharedWhereNoneIsToWaitOrCallsAreTraced(t *testing.T) {
	if got := (settings{batchMs: 3}).window(); got != 3*time.Millisecond {
		t.Errorf("the window is %v", got)
	}
	for _, s := range []settings{{batchMs: 0}, {batchMs: maxBatchMs, trace: true}} {
		c := dialCompany(t, s)
		c.hold()
		c.fill()
		want := slices.Repeat([]string{"MatchLoop"}, batching.MaxCalls)
		if got := c.service.methods(); !slices.Equal(got, want) {
			t.Errorf("%+v: calls %q", s, got)
		}
	}
}

func TestCallsAreSharedByTheSetting(t *testing.T) {
	c := dialCompany(t, settings{batchMs: maxBatchMs})
	c.hold()
	c.fill()
	if got := c.service.methods(); !slices.Contains(got, "MatchBatch") {
		t.Errorf("calls %q", got)
	}
}

func TestAPartThatIsNeitherAnswerNorFailureIsRefusedByItsMatchAlone(t *testing.T) {
	parts := map[string]*pb.MatchBatchResult{
		"nothing":              {},
		"no step":              {Result: &pb.MatchBatchResult_Response{Response: &pb.MatchLoopResponse{}}},
		"a failure that is OK": {Result: &pb.MatchBatchResult_Failure{Failure: &pb.CallFailure{}}},
	}
	for name, part := range parts {
		c := newCompany(t)
		c.service.on("MatchBatch", func(_ context.Context, req any) (any, error) {
			resp := c.service.batch(req.(*pb.MatchBatchRequest))
			resp.Results[7] = part
			return resp, nil
		})
		failed := slices.DeleteFunc(c.fill(), func(err error) bool { return err == nil })
		if len(failed) != 1 || !isMalformed(failed[0]) {
			t.Errorf("%s: %v", name, failed)
		}
	}
}

func TestAPanicOfABatchIsReported(t *testing.T) {
	c := dialCompany(t, settings{})
	panicked := make(chan any, 1)
	c.shim.rules.batcher = newBatcher(time.Hour, nil, func(value ...any) { panicked <- value })
	c.hold()
	for _, err := range c.fill() {
		if err != nil {
			t.Error(err)
		}
	}
	if len(panicked) != 1 {
		t.Errorf("%d panics were reported", len(panicked))
	}
}
