package outage

import (
	"reflect"
	"testing"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

var (
	limits = Limits{
		FirstBackoff: 50 * time.Millisecond, BackoffCeiling: time.Second, PausedAfter: 500 * time.Millisecond, ClosedAfter: 5 * time.Minute,
	}
	start = time.Date(2026, 11, 29, 12, 0, 0, 0, time.UTC)
)

// failedAt returns a call that started at a time and failed with a code in tick 7, when a link had become ready once.
func failedAt(at time.Time, code codes.Code) Failure {
	return Failure{Tick: 7, At: at, Err: status.Error(code, "scripted"), Connects: 1}
}

// afterFailures returns the outage after calls that failed at once with these codes.
func afterFailures(list ...codes.Code) State {
	var o State
	for _, code := range list {
		o, _ = o.AfterFailure(failedAt(start, code), start, limits)
	}
	return o
}

func wantActions(t *testing.T, got []Action, want ...Action) {
	t.Helper()
	if len(got)+len(want) > 0 && !reflect.DeepEqual(got, want) {
		t.Errorf("actions %v, want %v", got, want)
	}
}

func TestCheckOfLinksStartsAndEndsOutage(t *testing.T) {
	failed := afterFailures(codes.Unavailable)
	for name, test := range map[string]struct {
		before                State
		reachable, queueEmpty bool
		down                  bool
		actions               []Action
	}{
		"reachable":                          {State{}, true, true, false, nil},
		"lost connection":                    {State{}, false, true, true, []Action{StopClock}},
		"still lost":                         {State{Down: true}, false, true, true, nil},
		"new connection":                     {State{Down: true}, true, true, false, []Action{ResumeClock}},
		"new connection after a pause":       {State{Down: true, Paused: true}, true, true, false, []Action{ResumeClock, SendResumed}},
		"new connection with a queue":        {State{Down: true}, true, false, true, nil},
		"new connection after a failed call": {failed, true, true, true, nil},
	} {
		t.Run(name, func(t *testing.T) {
			after, actions := test.before.AfterCheck(test.reachable, test.queueEmpty, start)
			if after.Down != test.down {
				t.Errorf("down %t", after.Down)
			}
			wantActions(t, actions, test.actions...)
		})
	}
}

func TestFirstFailureStartsOutageAtStartOfCall(t *testing.T) {
	called := start.Add(-time.Second)
	first, actions := State{}.AfterFailure(failedAt(called, codes.Unavailable), start, limits)
	wantActions(t, actions, StopClock)
	second, actions := first.AfterFailure(failedAt(start, codes.Unavailable), start, limits)
	wantActions(t, actions)
	if !second.since.Equal(called) || second.Failures != 2 {
		t.Errorf("since %v, %d failures", second.since, second.Failures)
	}
}

func TestCallIsMadeOnlyAfterBackoffOrNewConnection(t *testing.T) {
	failed, lost := afterFailures(codes.Unavailable), State{Down: true}
	backoff := start.Add(limits.FirstBackoff)
	for name, test := range map[string]struct {
		before State
		tick   int64
		now    time.Time
		links  Links
		can    bool
	}{
		"no outage":                       {State{}, 7, start, Links{true, 1}, true},
		"no link":                         {State{}, 7, start, Links{false, 1}, false},
		"only the connection was lost":    {lost, 7, start, Links{true, 1}, true},
		"same tick":                       {failed, 7, backoff, Links{true, 1}, false},
		"before the end of the backoff":   {failed, 8, backoff.Add(-1), Links{true, 1}, false},
		"at the end of the backoff":       {failed, 8, backoff, Links{true, 1}, true},
		"new connection in the backoff":   {failed, 8, start, Links{true, 2}, true},
		"new connection in the same tick": {failed, 7, start, Links{true, 2}, false},
	} {
		if can := test.before.CanCall(test.tick, test.now, test.links); can != test.can {
			t.Errorf("%s: %t", name, can)
		}
	}
}

func TestLongOutagePausesAndClosesMatch(t *testing.T) {
	running, paused := State{Down: true, since: start}, State{Down: true, since: start, Paused: true}
	for name, test := range map[string]struct {
		before   State
		after    time.Duration
		giveUpAt time.Duration // after the start of the outage; 0: the server does not shut down
		actions  []Action
	}{
		"no outage":         {State{}, time.Hour, time.Minute, nil},
		"short":             {running, limits.PausedAfter - 1, 0, nil},
		"longer":            {running, limits.PausedAfter, 0, []Action{SendPaused}},
		"already paused":    {paused, limits.ClosedAfter - 1, 0, nil},
		"too long":          {paused, limits.ClosedAfter, 0, []Action{CloseForDuration}},
		"before the limit":  {paused, time.Second, 2 * time.Second, nil},
		"server shuts down": {paused, 2 * time.Second, 2 * time.Second, []Action{CloseForShutdown}},
		"pause and close":   {running, time.Second, time.Second, []Action{SendPaused, CloseForShutdown}},
	} {
		t.Run(name, func(t *testing.T) {
			var giveUpAt time.Time
			if test.giveUpAt > 0 {
				giveUpAt = start.Add(test.giveUpAt)
			}
			_, actions := test.before.AfterTick(start.Add(test.after), giveUpAt, limits)
			wantActions(t, actions, test.actions...)
		})
	}
}

func TestSuccessKeepsOnlyTimeWithoutBatches(t *testing.T) {
	before := afterFailures(codes.FailedPrecondition, codes.DeadlineExceeded, codes.Internal)
	after, actions := before.AfterSuccess()
	wantActions(t, actions, ResumeClock)
	if want := (State{UnbatchedUntil: start.Add(unbatchedTime)}); after != want {
		t.Errorf("got %+v", after)
	}
}

func TestDeadlineDoublesAfterTimeoutsUpToCeiling(t *testing.T) {
	got := []time.Duration{}
	for misses := range 6 {
		got = append(got, State{misses: misses}.Deadline(250*time.Millisecond, 2*time.Second))
	}
	want := []time.Duration{250 * time.Millisecond, 500 * time.Millisecond, time.Second, 2 * time.Second, 2 * time.Second, 2 * time.Second}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}
