// Package main is the plugin that lets Nakama play matches whose rules are decided by a service of its own: it registers an ordinary
// match handler, keeps each match's state as opaque bytes and forwards the callbacks over gRPC. Nothing in it knows the
// game.
package main

import (
	"context"
	"database/sql"
	"errors"
	"sync/atomic"
	"time"

	"github.com/heroiclabs/nakama-common/runtime"

	"setmatch/nakama/internal/effects"
	"setmatch/nakama/internal/limits"
	"setmatch/nakama/internal/lobby"
)

// InitModule is called by Nakama when it loads the plugin. It does not wait for the rules service. An error, which
// keeps Nakama from starting, names the setting that is wrong.
func InitModule(
	ctx context.Context, logger runtime.Logger, _ *sql.DB, nk runtime.NakamaModule, initializer runtime.Initializer,
) error {
	env, _ := ctx.Value(runtime.RUNTIME_CTX_ENV).(map[string]string)
	settings, err := readSettings(env)
	if err != nil {
		return err
	}
	warnOfUnknown(env, logger)
	s := newShim(nk, logger, settings)
	s.meters.announce()
	s.troubles.hint, s.trace = settings.hint(), settings.trace
	s.rules, err = dialRules(settings, s.meters, func(value ...any) { s.panicked(logger, "connections", value) })
	if err != nil {
		return err
	}
	if err := errors.Join(s.register(initializer), s.registerTickets(initializer), s.guard(initializer, settings)); err != nil {
		return err
	}
	s.effects.Load()
	keeper := &retention{store: nk, days: settings.recordDays, folder: settings.rescueDir, now: time.Now, logger: logger}
	go s.guarded(logger, "retention", func() { keeper.run(ctx) })
	return nil
}

func newShim(nk runtime.NakamaModule, logger runtime.Logger, chosen settings) *shim {
	s := &shim{
		creations: newCreations(), meters: &meters{nk: nk}, timing: standardTiming(), now: time.Now, open: lobby.NewOpenMatches(),
		calls: new(atomic.Int64), live: new(atomic.Int64), census: newCensus(nk),
	}
	now := func() time.Time { return s.now() }
	s.members, s.limits = lobby.NewMembers(now), limits.New(chosen.limits, now)
	s.troubles = &troubleLog{logger: logger, now: now}
	s.effects = effects.New(effects.Config{
		Sink: nk, Folder: chosen.rescueDir, Meters: s.meters, Logger: logger, Now: now,
		Panicked: func(value any) { s.panicked(logger, "effects", value) },
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
		initializer.RegisterRpc("set_signal", l.signal),
		initializer.RegisterMatchmakerMatched(k.matched),
		initializer.RegisterShutdown(s.shutdown),
	)
}

func (s *shim) newAdapter(context.Context, runtime.Logger, *sql.DB, runtime.NakamaModule) (runtime.Match, error) {
	return &matchAdapter{shim: s}, nil
}

func (s *shim) guard(initializer runtime.Initializer, chosen settings) error {
	g := &guards{shim: s, allowRelayed: chosen.allowRelayed}
	err := initializer.RegisterBeforeRt("MatchJoin", g.join)
	if !chosen.allowRelayed {
		err = errors.Join(err, initializer.RegisterBeforeRt("MatchCreate", g.create))
	}
	return err
}
