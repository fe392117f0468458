// Package arrival brings the messages of clients to a match when they arrive, and not only with Nakama's next tick
// (docs/decisions.md, E85). A hook appends them to the inbox of the match. A signal wakes the match, which drains the inbox on
// its own goroutine. The package does not depend on the game.
package arrival

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/gofrs/uuid/v5"
	"github.com/heroiclabs/nakama-common/runtime"
)

// Nakama is the part of Nakama's module that the package uses.
type Nakama interface {
	StreamUserGet(mode uint8, subject, subcontext, label, userID, sessionID string) (runtime.PresenceMeta, error)
	MatchSignal(ctx context.Context, id, data string) (string, error)
}

// Config is the environment of a registry.
type Config struct {
	Nakama   Nakama
	Now      func() time.Time // the time of receipt and of the timers; monotonic
	Panicked func(value any)  // called after a panic in the hook or in a wake-up
}

// Registry stores the inboxes of the matches of this node that process messages on arrival.
type Registry struct {
	Config

	mu      sync.RWMutex
	inboxes map[uuid.UUID]*Inbox // by the id of the match without the node
}

// New returns an empty registry.
func New(c Config) *Registry {
	return &Registry{Config: c, inboxes: make(map[uuid.UUID]*Inbox)}
}

// Open creates the inbox of a match of this node. The context is that of the match. Nakama cancels it whenever the match stops, and
// the inbox is closed then. The error names a match id that is not "<uuid>.<node>".
func (r *Registry) Open(ctx context.Context, matchID string) (*Inbox, error) {
	key, node, ok := parseMatchID(matchID)
	if !ok {
		return nil, fmt.Errorf("match id is %q, allowed is <uuid>.<node>", matchID)
	}
	i := &Inbox{
		config: r.Config, ctx: ctx, id: matchID, subject: key.String(), node: node,
		connections: make(map[string]*connection),
	}
	r.mu.Lock()
	r.inboxes[key] = i
	r.mu.Unlock()
	context.AfterFunc(ctx, func() {
		r.remove(key, i)
		i.close()
	})
	return i, nil
}

// remove deletes an inbox, unless a later match has the same id.
func (r *Registry) remove(key uuid.UUID, i *Inbox) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.inboxes[key] == i {
		delete(r.inboxes, key)
	}
}

// find returns the inbox of the match that a message names, or nil. It accepts every notation of an id that Nakama accepts.
func (r *Registry) find(matchID string) *Inbox {
	key, node, ok := parseMatchID(matchID)
	if !ok {
		return nil
	}
	r.mu.RLock()
	defer r.mu.RUnlock()
	if i := r.inboxes[key]; i != nil && i.node == node {
		return i
	}
	return nil
}

// parseMatchID splits an id as Nakama does, with the same UUID parser. A relayed match has no node, and is not ok.
func parseMatchID(text string) (key uuid.UUID, node string, ok bool) {
	id, node, _ := strings.Cut(text, ".")
	key, err := uuid.FromString(id)
	return key, node, err == nil && node != ""
}
