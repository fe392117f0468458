// Package lobby is the plugin's RPCs and hooks for clients outside of matches: it creates and finds matches, completes tickets of the
// matchmaker, reads records and checks limits (docs/design.md, section 6).
package lobby

import (
	"errors"

	"github.com/heroiclabs/nakama-common/runtime"

	"setmatch/nakama/internal/limits"
	"setmatch/nakama/internal/match"
	"setmatch/nakama/internal/registry"
	"setmatch/nakama/internal/rules"
	"setmatch/nakama/internal/telemetry"
)

// Config is the environment of a lobby.
type Config struct {
	Matches      *match.Shared         // creates matches
	Open         *registry.OpenMatches // matches with free seats
	Members      *registry.Members     // matches of each user
	Rules        *rules.Client         // validates options
	Limits       *limits.Limits        // of calls and matches
	Meters       *telemetry.Meters     // counts exceeded limits
	Panics       *telemetry.Panics     // reports panics
	AllowRelayed bool                  // relayed matches are allowed, for servers with other games
}

// Lobby is the RPCs and hooks.
type Lobby struct {
	Config
	locks *keyLocks
}

// New returns a lobby.
func New(c Config) *Lobby {
	return &Lobby{Config: c, locks: newKeyLocks()}
}

// Register registers the RPCs and hooks.
func (l *Lobby) Register(initializer runtime.Initializer) error {
	err := errors.Join(
		initializer.RegisterRpc("set_create_match", l.create),
		initializer.RegisterRpc("set_find_match", l.find),
		initializer.RegisterRpc("set_record", l.record),
		initializer.RegisterRpc("set_resume", l.resume),
		initializer.RegisterRpc("set_signal", l.signal),
		initializer.RegisterMatchmakerMatched(l.matched),
		initializer.RegisterBeforeRt("MatchmakerAdd", l.beforeTicket),
		initializer.RegisterBeforeRt("PartyMatchmakerAdd", l.beforePartyTicket),
		initializer.RegisterBeforeRt("MatchJoin", l.beforeJoin),
	)
	if !l.AllowRelayed {
		err = errors.Join(err, initializer.RegisterBeforeRt("MatchCreate", l.beforeRelayed))
	}
	return err
}
