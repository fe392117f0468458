package main

import (
	"context"
	"database/sql"
	"time"

	"github.com/heroiclabs/nakama-common/runtime"
)

// settleInterval is how often the end of the last match and write is looked for.
const settleInterval = 20 * time.Millisecond

// shutdown runs beside the matches that are being terminated, so it must not close the connections: it waits for the
// matches to end and for everything to be written.
func (s *shim) shutdown(ctx context.Context, logger runtime.Logger, _ *sql.DB, _ runtime.NakamaModule) {
	defer s.recovered(logger, "shutdown")
	s.settle(ctx)
}

// settle waits until all matches have stopped and everything has been written, or the grace time is over.
func (s *shim) settle(ctx context.Context) {
	ticker := time.NewTicker(settleInterval)
	defer ticker.Stop()
	for s.live.Load() > 0 || !s.effects.idle() {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
	}
}
