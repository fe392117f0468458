package main

import "time"

// timing is the deadlines and pauses of the shim (DESIGN section 4).
type timing struct {
	initDeadline    time.Duration // MatchOptions and MatchInit
	attemptDeadline time.Duration // MatchJoinAttempt
	loopDeadline    time.Duration // MatchLoop
	otherDeadline   time.Duration // every other call
	deadlineCeiling time.Duration // what a deadline may grow to after misses
	firstBackoff    time.Duration // between a failed call and the next try
	backoffCeiling  time.Duration // what that may grow to
	pausedAfter     time.Duration // unreachable this long: players are told
	closedAfter     time.Duration // unreachable this long: the match ends
	poisonedAfter   time.Duration // failing without player inputs this long: the match ends
	reservedFor     time.Duration // how long a reservation counts for the limit of matches; the service decides when it ends
}

// standardTiming returns the timing in production.
func standardTiming() timing {
	return timing{
		initDeadline:    2 * time.Second,
		attemptDeadline: time.Second,
		loopDeadline:    250 * time.Millisecond,
		otherDeadline:   500 * time.Millisecond,
		deadlineCeiling: 2 * time.Second,
		firstBackoff:    50 * time.Millisecond,
		backoffCeiling:  time.Second,
		pausedAfter:     500 * time.Millisecond,
		closedAfter:     5 * time.Minute,
		poisonedAfter:   10 * time.Second,
		reservedFor:     15 * time.Second,
	}
}
