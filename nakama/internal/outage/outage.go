// Package outage is the state machine of the outages of the rules service, for one match (docs/design.md, section 4). Its
// functions are pure: they receive the time and the state of the links, and return the next state with the actions of the match.
package outage

import (
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"setmatch/nakama/internal/failure"
)

// maxBatchedMisses is the number of consecutive timeouts after which a match is no longer batched, because its own call may
// be the cause. Fewer timeouts rather mean an overloaded service, which batches relieve.
const maxBatchedMisses = 2

// unbatchedTime is how long a match is not batched after a replica was too old for its state, and does not use that replica
// again. An unbatched match keeps its own link to a newer replica; a batch would use the link of its first call.
const unbatchedTime = 10 * time.Second

// Limits are the times after which an outage changes.
type Limits struct {
	FirstBackoff   time.Duration // between the first failed call and the next call
	BackoffCeiling time.Duration // maximum of the backoff, which doubles
	PausedAfter    time.Duration // duration of an outage before the pause notice
	ClosedAfter    time.Duration // duration of an outage before the match is closed
}

// State is the state of a match's calls since the last success. The zero value is no outage.
type State struct {
	Down       bool      // an outage: a call failed or no link is ready; the match clock is stopped
	callFailed bool      // a call failed; false: only the connection was lost
	since      time.Time // start of the first failed call, or the loss of the connection
	Paused     bool      // the players have received the pause notice

	Failures   int           // failed calls
	failedTick int64         // tick of the last failed call
	retryAt    time.Time     // earliest time of the next call
	backoff    time.Duration // current pause between two calls
	connects   int64         // how often a link had become ready at the last failed call

	poisoned      bool // the last failure was poison
	InputFailures int  // consecutive poison failures of calls with inputs

	// Kept when the outage ends
	misses         int       // timeouts since the last successful call
	UnbatchedUntil time.Time // MatchLoop calls are not batched before this time
}

// Action is an action of the match after a change of its outage.
type Action int

const (
	StopClock        Action = iota // the outage has begun
	ResumeClock                    // the outage has ended
	SendPaused                     // the outage lasts longer
	SendResumed                    // the outage has ended after the pause notice
	CloseForDuration               // the outage has lasted too long
	CloseForShutdown               // the server shuts down during the outage
)

// Links is the state of the links to the rules service.
type Links struct {
	Reachable bool  // a link is ready
	Connects  int64 // how often a link became ready
}

// Failure is a failed call that must be retried.
type Failure struct {
	Tick     int64     // Nakama's number of the tick, or NoTick
	At       time.Time // start of the call
	Err      error
	Connects int64 // how often a link had become ready
}

// NoTick is the tick for matches that do not work in ticks: only the backoff limits their calls after a failure.
const NoTick = -1

// CanCall reports whether a call may be made now: a link is ready and, after a failed call, the backoff is over. After a
// failure there is at most one call per tick. A connection that was opened after the failure ends the backoff.
func (o State) CanCall(tick int64, now time.Time, links Links) bool {
	switch {
	case !links.Reachable:
		return false
	case !o.Down || !o.callFailed:
		return true
	case tick == o.failedTick:
		return false
	default:
		return o.connects != links.Connects || !now.Before(o.retryAt)
	}
}

// AfterCheck is the outage after a check of the links. It starts or ends an outage without a call, so that an idle match detects
// it too. If a call failed or the queue is not empty, only a successful call ends the outage.
func (o State) AfterCheck(reachable, queueEmpty bool, now time.Time) (State, []Action) {
	switch {
	case !reachable && !o.Down:
		return o.begun(now), []Action{StopClock}
	case reachable && o.Down && !o.callFailed && queueEmpty:
		return o.ended()
	default:
		return o, nil
	}
}

// AfterSuccess is the outage after a successful call.
func (o State) AfterSuccess() (State, []Action) {
	o.misses = 0
	if !o.Down {
		return o, nil
	}
	return o.ended()
}

// AfterFailure is the outage after a failed call. The first failure starts it. The next call gets a longer deadline after a
// timeout, and is not batched after a failure that only some replicas or only this match have.
func (o State) AfterFailure(call Failure, now time.Time, limits Limits) (State, []Action) {
	var actions []Action
	if !o.Down {
		o, actions = o.begun(call.At), []Action{StopClock}
	}
	o.callFailed = true
	o.Failures++
	o.failedTick = call.Tick
	o.connects = call.Connects
	o.backoff = min(max(2*o.backoff, limits.FirstBackoff), limits.BackoffCeiling)
	o.retryAt = now.Add(o.backoff)
	o.poisoned = failure.IsPoison(call.Err)
	if failure.IsTimeout(call.Err) {
		o.misses++
	}
	if status.Code(call.Err) == codes.FailedPrecondition {
		o.UnbatchedUntil = now.Add(unbatchedTime)
	}
	return o, actions
}

// AfterTick is the outage at the end of a tick: a longer outage pauses the match, and one that lasts too long closes it. A
// terminating match is closed at `giveUpAt`; the zero time means that it does not terminate.
func (o State) AfterTick(now, giveUpAt time.Time, limits Limits) (State, []Action) {
	if !o.Down {
		return o, nil
	}
	var actions []Action
	duration := now.Sub(o.since)
	if duration >= limits.PausedAfter && !o.Paused {
		o.Paused = true
		actions = append(actions, SendPaused)
	}
	switch {
	case duration >= limits.ClosedAfter:
		actions = append(actions, CloseForDuration)
	case !giveUpAt.IsZero() && !now.Before(giveUpAt):
		actions = append(actions, CloseForShutdown)
	}
	return o, actions
}

// Batches reports whether the next MatchLoop call may be batched: not after a failure whose cause may be this match or its replica.
func (o State) Batches(now time.Time) bool {
	return !o.poisoned && o.misses <= maxBatchedMisses && !now.Before(o.UnbatchedUntil)
}

// Deadline returns the timeout of a call: the standard timeout, doubled for each miss up to the ceiling.
func (o State) Deadline(standard, ceiling time.Duration) time.Duration {
	for range o.misses {
		if standard >= ceiling {
			break
		}
		standard = min(2*standard, ceiling)
	}
	return standard
}

func (o State) begun(since time.Time) State {
	o.Down, o.since = true, since
	return o
}

func (o State) ended() (State, []Action) {
	actions := []Action{ResumeClock}
	if o.Paused {
		actions = append(actions, SendResumed)
	}
	return State{misses: o.misses, UnbatchedUntil: o.UnbatchedUntil}, actions
}
