package setmatch

import (
	"reflect"
	"testing"
	"time"

	"google.golang.org/grpc/codes"
)

var (
	outageTiming = standardTiming()
	outageStart  = time.Date(2026, 11, 29, 12, 0, 0, 0, time.UTC)
)

// failedAt returns a call that started at a time and failed with a code in tick 7, when a link had become ready once.
func failedAt(at time.Time, code codes.Code) failedCall {
	return failedCall{start: callStart{tick: 7, at: at}, err: scriptedError(code), connects: 1}
}

// afterFailures returns the outage after calls that failed at once with these codes.
func afterFailures(list ...codes.Code) outage {
	var o outage
	for _, code := range list {
		o, _ = o.afterFailure(failedAt(outageStart, code), outageStart, outageTiming)
	}
	return o
}

func wantOutageActions(t *testing.T, got []outageAction, want ...outageAction) {
	t.Helper()
	if len(got)+len(want) > 0 && !reflect.DeepEqual(got, want) {
		t.Errorf("actions %v, want %v", got, want)
	}
}

func TestCheckOfLinksStartsAndEndsOutage(t *testing.T) {
	failed := afterFailures(codes.Unavailable)
	for name, test := range map[string]struct {
		before                outage
		reachable, queueEmpty bool
		down                  bool
		actions               []outageAction
	}{
		"reachable":                          {outage{}, true, true, false, nil},
		"lost connection":                    {outage{}, false, true, true, []outageAction{stopClock}},
		"still lost":                         {outage{down: true}, false, true, true, nil},
		"new connection":                     {outage{down: true}, true, true, false, []outageAction{resumeClock}},
		"new connection after a pause":       {outage{down: true, paused: true}, true, true, false, []outageAction{resumeClock, sendResumed}},
		"new connection with a queue":        {outage{down: true}, true, false, true, nil},
		"new connection after a failed call": {failed, true, true, true, nil},
	} {
		t.Run(name, func(t *testing.T) {
			after, actions := test.before.afterCheck(test.reachable, test.queueEmpty, outageStart)
			if after.down != test.down {
				t.Errorf("down %t", after.down)
			}
			wantOutageActions(t, actions, test.actions...)
		})
	}
}

func TestFirstFailureStartsOutageAtStartOfCall(t *testing.T) {
	called := outageStart.Add(-time.Second)
	first, actions := outage{}.afterFailure(failedAt(called, codes.Unavailable), outageStart, outageTiming)
	wantOutageActions(t, actions, stopClock)
	second, actions := first.afterFailure(failedAt(outageStart, codes.Unavailable), outageStart, outageTiming)
	wantOutageActions(t, actions)
	if !second.since.Equal(called) || second.failures != 2 {
		t.Errorf("since %v, %d failures", second.since, second.failures)
	}
}

func TestCallIsMadeOnlyAfterBackoffOrNewConnection(t *testing.T) {
	failed, lost := afterFailures(codes.Unavailable), outage{down: true}
	backoff := outageStart.Add(outageTiming.firstBackoff)
	for name, test := range map[string]struct {
		before outage
		tick   int64
		now    time.Time
		links  linkState
		can    bool
	}{
		"no outage":                       {outage{}, 7, outageStart, linkState{true, 1}, true},
		"no link":                         {outage{}, 7, outageStart, linkState{false, 1}, false},
		"only the connection was lost":    {lost, 7, outageStart, linkState{true, 1}, true},
		"same tick":                       {failed, 7, backoff, linkState{true, 1}, false},
		"before the end of the backoff":   {failed, 8, backoff.Add(-1), linkState{true, 1}, false},
		"at the end of the backoff":       {failed, 8, backoff, linkState{true, 1}, true},
		"new connection in the backoff":   {failed, 8, outageStart, linkState{true, 2}, true},
		"new connection in the same tick": {failed, 7, outageStart, linkState{true, 2}, false},
	} {
		if can := test.before.canCall(test.tick, test.now, test.links); can != test.can {
			t.Errorf("%s: %t", name, can)
		}
	}
}

func TestLongOutagePausesAndClosesMatch(t *testing.T) {
	running, paused := outage{down: true, since: outageStart}, outage{down: true, since: outageStart, paused: true}
	for name, test := range map[string]struct {
		before   outage
		after    time.Duration
		giveUpAt time.Duration // after the start of the outage; 0: the server does not shut down
		actions  []outageAction
	}{
		"no outage":         {outage{}, time.Hour, time.Minute, nil},
		"short":             {running, outageTiming.pausedAfter - 1, 0, nil},
		"longer":            {running, outageTiming.pausedAfter, 0, []outageAction{sendPaused}},
		"already paused":    {paused, outageTiming.closedAfter - 1, 0, nil},
		"too long":          {paused, outageTiming.closedAfter, 0, []outageAction{closeForDuration}},
		"before the limit":  {paused, time.Second, 2 * time.Second, nil},
		"server shuts down": {paused, 2 * time.Second, 2 * time.Second, []outageAction{closeForShutdown}},
		"pause and close":   {running, time.Second, time.Second, []outageAction{sendPaused, closeForShutdown}},
	} {
		t.Run(name, func(t *testing.T) {
			var giveUpAt time.Time
			if test.giveUpAt > 0 {
				giveUpAt = outageStart.Add(test.giveUpAt)
			}
			_, actions := test.before.afterTick(outageStart.Add(test.after), giveUpAt, outageTiming)
			wantOutageActions(t, actions, test.actions...)
		})
	}
}

func TestSuccessKeepsOnlyTimeWithoutBatches(t *testing.T) {
	before := afterFailures(codes.FailedPrecondition, codes.DeadlineExceeded, codes.Internal)
	after, actions := before.afterSuccess()
	wantOutageActions(t, actions, resumeClock)
	if want := (outage{unbatchedUntil: outageStart.Add(unbatchedTime)}); after != want {
		t.Errorf("got %+v", after)
	}
}

func TestDeadlineDoublesAfterTimeoutsUpToCeiling(t *testing.T) {
	got := []time.Duration{}
	for misses := range 6 {
		got = append(got, outage{misses: misses}.deadline(250*time.Millisecond, 2*time.Second))
	}
	want := []time.Duration{250 * time.Millisecond, 500 * time.Millisecond, time.Second, 2 * time.Second, 2 * time.Second, 2 * time.Second}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}
