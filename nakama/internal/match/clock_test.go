package match

import (
	"testing"
	"time"
)

var clockStart = time.Date(2026, 11, 29, 12, 0, 0, 0, time.UTC)

func at(ms int64) time.Time {
	return clockStart.Add(time.Duration(ms) * time.Millisecond)
}

func TestClockCountsMillisecondsFromItsStart(t *testing.T) {
	c := startClock(at(0))
	if got := c.nowMs(at(1234)); got != 1234 {
		t.Errorf("after 1234 ms got %d", got)
	}
}

func TestFrozenClockDoesNotAdvance(t *testing.T) {
	c := startClock(at(0))
	c.freezeAt(100)
	if got := c.nowMs(at(60_000)); got != 100 {
		t.Errorf("frozen at 100 got %d a minute later", got)
	}
}

func TestResumedClockContinuesFromFrozenValue(t *testing.T) {
	c := startClock(at(0))
	c.freezeAt(100)
	c.resume(at(5000))
	if got := c.nowMs(at(5020)); got != 120 {
		t.Errorf("20 ms after resuming at 100 got %d", got)
	}
}

func TestFreezingTwiceKeepsTheFirstValue(t *testing.T) {
	c := startClock(at(0))
	c.freezeAt(100)
	c.freezeAt(200)
	if got := c.nowMs(at(300)); got != 100 {
		t.Errorf("got %d", got)
	}
}

func TestResumeOfRunningClockChangesNothing(t *testing.T) {
	c := startClock(at(0))
	c.resume(at(50))
	if got := c.nowMs(at(70)); got != 70 {
		t.Errorf("got %d", got)
	}
}

func TestClockNeverGoesBack(t *testing.T) {
	c := startClock(at(0))
	shown := c.nowMs(at(500))
	c.freezeAt(400)
	if got := c.nowMs(at(500)); got < shown {
		t.Errorf("it went from %d to %d", shown, got)
	}
	c.resume(at(500))
	if got := c.nowMs(at(450)); got < shown {
		t.Errorf("it went from %d to %d when time went back", shown, got)
	}
}
