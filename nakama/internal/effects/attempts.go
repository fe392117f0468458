package effects

import (
	"context"
	"errors"
	"time"
)

// finish retries the write of an effect until it succeeds or the effect is set aside. It returns false if the worker was stopped
// before that.
func (w *Worker) finish(e *entry) bool {
	pause := firstPause
	for attempts := 1; !isClosed(w.stopped); attempts++ {
		if e.owner != nil && e.owner.Lost() {
			w.markDone(e)
			return true
		}
		if w.Now().UnixMilli() >= e.effect.ExpiresUnixMs {
			w.markDone(e)
			w.setAside(e, Expired, nil)
			return true
		}
		err := w.attempt(e)
		switch {
		case errors.Is(err, errStopped):
			return false
		case err == nil:
			w.markDone(e)
			w.deleteFile(e)
			e.release()
			return true
		case isPermanent(err):
			w.markDone(e)
			w.setAside(e, Rejected, err)
			return true
		}
		w.countFailure(e, attempts, err)
		if !w.wait(pause) {
			return false
		}
		pause = min(2*pause, longestPause)
	}
	return false
}

func (w *Worker) markDone(e *entry) {
	w.mu.Lock()
	defer w.mu.Unlock()
	e.done = true
}

// attempt waits for a free slot and tries to write an effect. Storage and leaderboards have separate slots, so that slow writes
// of one kind do not delay the other.
func (w *Worker) attempt(e *entry) (err error) {
	slots := w.storage
	if e.effect.GetLeaderboardWrite() != nil {
		slots = w.ranking
	}
	select {
	case <-w.stopped:
		return errStopped
	case slots <- struct{}{}:
	}
	defer func() { <-slots }()
	defer func() {
		if value := recover(); value != nil {
			w.Panicked(value)
			err = errPanicked
		}
	}()
	ctx, cancel := context.WithTimeout(context.Background(), attemptTimeout)
	defer cancel()
	return write(ctx, w.Sink, e.effect)
}

// wait pauses before the next attempt. Drain ends the pause; later pauses are short. It returns false if the worker was stopped.
func (w *Worker) wait(pause time.Duration) bool {
	draining := w.draining
	if isClosed(draining) {
		pause, draining = min(pause, drainingPause), nil
	}
	select {
	case <-w.stopped:
		return false
	case <-draining:
	case <-w.after(pause):
	}
	return true
}
