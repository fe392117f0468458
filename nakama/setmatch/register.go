// Package setmatch is the plugin for Nakama. It registers a match handler that keeps the state of each match as opaque bytes and
// forwards the callbacks to the rules service over gRPC. It does not depend on the rules of the game.
package setmatch

import (
	"context"
	"database/sql"
	"errors"

	"github.com/heroiclabs/nakama-common/runtime"

	"setmatch/nakama/internal/config"
	"setmatch/nakama/internal/lobby"
	"setmatch/nakama/internal/match"
	"setmatch/nakama/internal/retention"
	"setmatch/nakama/internal/rules"
)

// Register registers the match handler, the RPCs and the hooks. InitModule of a plugin calls it once and passes its own
// arguments. The settings are read from Nakama's runtime.env. Register does not wait for the rules service. An error contains the
// name of the invalid setting.
func Register(
	ctx context.Context, logger runtime.Logger, db *sql.DB, nk runtime.NakamaModule, initializer runtime.Initializer,
) error {
	env, _ := ctx.Value(runtime.RUNTIME_CTX_ENV).(map[string]string)
	settings, err := config.Read(env)
	if err != nil {
		return err
	}
	config.WarnUnknown(env, logger)
	matches := match.New(nk, logger, settings)
	matches.Meters.Initialize()
	report := func(where string) func(any) {
		return func(value any) { matches.Panics.Report(logger, where, value) }
	}
	matches.Batcher = rules.NewBatcher(settings.BatchWindow(), matches.Meters, report("batches"))
	if matches.Rules.Links, err = rules.Dial(settings, nil, report("connections")); err != nil {
		return err
	}
	if err := errors.Join(registerMatches(initializer, matches), newLobby(matches, settings).Register(initializer)); err != nil {
		return err
	}
	if err := matches.OpenSaves(ctx, logger, db, settings); err != nil {
		return err
	}
	if err := matches.Revive(ctx, nk); err != nil {
		return err
	}
	matches.Effects.Load()
	cleaner := retention.New(retention.Config{
		Store: nk, Saves: matches.Saves, Days: settings.RecordDays, Folder: settings.RescueDir, Logger: logger,
	})
	go matches.Panics.Run(logger, "retention", func() { cleaner.Run(ctx) })
	return nil
}

func registerMatches(initializer runtime.Initializer, matches *match.Shared) error {
	return errors.Join(
		initializer.RegisterMatch(match.Module, matches.NewHandler),
		initializer.RegisterBeforeRt("MatchDataSend", matches.Inboxes.Hook),
		initializer.RegisterShutdown(matches.Shutdown),
	)
}

func newLobby(matches *match.Shared, settings config.Settings) *lobby.Lobby {
	return lobby.New(lobby.Config{
		Matches: matches, Open: matches.Open, Members: matches.Members, Rules: matches.Rules, Limits: matches.Limits,
		Meters: matches.Meters, Panics: matches.Panics, AllowRelayed: settings.AllowRelayed,
	})
}
