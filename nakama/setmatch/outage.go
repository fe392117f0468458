package setmatch

import (
	"time"

	"github.com/heroiclabs/nakama-common/runtime"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"setmatch/nakama/internal/failure"
	"setmatch/nakama/pb"
)

// maxBatchedMisses is the number of consecutive timeouts after which a match is no longer batched, because its own call may
// be the cause. Fewer timeouts rather mean an overloaded service, which batches relieve.
const maxBatchedMisses = 2

// unbatchedTime is how long a match is not batched after a replica was too old for its state, and does not use that replica
// again. An unbatched match keeps its own link to a newer replica; a batch would use the link of its first call.
const unbatchedTime = 10 * time.Second

// outage is the state of a match's calls since the last success.
type outage struct {
	down       bool      // an outage: a call failed or no link is ready; the match clock is stopped
	callFailed bool      // a call failed; false: only the connection was lost
	since      time.Time // start of the first failed call, or the loss of the connection
	paused     bool      // the players have received the pause notice

	failures   int           // failed calls
	failedTick int64         // tick of the last failed call
	retryAt    time.Time     // earliest time of the next call
	backoff    time.Duration // current pause between two calls
	connects   int64         // rulesLinks.Connects at the last failed call
	misses     int           // timeouts since the last success; not reset by endOutage

	poisoned      bool // the last failure was poison
	inputFailures int  // consecutive poison failures of calls with inputs
}

// canCall reports whether a call may be made now: a link is ready and, after a failed call, the backoff is over. After a
// failure there is at most one call per tick. A connection that was opened after the failure ends the backoff.
func (m *matchState) canCall(tick int64, d runtime.MatchDispatcher) bool {
	m.checkConnection(d)
	o := &m.outage
	switch {
	case m.saver.Lost() || !m.shim.links.Reachable():
		return false
	case !o.down || !o.callFailed:
		return true
	case tick == o.failedTick:
		return false
	default:
		return o.connects != m.shim.links.Connects() || !m.shim.now().Before(o.retryAt)
	}
}

// checkConnection starts or ends an outage without a call, so that an idle match detects it too. If a call failed or the
// queue is not empty, only a successful call ends the outage.
func (m *matchState) checkConnection(d runtime.MatchDispatcher) {
	reachable := m.shim.links.Reachable()
	switch {
	case !reachable && !m.outage.down:
		m.beginOutage(m.nowMs())
	case reachable && m.outage.down && !m.outage.callFailed && m.queue.size() == 0:
		m.endOutage(d)
	}
}

func (m *matchState) beginOutage(atMs int64) {
	m.changed = true
	m.clock.freezeAt(atMs)
	m.outage.down = true
	m.outage.since = m.shim.now()
	m.logger.Warn("set: rules service unavailable, match clock stopped")
}

func (m *matchState) recordSuccess(d runtime.MatchDispatcher) {
	m.outage.misses = 0
	if !m.shim.now().Before(m.unbatchedUntil) {
		m.tried = nil
	}
	if m.outage.down {
		m.endOutage(d)
	}
}

func (m *matchState) endOutage(d runtime.MatchDispatcher) {
	wasPaused := m.outage.paused
	m.outage = outage{misses: m.outage.misses}
	m.changed = true
	m.resumeClock()
	m.pausedShare.Set(0)
	m.logger.Info("set: rules service available, match clock resumed")
	if wasPaused {
		m.notify(d, m.notices.Resumed)
	}
}

// callStart is the time at which a call is made.
type callStart struct {
	tick    int64 // Nakama's number of the tick
	at      time.Time
	clockMs int64 // on the match clock, in milliseconds
}

// unixMs returns the time in milliseconds since 1970.
func (s callStart) unixMs() int64 {
	return s.at.UnixMilli()
}

func (m *matchState) startCall(tick int64) callStart {
	now := m.shim.now()
	return callStart{tick: tick, at: now, clockMs: m.clock.nowMs(now)}
}

// recordFailure records a failed call that must be retried. The first failure starts an outage.
func (m *matchState) recordFailure(start callStart, err error) {
	o := &m.outage
	if !o.down {
		m.beginOutage(start.clockMs)
		o.since = start.at
	}
	o.callFailed = true
	o.failures++
	o.failedTick = start.tick
	o.connects = m.shim.links.Connects()
	o.backoff = min(max(2*o.backoff, m.shim.timing.firstBackoff), m.shim.timing.backoffCeiling)
	o.retryAt = m.shim.now().Add(o.backoff)
	m.adaptToFailure(err)
}

// adaptToFailure prepares the next call: a longer deadline after a timeout, and no batch after a failure that only some
// replicas or only this match have.
func (m *matchState) adaptToFailure(err error) {
	if failure.IsTimeout(err) {
		m.outage.misses++
	}
	m.outage.poisoned = failure.IsPoison(err)
	if status.Code(err) == codes.FailedPrecondition {
		m.unbatchedUntil = m.shim.now().Add(unbatchedTime)
	}
}

// loopRPC returns the method for MatchLoop calls: batched, unless the call must be alone on its link, the match could make a
// batch fail or a batch could make the match fail.
func (m *matchState) loopRPC(alone bool) rpc[pb.MatchLoopRequest, pb.MatchLoopResponse] {
	if alone || m.isolated || m.outage.poisoned || m.outage.misses > maxBatchedMisses || m.shim.now().Before(m.unbatchedUntil) {
		return pb.MatchHandlerServiceClient.MatchLoop
	}
	return m.shim.batcher.Call
}

// deadline returns the timeout of a call: the standard timeout, doubled for each miss up to the ceiling.
func (m *matchState) deadline(standard time.Duration) time.Duration {
	for range m.outage.misses {
		if standard >= m.shim.timing.deadlineCeiling {
			break
		}
		standard = min(2*standard, m.shim.timing.deadlineCeiling)
	}
	return standard
}

// checkOutageLimits sends the pause notice in a longer outage, and closes the match if the outage lasts too long.
func (m *matchState) checkOutageLimits(d runtime.MatchDispatcher) {
	if !m.outage.down || m.over || m.revival.clockWaits {
		return
	}
	now := m.shim.now()
	duration := now.Sub(m.outage.since)
	if duration >= m.shim.timing.pausedAfter && !m.outage.paused {
		m.pause(d)
	}
	switch {
	case duration >= m.shim.timing.closedAfter:
		m.close(d, "the outage of the rules service lasted too long")
	case m.terminating && !now.Before(m.giveUpAt):
		m.close(d, "the server shut down during an outage of the rules service")
	}
}

func (m *matchState) pause(d runtime.MatchDispatcher) {
	m.outage.paused = true
	m.pausedShare.Set(1)
	m.notify(d, m.notices.Paused)
}

// notify sends one of the shim's own messages to all connections.
func (m *matchState) notify(d runtime.MatchDispatcher, message *pb.Message) {
	m.sendBroadcast(d, &pb.Broadcast{Message: message, Everyone: true})
}
