package arrival

import "time"

// wakeTimer is the timer of an inbox.
type wakeTimer struct {
	at    time.Time // zero: stopped
	fired time.Time // last firing
	timer *time.Timer
}

func (t *wakeTimer) stop() {
	t.at = time.Time{}
	if t.timer != nil {
		t.timer.Stop()
	}
}

// WakeAt requests a wake-up at a time, and replaces the time set before. A time that is not after the last firing is ignored,
// because the match has already been woken for it: a match that cannot do what is due, as in an outage, must choose a later
// time. Otherwise it would be woken again and again.
func (i *Inbox) WakeAt(at time.Time) {
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.closed || at.Equal(i.timer.at) {
		return
	}
	i.timer.stop()
	if !at.After(i.timer.fired) {
		return
	}
	i.timer.at = at
	i.timer.timer = time.AfterFunc(at.Sub(i.config.Now()), func() { i.fire(at) })
}

// StopTimer removes the time that WakeAt has set.
func (i *Inbox) StopTimer() {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.timer.stop()
}

// fire requests the wake-up, unless the timer was stopped or replaced in the meantime.
func (i *Inbox) fire(at time.Time) {
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.timer.at.IsZero() || !i.timer.at.Equal(at) {
		return
	}
	i.timer.at, i.timer.fired = time.Time{}, latest(at, i.config.Now())
	i.wakeUp.due = true
	i.requestWakeUp()
}

func latest(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}
