package setmatch

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

// outage is the state of a match's calls since the last success. Its methods are pure: they receive the time and the state of
// the links, and return the next value with the actions that the match must perform (DESIGN section 4).
type outage struct {
	down       bool      // an outage: a call failed or no link is ready; the match clock is stopped
	callFailed bool      // a call failed; false: only the connection was lost
	since      time.Time // start of the first failed call, or the loss of the connection
	paused     bool      // the players have received the pause notice

	failures   int           // failed calls
	failedTick int64         // tick of the last failed call
	retryAt    time.Time     // earliest time of the next call
	backoff    time.Duration // current pause between two calls
	connects   int64         // how often a link had become ready at the last failed call

	poisoned      bool // the last failure was poison
	inputFailures int  // consecutive poison failures of calls with inputs

	// Kept when the outage ends
	misses         int       // timeouts since the last successful call
	unbatchedUntil time.Time // MatchLoop calls are not batched before this time
}

// outageAction is an action of the match after a change of its outage.
type outageAction int

const (
	stopClock        outageAction = iota // the outage has begun
	resumeClock                          // the outage has ended
	sendPaused                           // the outage lasts longer
	sendResumed                          // the outage has ended after the pause notice
	closeForDuration                     // the outage has lasted too long
	closeForShutdown                     // the server shuts down during the outage
)

// linkState is the state of the links to the rules service.
type linkState struct {
	reachable bool  // a link is ready
	connects  int64 // how often a link became ready
}

// failedCall is a failed call that must be retried.
type failedCall struct {
	start    callStart
	err      error
	connects int64 // how often a link had become ready
}

// noTick is the tick for matches that do not work in ticks: only the backoff limits their calls after a failure.
const noTick = -1

// canCall reports whether a call may be made now: a link is ready and, after a failed call, the backoff is over. After a
// failure there is at most one call per tick. A connection that was opened after the failure ends the backoff.
func (o outage) canCall(tick int64, now time.Time, links linkState) bool {
	switch {
	case !links.reachable:
		return false
	case !o.down || !o.callFailed:
		return true
	case tick == o.failedTick:
		return false
	default:
		return o.connects != links.connects || !now.Before(o.retryAt)
	}
}

// afterCheck is the outage after a check of the links. It starts or ends an outage without a call, so that an idle match detects
// it too. If a call failed or the queue is not empty, only a successful call ends the outage.
func (o outage) afterCheck(reachable, queueEmpty bool, now time.Time) (outage, []outageAction) {
	switch {
	case !reachable && !o.down:
		return o.begun(now), []outageAction{stopClock}
	case reachable && o.down && !o.callFailed && queueEmpty:
		return o.ended()
	default:
		return o, nil
	}
}

// afterSuccess is the outage after a successful call.
func (o outage) afterSuccess() (outage, []outageAction) {
	o.misses = 0
	if !o.down {
		return o, nil
	}
	return o.ended()
}

// afterFailure is the outage after a failed call. The first failure starts it. The next call gets a longer deadline after a
// timeout, and is not batched after a failure that only some replicas or only this match have.
func (o outage) afterFailure(call failedCall, now time.Time, limits timing) (outage, []outageAction) {
	var actions []outageAction
	if !o.down {
		o, actions = o.begun(call.start.at), []outageAction{stopClock}
	}
	o.callFailed = true
	o.failures++
	o.failedTick = call.start.tick
	o.connects = call.connects
	o.backoff = min(max(2*o.backoff, limits.firstBackoff), limits.backoffCeiling)
	o.retryAt = now.Add(o.backoff)
	o.poisoned = failure.IsPoison(call.err)
	if failure.IsTimeout(call.err) {
		o.misses++
	}
	if status.Code(call.err) == codes.FailedPrecondition {
		o.unbatchedUntil = now.Add(unbatchedTime)
	}
	return o, actions
}

// afterTick is the outage at the end of a tick: a longer outage pauses the match, and one that lasts too long closes it. A
// terminating match is closed at `giveUpAt`; the zero time means that it does not terminate.
func (o outage) afterTick(now, giveUpAt time.Time, limits timing) (outage, []outageAction) {
	if !o.down {
		return o, nil
	}
	var actions []outageAction
	duration := now.Sub(o.since)
	if duration >= limits.pausedAfter && !o.paused {
		o.paused = true
		actions = append(actions, sendPaused)
	}
	switch {
	case duration >= limits.closedAfter:
		actions = append(actions, closeForDuration)
	case !giveUpAt.IsZero() && !now.Before(giveUpAt):
		actions = append(actions, closeForShutdown)
	}
	return o, actions
}

// batches reports whether the next MatchLoop call may be batched: not after a failure whose cause may be this match or its replica.
func (o outage) batches(now time.Time) bool {
	return !o.poisoned && o.misses <= maxBatchedMisses && !now.Before(o.unbatchedUntil)
}

// deadline returns the timeout of a call: the standard timeout, doubled for each miss up to the ceiling.
func (o outage) deadline(standard, ceiling time.Duration) time.Duration {
	for range o.misses {
		if standard >= ceiling {
			break
		}
		standard = min(2*standard, ceiling)
	}
	return standard
}

func (o outage) begun(since time.Time) outage {
	o.down, o.since = true, since
	return o
}

func (o outage) ended() (outage, []outageAction) {
	actions := []outageAction{resumeClock}
	if o.paused {
		actions = append(actions, sendResumed)
	}
	return outage{misses: o.misses, unbatchedUntil: o.unbatchedUntil}, actions
}
