package setmatch

import (
	"context"
	"database/sql"
	"strings"

	"github.com/heroiclabs/nakama-common/rtapi"
	"github.com/heroiclabs/nakama-common/runtime"
)

type (
	beforeHook  = func(context.Context, runtime.Logger, *sql.DB, runtime.NakamaModule, *rtapi.Envelope) (*rtapi.Envelope, error)
	matchedHook = func(
		context.Context, runtime.Logger, *sql.DB, runtime.NakamaModule, []runtime.MatchmakerEntry) (string, error)
	shutdownHook = func(context.Context, runtime.Logger, *sql.DB, runtime.NakamaModule)
)

// chain is an initializer that keeps all functions that are registered for one slot.
type chain struct {
	runtime.Initializer
	before   map[string][]beforeHook // by message name in lower case, as Nakama compares them
	matched  []matchedHook
	shutdown []shutdownHook
}

// Chain returns an initializer that accepts several functions for one hook. Nakama itself keeps only the last one, and Register
// needs the hooks before MatchCreate, MatchDataSend, MatchJoin, MatchmakerAdd and PartyMatchmakerAdd, the hook of matched tickets
// and the hook of the shutdown. Register the hooks of a plugin and those of Register with the same chain, in InitModule. Functions of one hook run
// in the order of their registration:
//   - RegisterBeforeRt: each receives the message that the previous one returned. An error or a nil message ends the chain.
//   - RegisterMatchmakerMatched: the first match id or error ends the chain.
//   - RegisterShutdown: all of them run, one after another.
//
// All other methods are those of the given initializer. The chain is not safe for concurrent registrations.
func Chain(initializer runtime.Initializer) runtime.Initializer {
	return &chain{Initializer: initializer, before: make(map[string][]beforeHook)}
}

// RegisterBeforeRt adds a function that runs before a message of a client is processed.
func (c *chain) RegisterBeforeRt(id string, hook beforeHook) error {
	name := strings.ToLower(id)
	c.before[name] = append(c.before[name], hook)
	if len(c.before[name]) > 1 {
		return nil
	}
	return c.Initializer.RegisterBeforeRt(id, func(
		ctx context.Context, logger runtime.Logger, db *sql.DB, nk runtime.NakamaModule, in *rtapi.Envelope,
	) (out *rtapi.Envelope, err error) {
		out = in
		for _, hook := range c.before[name] {
			if out, err = hook(ctx, logger, db, nk, out); out == nil || err != nil {
				return nil, err
			}
		}
		return out, nil
	})
}

// RegisterMatchmakerMatched adds a function that can create a match for matched tickets.
func (c *chain) RegisterMatchmakerMatched(hook matchedHook) error {
	c.matched = append(c.matched, hook)
	if len(c.matched) > 1 {
		return nil
	}
	return c.Initializer.RegisterMatchmakerMatched(func(
		ctx context.Context, logger runtime.Logger, db *sql.DB, nk runtime.NakamaModule, entries []runtime.MatchmakerEntry,
	) (string, error) {
		for _, hook := range c.matched {
			if matchID, err := hook(ctx, logger, db, nk, entries); matchID != "" || err != nil {
				return matchID, err
			}
		}
		return "", nil
	})
}

// RegisterShutdown adds a function that runs when the server shuts down.
func (c *chain) RegisterShutdown(hook shutdownHook) error {
	c.shutdown = append(c.shutdown, hook)
	if len(c.shutdown) > 1 {
		return nil
	}
	return c.Initializer.RegisterShutdown(func(
		ctx context.Context, logger runtime.Logger, db *sql.DB, nk runtime.NakamaModule,
	) {
		for _, hook := range c.shutdown {
			hook(ctx, logger, db, nk)
		}
	})
}
