package match

import (
	"context"
	"fmt"
	"io"
	"time"

	"github.com/heroiclabs/nakama-common/runtime"

	"setmatch/nakama/internal/arrival"
	"setmatch/nakama/internal/links"
	"setmatch/nakama/internal/outage"
	"setmatch/nakama/internal/telemetry"
	"setmatch/nakama/pb"
)

// matchState is Nakama's state of one match. Only the goroutine of the match uses it, except saver, inbox and gauges, which have
// their own synchronization.
// Nakama must hold a non-nil pointer: a nil pointer in an interface is not nil, and would keep an ended match running.
type matchState struct {
	identity
	shared *Shared
	ctx    context.Context // ends when the match stops
	logger runtime.Logger

	presences map[string]runtime.Presence // connections by session id
	admitted  map[string]*admission       // by session id: the attempt was allowed, the join has not arrived
	queue     pendingQueue                // callbacks that are not delivered yet
	lastDrain drainTime                   // when the inputs were last drained
	clock     matchClock
	inbox     *arrival.Inbox // messages that the match handles when they arrive; nil: it handles messages in ticks

	service serviceData
	calls   callState
	outage  outage.State
	ending  ending
	gauges  gauges

	// Restarts of the server
	saver      *saver
	changed    bool  // since the last save
	lastTick   int64 // of the last callback
	tickOffset int64 // ticks of earlier processes; Nakama starts each match with tick 0
	revival    revival
}

// admission is a connection whose join attempt was allowed. Nakama may pass its inputs before its join.
type admission struct {
	presence *pb.Presence
	inputs   []*pb.Input // drained before the join; they follow it
}

// identity is the identity of a match in Nakama.
type identity struct {
	id        string // match id, with the node: "<uuid>.<node>"
	node      string // Nakama node of the match
	creatorID string // user id; empty: none
}

// serviceData is the data of a match from the rules service.
type serviceData struct {
	notices          *pb.Notices // messages that the shim sends itself
	rescueCollection string      // storage collection for a match that is closed without the service
	state            []byte      // the rules service's state, opaque
	wakeAtMs         *int64      // wake time on the match clock, in milliseconds; nil: none
	label            string      // JSON text
	record           matchRecord // log lines for the record
	tickRate         int32       // ticks per second
}

// callState selects the link and the content of the next call.
type callState struct {
	linkKey    links.Key     // selects the preferred link
	tried      []*links.Link // links on which a call has failed since the last success
	answeredMs int64         // time of the last answered call on the match clock, in milliseconds
	isolated   bool          // items are sent one by one, because an input may be the cause of failures
	provenLink *links.Link   // link of a successful call without input, directly before an isolated input; nil: none
}

// ending is the state of the end of a match.
type ending struct {
	giveUpAt time.Time // when a terminating match is closed even in an outage; zero: the server does not shut down
	over     bool      // ended; Nakama removes the match in the next tick
}

// gauges is the part of a match in gauges over all matches.
type gauges struct {
	pending *telemetry.GaugeShare  // callbacks in the queue
	paused  *telemetry.GaugeShare  // 1 while the match is paused
	phase   *telemetry.CensusEntry // the phase in the label
}

// Format prints a summary for every verb, because Nakama's console shows matches with %+v and must not show the state.
func (m *matchState) Format(f fmt.State, _ rune) {
	_, _ = io.WriteString(f, m.String())
}

// String returns a summary without any data of the game.
func (m *matchState) String() string {
	return fmt.Sprintf("set match %s: %d connections, %d undelivered, paused %t, over %t",
		m.id, len(m.presences), m.queue.size(), m.outage.Paused, m.ending.over)
}

// result returns the state for Nakama: an untyped nil, which stops the match, after its end.
func (m *matchState) result() any {
	if m.ending.over || m.saver.Lost() {
		return nil
	}
	return m
}

// begin begins a callback. It returns the tick since the first start of the match.
func (m *matchState) begin(tick int64) int64 {
	m.lastTick = m.tickOffset + tick
	return m.lastTick
}

// nowMs returns the value of the match clock, in milliseconds.
func (m *matchState) nowMs() int64 {
	return m.clock.nowMs(m.shared.now())
}
