// Package fake has fakes of Nakama and of time for tests.
package fake

import (
	"sync"
	"time"
)

// Clock is a clock that only a test advances.
type Clock struct {
	mu sync.Mutex
	At time.Time
}

// Now returns the time of the clock.
func (c *Clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.At
}

// Advance moves the clock.
func (c *Clock) Advance(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.At = c.At.Add(d)
}
