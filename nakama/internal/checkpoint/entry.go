package checkpoint

import (
	"context"
	"time"
)

// Entry is the row of one match. A nil entry saves nothing.
type Entry struct {
	store   *Store
	match   string
	onLost  func()
	version int64 // of the last attempt to write; used only by the flusher

	// Guarded by the mutex of the store
	image   Image // the newest image that is not written; nil: none
	changes int64 // number of changes
	saved   int64 // number of changes that are written
	queued  bool  // in a list of changed entries
	deleted bool
	lost    bool
	written chan struct{} // closed after the next write; nil: nobody waits

	// After a rejected image
	rejections int
	notBefore  time.Time // of the next attempt
}

// Update marks the match as changed. The flusher writes the newest image, in the background. It does nothing after Delete or
// the loss of the match.
func (e *Entry) Update(image Image) {
	if e == nil {
		return
	}
	e.store.mu.Lock()
	defer e.store.mu.Unlock()
	if !e.deleted {
		e.image = image
		e.change()
	}
}

// Delete deletes the row. It returns immediately; the flusher retries until the row is deleted. Call it when the match has
// ended and its effects are written.
func (e *Entry) Delete() {
	if e == nil {
		return
	}
	e.store.mu.Lock()
	defer e.store.mu.Unlock()
	if !e.deleted {
		e.deleted, e.image = true, nil
		e.change()
	}
}

// Flush waits until all changes up to now are written. Errors: the context's error if it ends before, and the flusher then
// continues; ErrLost.
func (e *Entry) Flush(ctx context.Context) error {
	if e == nil {
		return nil
	}
	e.store.mu.Lock()
	defer e.store.mu.Unlock()
	for goal := e.changes; e.saved < goal; {
		if e.lost {
			return ErrLost
		}
		done := e.hurry()
		e.store.mu.Unlock()
		err := wait(ctx, done)
		e.store.mu.Lock()
		if err != nil && e.saved < goal {
			return err
		}
	}
	return nil
}

// change queues the entry for the flusher. The caller holds the mutex.
func (e *Entry) change() {
	if e.lost {
		e.image = nil
		return
	}
	e.changes++
	e.queue()
}

// queue adds the entry to the changed ones, once. The caller holds the mutex.
func (e *Entry) queue() {
	if !e.queued {
		e.queued = true
		e.store.dirty = append(e.store.dirty, e)
	}
}

// hurry lets the flusher write the entry before all others, and returns a channel that is closed after the next write. The
// caller holds the mutex.
func (e *Entry) hurry() <-chan struct{} {
	if e.written == nil {
		e.written = make(chan struct{})
		e.store.urgent = append(e.store.urgent, e)
	}
	select {
	case e.store.wake <- struct{}{}:
	default:
	}
	return e.written
}

// notify wakes the callers of Flush. The caller holds the mutex.
func (e *Entry) notify() {
	if e.written != nil {
		close(e.written)
		e.written = nil
	}
}

func wait(ctx context.Context, done <-chan struct{}) error {
	select {
	case <-done:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
