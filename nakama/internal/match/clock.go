package match

import "time"

// matchClock is the clock of a match: milliseconds since MatchInit without outages (docs/design.md, section 4). It never decreases.
type matchClock struct {
	since   time.Time     // start, or the last resume
	elapsed time.Duration // value at `since`
	frozen  bool
	lastMs  int64 // last returned value, in milliseconds
}

// startClock returns a running clock whose value is 0 at t.
func startClock(t time.Time) matchClock {
	return matchClock{since: t}
}

// stoppedClock returns a stopped clock with a value in milliseconds.
func stoppedClock(ms int64) matchClock {
	return matchClock{elapsed: time.Duration(ms) * time.Millisecond, frozen: true, lastMs: ms}
}

// nowMs returns the value of the clock at t, in milliseconds.
func (c *matchClock) nowMs(t time.Time) int64 {
	value := c.elapsed
	if !c.frozen {
		value += t.Sub(c.since)
	}
	c.lastMs = max(c.lastMs, value.Milliseconds())
	return c.lastMs
}

// freezeAt stops the clock at a value that it has returned, in milliseconds. It does not change a frozen clock.
func (c *matchClock) freezeAt(ms int64) {
	if c.frozen {
		return
	}
	c.elapsed = time.Duration(ms) * time.Millisecond
	c.frozen = true
}

// resume starts a frozen clock again at t.
func (c *matchClock) resume(t time.Time) {
	if !c.frozen {
		return
	}
	c.since = t
	c.frozen = false
}

// timeOf returns when the running clock reaches a value, in milliseconds.
func (c *matchClock) timeOf(ms int64) time.Time {
	return c.since.Add(time.Duration(ms)*time.Millisecond - c.elapsed)
}
