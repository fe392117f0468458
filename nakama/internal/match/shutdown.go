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
	// saveReserve is the part of the server's grace time that is reserved for saving unwritten effects.
	saveReserve = time.Second
	// fileReserve is the part of that time that is reserved for writing files: Nakama ends the process at the end.
	fileReserve = saveReserve / 2
)

// Shutdown waits until all matches have stopped and all effects are written, and saves the rest shortly before the grace time
// ends. It runs concurrently with the matches' termination, so it must not close the connections.
func (s *Shared) Shutdown(ctx context.Context, logger runtime.Logger, _ *sql.DB, _ runtime.NakamaModule) {
	defer s.Panics.Recover(logger, "shutdown")
	s.Effects.Drain()
	idle, cancel := endingEarlier(ctx, saveReserve)
	defer cancel()
	s.waitUntilIdle(idle)
	rows, cancel := endingEarlier(ctx, fileReserve)
	defer cancel()
	s.Effects.Stop(rows)
	if err := s.Saves.Close(ctx); err != nil {
		logger.WithField("error", err.Error()).Warn("set: not all matches were saved")
	}
	select {
	case <-ctx.Done():
	case <-s.afterNotices():
	}
}

// endingEarlier returns a context that ends before its parent by a reserve, at most half of the time that is left.
func endingEarlier(parent context.Context, reserve time.Duration) (context.Context, context.CancelFunc) {
	deadline, ok := parent.Deadline()
	if !ok {
		return parent, func() {}
	}
	return context.WithDeadline(parent, deadline.Add(-min(reserve, time.Until(deadline)/2)))
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
