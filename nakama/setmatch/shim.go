package setmatch

import (
	"sync/atomic"
	"time"

	"setmatch/nakama/batching"
	"setmatch/nakama/internal/arrival"
	"setmatch/nakama/internal/checkpoint"
	"setmatch/nakama/internal/effects"
	"setmatch/nakama/internal/limits"
	"setmatch/nakama/internal/lobby"
	"setmatch/nakama/internal/outage"
	"setmatch/nakama/internal/rules"
	"setmatch/nakama/internal/telemetry"
)

// shim is the state that all matches of this process share.
type shim struct {
	rules   *rules.Client
	batcher *batching.Batcher
	inboxes *arrival.Registry // of the matches that handle messages when they arrive

	effects     *effects.Worker
	saves       *checkpoint.Store // nil: matches are not saved
	lastNotice  *atomic.Int64     // time of the last notice of a restart, in nanoseconds since 1970
	open        *lobby.OpenMatches
	members     *lobby.Members
	limits      *limits.Limits
	creations   *creations
	liveMatches *atomic.Int64 // matches that have not stopped
	calls       *atomic.Int64 // calls without a match; selects their link

	meters *telemetry.Meters
	census *telemetry.Census
	panics *telemetry.Panics

	timing timing
	now    func() time.Time
}

// timing is the timeouts and delays of the shim (DESIGN section 4).
type timing struct {
	initDeadline    time.Duration // timeout of MatchOptions and MatchInit
	attemptDeadline time.Duration // timeout of MatchJoinAttempt and MatchReserve
	loopDeadline    time.Duration // timeout of MatchLoop
	otherDeadline   time.Duration // timeout of every other call
	deadlineCeiling time.Duration // maximum of a timeout that was doubled after misses
	outage          outage.Limits
	reservedFor     time.Duration // how long a reservation counts for a user's limit of matches; the service decides when it ends
	revivalGrace    time.Duration // after a revival, before the leaves of old connections
	revivalSpread   time.Duration // maximum of the random part of the grace, so that matches do not all call at the same time
}

// standardTiming returns the timing in production.
func standardTiming() timing {
	return timing{
		initDeadline:    2 * time.Second,
		attemptDeadline: time.Second,
		loopDeadline:    250 * time.Millisecond,
		otherDeadline:   500 * time.Millisecond,
		deadlineCeiling: 2 * time.Second,
		outage: outage.Limits{
			FirstBackoff: 50 * time.Millisecond, BackoffCeiling: time.Second, PausedAfter: 500 * time.Millisecond, ClosedAfter: 5 * time.Minute,
		},
		reservedFor:   15 * time.Second,
		revivalGrace:  5 * time.Second,
		revivalSpread: 5 * time.Second,
	}
}
