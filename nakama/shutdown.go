package main

import (
	"context"
	"database/sql"
	"time"

	"github.com/heroiclabs/nakama-common/runtime"
)

const (
	// settleInterval is how often the end of the last match and write is looked for.
	settleInterval = 20 * time.Millisecond
	// saveReserve is kept of the server's grace time, or a quarter of it if that is less, for saving what is not written.
	saveReserve = time.Second
)

// shutdown runs beside the matches that are being terminated, so it must not close the connections: it waits for the
// matches to end and for everything to be written. Just before the grace time ends, it saves the rest.
func (s *shim) shutdown(ctx context.Context, logger runtime.Logger, _ *sql.DB, _ runtime.NakamaModule) {
	defer s.recovered(logger, "shutdown")
	s.effects.Drain()
	defer s.effects.Stop()
	if deadline, bounded := ctx.Deadline(); bounded {
		grace := time.Until(deadline)
		shorter, cancel := context.WithDeadline(ctx, deadline.Add(-min(saveReserve, grace/4)))
		defer cancel()
		ctx = shorter
	}
	s.settle(ctx)
}

// settle waits until all matches have stopped and everything has been written, or the context ends.
func (s *shim) settle(ctx context.Context) {
	ticker := time.NewTicker(settleInterval)
	defer ticker.Stop()
	for s.live.Load() > 0 || !s.effects.Idle() {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
	}
}
