package match

import (
	"context"
	"database/sql"
	"time"

	"github.com/heroiclabs/nakama-common/runtime"
)

const (
	// idlePollInterval is the interval of the checks for running matches and unwritten effects.
	idlePollInterval = 20 * time.Millisecond
	// saveReserve is the part of the server's grace time, at most a quarter of it, that is reserved for saving unwritten
	// effects.
	saveReserve = time.Second
)

// Shutdown waits until all matches have stopped and all effects are written, and saves the rest shortly before the grace time
// ends. It runs concurrently with the matches' termination, so it must not close the connections.
func (s *Shared) Shutdown(ctx context.Context, logger runtime.Logger, _ *sql.DB, _ runtime.NakamaModule) {
	defer s.Panics.Recover(logger, "shutdown")
	s.Effects.Drain()
	s.waitInGrace(ctx)
	s.Effects.Stop(ctx)
	if err := s.Saves.Close(ctx); err != nil {
		logger.WithField("error", err.Error()).Warn("set: not all matches were saved")
	}
	select {
	case <-ctx.Done():
	case <-s.afterNotices():
	}
}

// waitInGrace waits until the server is idle, at most until the reserve of the grace time begins.
func (s *Shared) waitInGrace(ctx context.Context) {
	if deadline, ok := ctx.Deadline(); ok {
		grace := time.Until(deadline)
		shorter, cancel := context.WithDeadline(ctx, deadline.Add(-min(saveReserve, grace/4)))
		defer cancel()
		ctx = shorter
	}
	s.waitUntilIdle(ctx)
}

// waitUntilIdle waits until all matches have stopped and all effects are written, or the context ends.
func (s *Shared) waitUntilIdle(ctx context.Context) {
	ticker := time.NewTicker(idlePollInterval)
	defer ticker.Stop()
	for s.liveMatches.Load() > 0 || !s.Effects.Idle() {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
	}
}
