// Package match is the match handler. It keeps the state of each match as opaque bytes and forwards Nakama's callbacks to the rules
// service (docs/design.md, section 4).
package match

import (
	"sync/atomic"
	"time"

	"github.com/heroiclabs/nakama-common/runtime"

	"setmatch/nakama/batching"
	"setmatch/nakama/internal/arrival"
	"setmatch/nakama/internal/checkpoint"
	"setmatch/nakama/internal/config"
	"setmatch/nakama/internal/effects"
	"setmatch/nakama/internal/limits"
	"setmatch/nakama/internal/outage"
	"setmatch/nakama/internal/registry"
	"setmatch/nakama/internal/rules"
	"setmatch/nakama/internal/telemetry"
)

// Shared is the state that all matches of this process share.
type Shared struct {
	Rules   *rules.Client
	Batcher *batching.Batcher
	Inboxes *arrival.Registry // of the matches that handle messages when they arrive
	Effects *effects.Worker
	Saves   *checkpoint.Store // nil: matches are not saved
	Open    *registry.OpenMatches
	Members *registry.Members
	Limits  *limits.Limits
	Meters  *telemetry.Meters
	Census  *telemetry.Census
	Panics  *telemetry.Panics

	creations   *creations
	liveMatches atomic.Int64 // matches that have not stopped
	lastNotice  atomic.Int64 // time of the last notice of a restart, in nanoseconds since 1970
	timing      timing
	now         func() time.Time
}

// New returns the state of a process without matches. Rules has no links and Batcher is nil: the caller sets both.
func New(nk runtime.NakamaModule, logger runtime.Logger, cfg config.Settings) *Shared {
	s := &Shared{
		creations: newCreations(), Meters: telemetry.NewMeters(nk), timing: standardTiming(), now: time.Now,
		Open: registry.NewOpenMatches(), Census: telemetry.NewCensus(nk),
	}
	now := func() time.Time { return s.now() }
	s.Members, s.Limits = registry.NewMembers(now), limits.New(cfg.Limits, now)
	s.Rules = &rules.Client{Meters: s.Meters, Problems: telemetry.NewProblemLog(logger, now, cfg.Hint()), Trace: cfg.Trace}
	s.Panics = telemetry.NewPanics(s.Meters)
	s.Inboxes = arrival.New(arrival.Config{
		Nakama: nk, Now: now, Panicked: func(value any) { s.Panics.Report(logger, "inboxes", value) },
	})
	s.Effects = effects.New(effects.Config{
		Sink: nk, Folder: cfg.RescueDir, Meters: s.Meters, Logger: logger, Now: now,
		Panicked: func(value any) { s.Panics.Report(logger, "effects", value) },
	})
	return s
}

// timing is the timeouts and delays of the shim (docs/design.md, section 4).
type timing struct {
	initDeadline    time.Duration // timeout of MatchInit
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
