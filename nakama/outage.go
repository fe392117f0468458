package main

import (
	"time"

	"github.com/heroiclabs/nakama-common/runtime"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"setmatch/nakama/pb"
)

// suspectMisses is how many deadlines in a row may pass before a match is taken for the reason itself. The first ones are
// rather a sign of a service that has too much to do, which batches help.
const suspectMisses = 2

// choosyFor is how long a match calls alone after a replica was too old for its state: alone it stays on a connection
// to one that is not, in company it would go wherever the others go.
const choosyFor = 10 * time.Second

// outage is what a match knows of the service's absence.
type outage struct {
	down       bool      // nothing works since since; the match clock stands still
	byCall     bool      // a call failed; otherwise only the connection is gone
	since      time.Time // when the first failing call was begun
	paused     bool      // players have been told
	failedTick int64     // the tick of the last failed call
	retryAt    time.Time
	backoff    time.Duration
	epoch      int64 // of the connections, at the last failed call
	misses     int   // deadlines that passed since the last success

	failures    int // calls that failed
	poisonRuns  int // calls in a row that failed by their content
	poisonSince time.Time
	dropped     bool // inputs were; the next call is made without any
}

// mayCall reports whether a call may be made now: the service is connected and, after a failure, the time of the next
// try has come, at most once a tick. A connection made since the failure is a reason to try at once.
func (m *matchState) mayCall(tick int64, d runtime.MatchDispatcher) bool {
	m.lookAtConnection(d)
	o := &m.outage
	switch {
	case !m.shim.rules.reachable(m.place):
		return false
	case !o.down || !o.byCall:
		return true
	case tick == o.failedTick:
		return false
	default:
		return o.epoch != m.shim.rules.epoch.Load() || !m.shim.now().Before(o.retryAt)
	}
}

// lookAtConnection lets an idle match see that the service went away or is back, without a call. Where something waits
// to be delivered, only an answer proves that the service is back.
func (m *matchState) lookAtConnection(d runtime.MatchDispatcher) {
	reachable := m.shim.rules.reachable(m.place)
	switch {
	case !reachable && !m.outage.down:
		m.goDown(m.nowMs())
	case reachable && m.outage.down && !m.outage.byCall && m.queue.size() == 0:
		m.comeUp(d)
	}
}

func (m *matchState) goDown(atMs int64) {
	m.clock.freezeAt(atMs)
	m.outage.down = true
	m.outage.since = m.shim.now()
	m.logger.Warn("set: rules service away, match clock stopped")
}

// succeeded notes that a call was answered.
func (m *matchState) succeeded(d runtime.MatchDispatcher) {
	m.outage.misses = 0
	if m.outage.down {
		m.comeUp(d)
	}
}

func (m *matchState) comeUp(d runtime.MatchDispatcher) {
	m.clock.resume(m.shim.now())
	told := m.outage.paused
	m.outage = outage{misses: m.outage.misses}
	m.pausedShare.set(m.shim.meters.nk, 0)
	m.logger.Info("set: rules service back, match clock runs")
	if told {
		m.notify(d, m.notices.Resumed)
	}
}

// attempt is one call that is being made.
type attempt struct {
	tick    int64
	begun   time.Time
	begunMs int64
}

// unixMs returns the time of day of a call, in milliseconds since 1970.
func (a attempt) unixMs() int64 {
	return a.begun.UnixMilli()
}

func (m *matchState) begin(tick int64) attempt {
	now := m.shim.now()
	return attempt{tick: tick, begun: now, begunMs: m.clock.nowMs(now)}
}

// failed notes that a call that must be repeated was not answered usefully.
func (m *matchState) failed(a attempt, err error) {
	o := &m.outage
	if !o.down {
		m.goDown(a.begunMs)
		o.since = a.begun
	}
	o.byCall = true
	o.failures++
	o.failedTick = a.tick
	o.epoch = m.shim.rules.epoch.Load()
	o.backoff = min(max(2*o.backoff, m.shim.timing.firstBackoff), m.shim.timing.backoffCeiling)
	o.retryAt = m.shim.now().Add(o.backoff)
	m.countMiss(err)
	m.countPoison(err)
}

// countMiss gives the next try more time after a deadline passed, and another connection unless the call itself was at
// fault: another process of the service may be well, or know a state that this one is too old for.
func (m *matchState) countMiss(err error) {
	if isTimeout(err) {
		m.outage.misses++
	}
	if !isPoison(err) {
		m.place++
	}
	if status.Code(err) == codes.FailedPrecondition {
		m.choosyUntil = m.shim.now().Add(choosyFor)
	}
}

func (m *matchState) countPoison(err error) {
	o := &m.outage
	if !isPoison(err) {
		o.poisonRuns = 0
		return
	}
	if o.poisonRuns == 0 {
		o.poisonSince = m.shim.now()
	}
	o.poisonRuns++
}

// loopRPC is how MatchLoop calls of this match are made: in company, unless others might have to fail with it, or it
// with them.
func (m *matchState) loopRPC() rpc[pb.MatchLoopRequest, pb.MatchLoopResponse] {
	if m.outage.poisonRuns > 0 || m.outage.misses > suspectMisses || m.shim.now().Before(m.choosyUntil) {
		return pb.MatchHandlerServiceClient.MatchLoop
	}
	return m.shim.rules.batcher.Call
}

// deadline returns how long a call may take: twice as long after each miss, up to the ceiling.
func (m *matchState) deadline(standard time.Duration) time.Duration {
	for range m.outage.misses {
		if standard >= m.shim.timing.deadlineCeiling {
			break
		}
		standard = min(2*standard, m.shim.timing.deadlineCeiling)
	}
	return standard
}

// judgeOutage tells players of an outage that lasts, and ends a match for which it lasted too long.
func (m *matchState) judgeOutage(d runtime.MatchDispatcher) {
	if !m.outage.down || m.over {
		return
	}
	now := m.shim.now()
	gone := now.Sub(m.outage.since)
	if gone >= m.shim.timing.pausedAfter && !m.outage.paused {
		m.pause(d)
	}
	switch {
	case gone >= m.shim.timing.closedAfter:
		m.close(d, "the rules service stayed away")
	case m.outage.poisonRuns > 0 && now.Sub(m.outage.poisonSince) >= m.shim.timing.poisonedAfter:
		m.close(d, "the rules service could not go on with this match")
	case m.terminating && !now.Before(m.giveUpAt):
		m.close(d, "the server shuts down while the rules service is away")
	}
}

func (m *matchState) pause(d runtime.MatchDispatcher) {
	m.outage.paused = true
	m.pausedShare.set(m.shim.meters.nk, 1)
	m.notify(d, m.notices.Paused)
}

// notify sends one of the shim's own messages to everybody.
func (m *matchState) notify(d runtime.MatchDispatcher, message *pb.Message) {
	m.send(d, &pb.Broadcast{Message: message, Everyone: true})
}
