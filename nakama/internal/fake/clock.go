// Package fake has fakes for tests: Nakama with its logger, metrics and dispatcher, the rules service and a clock. It also starts a
// real PostgreSQL.
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
