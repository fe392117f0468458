package arrival

import "time"

// timerInterval is the minimum between two firings of a timer. A match in an outage sets an elapsed time repeatedly. It is woken at
// most 20 times a second, as often as by ticks.
const timerInterval = 50 * time.Millisecond

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

// WakeAt requests one wake-up at a time, and replaces the time that was set before. The wake-up is immediate for an elapsed
// time, but never less than timerInterval after the last one that WakeAt requested.
func (i *Inbox) WakeAt(at time.Time) {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.timer.stop()
	if i.closed {
		return
	}
	at = latest(at, i.timer.fired.Add(timerInterval))
	i.timer.at = at
	i.timer.timer = time.AfterFunc(at.Sub(i.config.Now()), func() { i.fire(at) })
}

// StopTimer removes the time that WakeAt has set.
func (i *Inbox) StopTimer() {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.timer.stop()
}

// fire requests the wake-up, unless the timer was stopped or set to another time in the meantime.
func (i *Inbox) fire(at time.Time) {
	i.mu.Lock()
	defer i.mu.Unlock()
	if !i.timer.at.Equal(at) {
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
