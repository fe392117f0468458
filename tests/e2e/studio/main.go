// Package main is an example of a studio's own plugin. It contains the plugin of this project and has its own hooks before
// MatchJoin and for matched tickets.
package main

import (
	"context"
	"database/sql"
	"errors"

	"github.com/heroiclabs/nakama-common/rtapi"
	"github.com/heroiclabs/nakama-common/runtime"

	"setmatch/nakama/setmatch"
)

// InitModule registers the studio's hooks before those of the match handler.
func InitModule(
	ctx context.Context, logger runtime.Logger, db *sql.DB, nk runtime.NakamaModule, initializer runtime.Initializer,
) error {
	chain := setmatch.Chain(initializer)
	return errors.Join(
		chain.RegisterBeforeRt("MatchJoin", checkJoin),
		chain.RegisterMatchmakerMatched(logTickets),
		setmatch.Register(ctx, logger, db, nk, chain),
	)
}

// checkJoin rejects a join with the metadata "banned".
func checkJoin(
	_ context.Context, logger runtime.Logger, _ *sql.DB, _ runtime.NakamaModule, in *rtapi.Envelope,
) (*rtapi.Envelope, error) {
	if in.GetMatchJoin().GetMetadata()["banned"] != "" {
		return nil, runtime.NewError("the studio has banned you", 7)
	}
	logger.Info("studio: join allowed")
	return in, nil
}

// logTickets returns no match id, so the next function creates the match.
func logTickets(
	_ context.Context, logger runtime.Logger, _ *sql.DB, _ runtime.NakamaModule, entries []runtime.MatchmakerEntry,
) (string, error) {
	logger.Info("studio: %d tickets matched", len(entries))
	return "", nil
}
