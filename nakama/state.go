package main

import (
	"context"
	"fmt"
	"io"
	"time"

	"github.com/heroiclabs/nakama-common/runtime"

	"setmatch/nakama/pb"
)

// matchState is what Nakama keeps of one match. Only the goroutine of the match touches it, apart from the shares.
// Nakama always holds it as a pointer that is not nil: a nil pointer in an interface would keep a dead match running.
type matchState struct {
	shim   *shim
	ctx    context.Context
	logger runtime.Logger

	id               string
	node             string
	place            int
	notices          *pb.Notices
	rescueCollection string

	clock       matchClock
	state       []byte
	wakeAtMs    *int64
	label       string
	presences   map[string]runtime.Presence
	queue       pendingQueue
	record      matchRecord
	outage      outage
	choosyUntil time.Time
	drained     drained
	giveUpAt    time.Time
	terminating bool
	over        bool

	pendingShare share
	pausedShare  share
	standing     standing
}

// Format prints a summary whatever the verb is: Nakama's console shows matches with %+v, and the state must not be
// seen there.
func (m *matchState) Format(f fmt.State, _ rune) {
	_, _ = io.WriteString(f, m.String())
}

// String returns a summary without anything of the game.
func (m *matchState) String() string {
	return fmt.Sprintf("set match %s: %d connections, %d undelivered, paused %t, over %t",
		m.id, len(m.presences), m.queue.size(), m.outage.paused, m.over)
}

// result is what a callback returns to Nakama: an untyped nil, which stops the match, when it is over.
func (m *matchState) result() any {
	if m.over {
		return nil
	}
	return m
}

// nowMs returns the match clock, in milliseconds.
func (m *matchState) nowMs() int64 {
	return m.clock.nowMs(m.shim.now())
}
