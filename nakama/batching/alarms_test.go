package batching

import (
	"sync"
	"time"
)

// alarms are timers that ring when the test says so.
type alarms struct {
	mu   sync.Mutex
	list []*alarm
	set  []time.Duration
}

type alarm struct {
	mu   sync.Mutex
	ring func()
}

func (a *alarms) later(d time.Duration, f func()) stopper {
	a.mu.Lock()
	defer a.mu.Unlock()
	one := &alarm{ring: f}
	a.list, a.set = append(a.list, one), append(a.set, d)
	return one
}

// Stop reports whether the alarm had neither rung nor been stopped.
func (a *alarm) Stop() bool {
	return a.take() != nil
}

func (a *alarm) take() func() {
	a.mu.Lock()
	defer a.mu.Unlock()
	ring := a.ring
	a.ring = nil
	return ring
}

// ring lets every alarm ring that was not stopped.
func (a *alarms) ring() {
	a.mu.Lock()
	list := a.list
	a.list = nil
	a.mu.Unlock()
	for _, one := range list {
		if ring := one.take(); ring != nil {
			go ring()
		}
	}
}
