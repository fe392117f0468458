// Package checkpoint saves the matches of a node in PostgreSQL, so that they survive a restart or crash of Nakama. It does not
// depend on the match handler: a match gives it images of itself, and receives the newest one after the restart
// (docs/decisions.md, E80).
package checkpoint

import (
	"context"
	"database/sql"
	"errors"
	"sync"
	"sync/atomic"
	"time"

	"github.com/gofrs/uuid/v5"
	"github.com/heroiclabs/nakama-common/runtime"
)

// ErrLost is returned by Flush if another process owns the match now.
var ErrLost = errors.New("another process owns this match now")

// Image is an immutable image of a match. The flusher encodes it, outside the goroutine of the match.
type Image interface {
	// Encode returns the data of the row (see the function Encode).
	Encode() ([]byte, error)
}

// Meters counts the work of a store. Its methods are called from several goroutines at the same time.
type Meters interface {
	// RowsWritten is called for each write of rows, with its duration.
	RowsWritten(rows int, took time.Duration)
	// WriteFailed is called for each failed attempt to write or delete rows.
	WriteFailed()
	// MatchRevived is called for each revived match.
	MatchRevived()
	// RowSetAside is called for each row that is set aside.
	RowSetAside(reason Reason)
}

// Config is the environment of a store.
type Config struct {
	DB       *sql.DB         // Nakama's database
	Node     string          // the name of this node; unique
	Interval time.Duration   // between two writes of the changed matches
	MaxAge   time.Duration   // matches of a node that was down for longer are not revived
	Meters   Meters          // counts rows
	Logger   runtime.Logger  // logs failures and rows that are set aside
	Panicked func(value any) // called after a panic in the encoding of an image or in a callback
}

// Store saves the matches of one node. A nil store is switched off: it saves nothing, and its entries are nil.
type Store struct {
	Config
	boot string // the id of this process

	fence    atomic.Int64
	stop     context.Context // ends when the store is closed
	cancel   context.CancelFunc
	running  sync.WaitGroup
	wake     chan struct{} // an entry must be written immediately
	attempts failures      // used only by the flusher

	mu      sync.Mutex
	lost    bool // another process owns the node
	entries map[string]*Entry
	urgent  []*Entry // changed entries for which Flush waits
	dirty   []*Entry // changed entries
	round   []*Entry // changed entries that the flusher is writing
}

// Open creates the tables, takes the lease of the node and starts the flusher. It retries all failures for 10 s. It fails if
// another process with this node name still runs.
func Open(ctx context.Context, c Config) (*Store, error) {
	id, err := uuid.NewV4()
	if err != nil {
		return nil, err
	}
	s := &Store{Config: c, boot: id.String(), wake: make(chan struct{}, 1), entries: make(map[string]*Entry)}
	s.stop, s.cancel = context.WithCancel(context.Background())
	if err := s.acquire(ctx); err != nil {
		s.cancel()
		return nil, err
	}
	s.running.Go(s.keepLease)
	s.running.Go(s.keepWriting)
	return s, nil
}

// Close writes all changed entries, at most until the context ends, and releases the lease. Call it once, after the matches
// have stopped.
func (s *Store) Close(ctx context.Context) error {
	if s == nil {
		return nil
	}
	err := s.settle(ctx)
	s.cancel()
	s.running.Wait()
	return errors.Join(err, s.release(ctx))
}

// settle waits until all entries are written.
func (s *Store) settle(ctx context.Context) error {
	s.mu.Lock()
	entries := make([]*Entry, 0, len(s.entries))
	for _, e := range s.entries {
		entries = append(entries, e)
	}
	s.mu.Unlock()
	for _, e := range entries {
		if err := e.Flush(ctx); err != nil && !errors.Is(err, ErrLost) {
			return err
		}
	}
	return nil
}

// New returns the entry of a new match. `lost` is called once, from another goroutine, if another process owns the match: the
// match must stop without messages and writes.
func (s *Store) New(match string, lost func()) *Entry {
	if s == nil {
		return nil
	}
	return s.add(match, 0, lost)
}

func (s *Store) add(match string, version int64, lost func()) *Entry {
	e := &Entry{store: s, match: match, version: version, onLost: lost}
	s.mu.Lock()
	gone := s.lost
	if !gone {
		s.entries[match] = e
	}
	e.lost = gone
	s.mu.Unlock()
	if gone {
		go s.protect(lost)
	}
	return e
}

// loseAll reports all matches as lost, because another process has the lease.
func (s *Store) loseAll() {
	s.mu.Lock()
	first := !s.lost
	s.lost = true
	entries := s.entries
	s.entries = make(map[string]*Entry)
	s.urgent, s.dirty, s.round = nil, nil, nil
	s.mu.Unlock()
	if first {
		s.Logger.WithField("matches", len(entries)).Error("set: another process took over this node, all matches stop")
	}
	for _, e := range entries {
		s.lose(e)
	}
}

// lose reports one match as lost.
func (s *Store) lose(e *Entry) {
	s.mu.Lock()
	first := !e.lost
	e.lost, e.image = true, nil
	if s.entries[e.match] == e {
		delete(s.entries, e.match)
	}
	e.notify()
	s.mu.Unlock()
	if first {
		s.Logger.WithField("mid", e.match).Warn("set: this process does not own the match, it stops")
		s.protect(e.onLost)
	}
}

// protect calls a function of the match handler and reports its panic.
func (s *Store) protect(call func()) {
	defer func() {
		if value := recover(); value != nil {
			s.Panicked(value)
		}
	}()
	call()
}
