package match

import (
	"time"

	"github.com/heroiclabs/nakama-common/runtime"

	"setmatch/nakama/internal/outage"
	"setmatch/nakama/pb"
)

// callStart is the time at which a call is made.
type callStart struct {
	tick    int64 // since the first start of the match (see begin)
	at      time.Time
	clockMs int64 // on the match clock, in milliseconds
}

// unixMs returns the time in milliseconds since 1970.
func (s callStart) unixMs() int64 {
	return s.at.UnixMilli()
}

func (m *matchState) startCall(tick int64) callStart {
	now := m.shared.now()
	return callStart{tick: tick, at: now, clockMs: m.clock.nowMs(now)}
}

// canCall checks the connection and reports whether a call may be made now.
func (m *matchState) canCall(tick int64, d runtime.MatchDispatcher) bool {
	m.checkConnection(d)
	links := outage.Links{Reachable: !m.saver.Lost() && m.shared.Rules.Links.Reachable(), Connects: m.shared.Rules.Links.Connects()}
	if m.inbox != nil {
		tick = outage.NoTick
	}
	return m.outage.CanCall(tick, m.shared.now(), links)
}

func (m *matchState) checkConnection(d runtime.MatchDispatcher) {
	now := m.shared.now()
	next, actions := m.outage.AfterCheck(m.shared.Rules.Links.Reachable(), m.queue.size() == 0, now)
	m.changeOutage(d, next, actions, m.clock.nowMs(now))
}

func (m *matchState) recordSuccess(d runtime.MatchDispatcher) {
	now := m.shared.now()
	if !now.Before(m.outage.UnbatchedUntil) {
		m.calls.tried = nil
	}
	next, actions := m.outage.AfterSuccess()
	m.changeOutage(d, next, actions, m.clock.nowMs(now))
}

// recordFailure records a failed call that must be retried.
func (m *matchState) recordFailure(d runtime.MatchDispatcher, start callStart, err error) {
	call := outage.Failure{Tick: start.tick, At: start.at, Err: err, Connects: m.shared.Rules.Links.Connects()}
	next, actions := m.outage.AfterFailure(call, m.shared.now(), m.shared.timing.outage)
	m.changeOutage(d, next, actions, start.clockMs)
}

// checkOutageLimits pauses or closes the match if the outage lasts.
func (m *matchState) checkOutageLimits(d runtime.MatchDispatcher) {
	if m.ending.over || m.revival.clockWaits {
		return
	}
	now := m.shared.now()
	next, actions := m.outage.AfterTick(now, m.ending.giveUpAt, m.shared.timing.outage)
	m.changeOutage(d, next, actions, m.clock.nowMs(now))
}

// changeOutage stores the next outage and performs its actions. `atMs` is the value at which the match clock stops.
func (m *matchState) changeOutage(d runtime.MatchDispatcher, next outage.State, actions []outage.Action, atMs int64) {
	m.outage = next
	for _, action := range actions {
		switch action {
		case outage.StopClock:
			m.changed = true
			m.clock.freezeAt(atMs)
			m.logger.Warn("set: rules service unavailable, match clock stopped")
		case outage.ResumeClock:
			m.changed = true
			m.resumeClock()
			m.gauges.paused.Set(0)
			m.logger.Info("set: rules service available, match clock resumed")
		case outage.SendPaused:
			m.gauges.paused.Set(1)
			m.notify(d, m.service.notices.Paused)
		case outage.SendResumed:
			m.notify(d, m.service.notices.Resumed)
		case outage.CloseForDuration:
			m.close(d, "the outage of the rules service lasted too long")
		case outage.CloseForShutdown:
			m.close(d, "the server shut down during an outage of the rules service")
		}
	}
}

// notify sends one of the shim's own messages to all connections.
func (m *matchState) notify(d runtime.MatchDispatcher, message *pb.Message) {
	m.sendBroadcast(d, &pb.Broadcast{Message: message, Everyone: true})
}
