package setmatch

import (
	"sync/atomic"
	"time"

	"setmatch/nakama/batching"
	"setmatch/nakama/internal/checkpoint"
	"setmatch/nakama/internal/effects"
	"setmatch/nakama/internal/limits"
	"setmatch/nakama/internal/lobby"
	"setmatch/nakama/internal/telemetry"
)

// shim is the state that all matches of this process share.
type shim struct {
	links   rulesLinks
	batcher *batching.Batcher

	effects     *effects.Worker
	saves       *checkpoint.Store // nil: matches are not saved
	lastNotice  *atomic.Int64     // time of the last notice of a restart, in nanoseconds since 1970
	open        *lobby.OpenMatches
	members     *lobby.Members
	limits      *limits.Limits
	creations   *creations
	liveMatches *atomic.Int64 // matches that have not stopped
	calls       *atomic.Int64 // calls without a match; selects their link

	meters   *telemetry.Meters
	census   *telemetry.Census
	problems *telemetry.ProblemLog
	panics   *telemetry.Panics
	trace    bool // calls carry a trace header

	timing timing
	now    func() time.Time
}
