package batching

import (
	"sync"
	"time"
)

// fakeTimers are timers that fire when the test calls fire.
type fakeTimers struct {
	mu      sync.Mutex
	running []*fakeTimer
	started []time.Duration // durations of all timers
}

type fakeTimer struct {
	mu       sync.Mutex
	callback func() // nil: fired or stopped
}

func (t *fakeTimers) afterFunc(d time.Duration, f func()) timer {
	t.mu.Lock()
	defer t.mu.Unlock()
	one := &fakeTimer{callback: f}
	t.running, t.started = append(t.running, one), append(t.started, d)
	return one
}

// Stop reports whether the timer was running.
func (t *fakeTimer) Stop() bool {
	return t.take() != nil
}

// take removes the callback from the timer.
func (t *fakeTimer) take() func() {
	t.mu.Lock()
	defer t.mu.Unlock()
	callback := t.callback
	t.callback = nil
	return callback
}

// fire fires all running timers.
func (t *fakeTimers) fire() {
	t.mu.Lock()
	running := t.running
	t.running = nil
	t.mu.Unlock()
	for _, one := range running {
		if callback := one.take(); callback != nil {
			go callback()
		}
	}
}
