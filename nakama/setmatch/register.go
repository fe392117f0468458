// Package setmatch is the plugin for Nakama. It registers a match handler that keeps the state of each match as opaque bytes and
// forwards the callbacks to the rules service over gRPC. It does not depend on the rules of the game.
package setmatch

import (
	"context"
	"database/sql"
	"errors"
	"sync/atomic"
	"time"

	"github.com/heroiclabs/nakama-common/runtime"

	"setmatch/nakama/internal/arrival"
	"setmatch/nakama/internal/config"
	"setmatch/nakama/internal/effects"
	"setmatch/nakama/internal/limits"
	"setmatch/nakama/internal/lobby"
	"setmatch/nakama/internal/rules"
	"setmatch/nakama/internal/telemetry"
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
	s := newShim(nk, logger, settings)
	s.meters.Initialize()
	reportPanic := func(value ...any) { s.panics.Report(logger, "connections", value) }
	s.batcher = rules.NewBatcher(settings.BatchWindow(), s.meters, reportPanic)
	if s.rules.Links, err = rules.Dial(settings, nil, reportPanic); err != nil {
		return err
	}
	if err := errors.Join(s.register(initializer), s.registerTickets(initializer), s.registerGuards(initializer, settings)); err != nil {
		return err
	}
	if s.saves, err = openSaves(ctx, s, logger, db, settings); err != nil {
		return err
	}
	if err := s.revive(ctx, nk); err != nil {
		return err
	}
	s.effects.Load()
	keeper := &retention{store: nk, saves: s.saves, days: settings.RecordDays, folder: settings.RescueDir, now: time.Now, logger: logger}
	go s.panics.Run(logger, "retention", func() { keeper.run(ctx) })
	return nil
}

func newShim(nk runtime.NakamaModule, logger runtime.Logger, cfg config.Settings) *shim {
	s := &shim{
		creations: newCreations(), meters: telemetry.NewMeters(nk), timing: standardTiming(), now: time.Now, open: lobby.NewOpenMatches(),
		calls: new(atomic.Int64), liveMatches: new(atomic.Int64), lastNotice: new(atomic.Int64), census: telemetry.NewCensus(nk),
	}
	now := func() time.Time { return s.now() }
	s.members, s.limits = lobby.NewMembers(now), limits.New(cfg.Limits, now)
	s.rules = &rules.Client{Meters: s.meters, Problems: telemetry.NewProblemLog(logger, now, cfg.Hint()), Trace: cfg.Trace}
	s.panics = telemetry.NewPanics(s.meters)
	s.inboxes = arrival.New(arrival.Config{
		Nakama: nk, Now: now, Panicked: func(value any) { s.panics.Report(logger, "inboxes", value) },
	})
	s.effects = effects.New(effects.Config{
		Sink: nk, Folder: cfg.RescueDir, Meters: s.meters, Logger: logger, Now: now,
		Panicked: func(value any) { s.panics.Report(logger, "effects", value) },
	})
	return s
}

func (s *shim) register(initializer runtime.Initializer) error {
	l := &lobbyCalls{shim: s, locks: newKeyLocks()}
	k := &matchmaker{shim: s}
	return errors.Join(
		initializer.RegisterMatch(moduleName, s.newAdapter),
		initializer.RegisterRpc("set_create_match", l.create),
		initializer.RegisterRpc("set_find_match", l.find),
		initializer.RegisterRpc("set_record", l.record),
		initializer.RegisterRpc("set_resume", l.resume),
		initializer.RegisterRpc("set_signal", l.signal),
		initializer.RegisterMatchmakerMatched(k.matched),
		initializer.RegisterShutdown(s.shutdown),
	)
}

func (s *shim) newAdapter(context.Context, runtime.Logger, *sql.DB, runtime.NakamaModule) (runtime.Match, error) {
	return &matchAdapter{shim: s}, nil
}

func (s *shim) registerGuards(initializer runtime.Initializer, cfg config.Settings) error {
	g := &guards{shim: s, allowRelayed: cfg.AllowRelayed}
	err := errors.Join(
		initializer.RegisterBeforeRt("MatchJoin", g.join),
		initializer.RegisterBeforeRt("MatchDataSend", s.inboxes.Hook),
	)
	if !cfg.AllowRelayed {
		err = errors.Join(err, initializer.RegisterBeforeRt("MatchCreate", g.create))
	}
	return err
}
