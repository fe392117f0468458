package main

import "time"

// matchClock is the time that a match's rules see: milliseconds since MatchInit, minus every time the service was
// unreachable (DESIGN section 4). It never goes back.
type matchClock struct {
	since   time.Time
	elapsed time.Duration
	frozen  bool
	shown   int64
}

// startClock returns a clock that runs and shows 0 at t.
func startClock(t time.Time) matchClock {
	return matchClock{since: t}
}

// nowMs returns what the clock shows at t, in milliseconds.
func (c *matchClock) nowMs(t time.Time) int64 {
	value := c.elapsed
	if !c.frozen {
		value += t.Sub(c.since)
	}
	c.shown = max(c.shown, value.Milliseconds())
	return c.shown
}

// freezeAt stops the clock at a value it has shown, in milliseconds. A frozen clock stays where it is.
func (c *matchClock) freezeAt(ms int64) {
	if c.frozen {
		return
	}
	c.elapsed = time.Duration(ms) * time.Millisecond
	c.frozen = true
}

// resume lets a frozen clock run on from t.
func (c *matchClock) resume(t time.Time) {
	if !c.frozen {
		return
	}
	c.since = t
	c.frozen = false
}
