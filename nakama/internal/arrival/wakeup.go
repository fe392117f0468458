package arrival

import (
	"errors"
	"time"

	"github.com/heroiclabs/nakama-common/runtime"
)

// WakeSignal is the text of the signal that wakes a match. Its MatchSignal must call Inbox.Woken and must not handle the
// text as a signal of another server.
const WakeSignal = "arrival_wake"

const (
	drainInterval = 5 * time.Millisecond   // minimum between a drain and the next wake-up
	firstPause    = 5 * time.Millisecond   // after a signal that Nakama could not queue; doubles
	longestPause  = 100 * time.Millisecond // maximum of this pause
)

var errPanicked = errors.New("panic in the signal")

// wakeUp is the state of an inbox's wake-up. At most one is outstanding, from the request until MatchSignal drains.
type wakeUp struct {
	outstanding bool
	number      int64         // of handled wake-ups; distinguishes the outstanding one from earlier ones
	due         bool          // requested by the timer, so it is necessary even if the inbox is empty
	pause       time.Duration // before the next attempt, after a busy match
	drained     time.Time     // last drain
	delay       *time.Timer   // until the next attempt; nil: none yet
}

func (w *wakeUp) stop() {
	w.outstanding = false
	if w.delay != nil {
		w.delay.Stop()
	}
}

// requestWakeUp starts a wake-up unless one is outstanding: immediately, or drainInterval after the last drain.
func (i *Inbox) requestWakeUp() {
	if i.closed || i.wakeUp.outstanding {
		return
	}
	i.wakeUp.outstanding = true
	i.scheduleWakeUp(i.untilNextDrain())
}

// untilNextDrain returns how long the next wake-up must wait; it is 0 or negative if it need not wait.
func (i *Inbox) untilNextDrain() time.Duration {
	return drainInterval - i.config.Now().Sub(i.wakeUp.drained)
}

func (i *Inbox) scheduleWakeUp(delay time.Duration) {
	number := i.wakeUp.number
	attempt := func() { i.attemptWakeUp(number) }
	if delay <= 0 {
		go attempt()
		return
	}
	i.wakeUp.delay = time.AfterFunc(delay, attempt)
}

// attemptWakeUp sends the signal, outside the lock because MatchSignal blocks until the match has handled it.
func (i *Inbox) attemptWakeUp(number int64) {
	if i.beginSignal(number) {
		i.endSignal(number, i.sendSignal())
	}
}

// beginSignal reports whether the signal must be sent now. It need not if only kept messages have arrived, or if another
// callback has drained the inbox since the request.
func (i *Inbox) beginSignal(number int64) bool {
	i.mu.Lock()
	defer i.mu.Unlock()
	if !i.isOutstanding(number) {
		return false
	}
	if !i.wakeUp.due && len(i.ready) == 0 && len(i.refusing) == 0 {
		i.wakeUp.outstanding = false
		return false
	}
	if delay := i.untilNextDrain(); delay > 0 {
		i.scheduleWakeUp(delay)
		return false
	}
	return true
}

// sendSignal returns when the match has handled the signal, or an error. The context is the match's own: a session's context
// would end with the sender, and without any context the goroutine would wait for a stopped match.
func (i *Inbox) sendSignal() (err error) {
	defer func() {
		if value := recover(); value != nil {
			i.config.Panicked(value)
			err = errPanicked
		}
	}()
	_, err = i.config.Nakama.MatchSignal(i.ctx, i.id, WakeSignal)
	return err
}

// endSignal schedules the next attempt if the match was busy. Any other error, such as a match that was not found, ends the
// wake-up; the messages stay in the inbox for the next callback.
func (i *Inbox) endSignal(number int64, err error) {
	i.mu.Lock()
	defer i.mu.Unlock()
	if !i.isOutstanding(number) {
		return
	}
	if errors.Is(err, runtime.ErrMatchBusy) {
		i.wakeUp.pause = min(max(2*i.wakeUp.pause, firstPause), longestPause)
		i.scheduleWakeUp(i.wakeUp.pause)
		return
	}
	i.wakeUp.outstanding, i.wakeUp.due, i.wakeUp.pause = false, false, 0
}

func (i *Inbox) isOutstanding(number int64) bool {
	return i.wakeUp.outstanding && i.wakeUp.number == number
}
