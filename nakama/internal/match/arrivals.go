package match

import (
	"time"

	"github.com/heroiclabs/nakama-common/runtime"

	"setmatch/nakama/internal/arrival"
	"setmatch/nakama/pb"
)

// outageInterval is the interval in which a match with an inbox checks an outage. It equals a tick of the other matches.
const outageInterval = 50 * time.Millisecond

// openInbox lets the match handle messages when they arrive (docs/decisions.md, E85).
func (m *matchState) openInbox() (err error) {
	m.inbox, err = m.shared.Inboxes.Open(m.ctx, m.id)
	return err
}

// wake handles the messages that have arrived, or the wake time.
func (m *matchState) wake(tick int64, d runtime.MatchDispatcher) {
	at := m.startDrain(tick)
	arrivals := m.inbox.Woken()
	if !m.beginWork(d) {
		return
	}
	m.takeArrivals(at, d, arrivals)
	m.work(tick, d)
}

// drainInbox queues the messages that have arrived. Every callback calls it first, so that the order of messages, joins and
// leaves stays. It does nothing in a match without an inbox, as the other methods for the inbox.
func (m *matchState) drainInbox(tick int64, d runtime.MatchDispatcher) {
	if m.inbox != nil {
		at := m.startDrain(tick)
		m.takeArrivals(at, d, m.inbox.Drain())
	}
}

// admitToInbox accepts the messages of a session that may join.
func (m *matchState) admitToInbox(sessionID string) {
	if m.inbox != nil {
		m.inbox.Admit(sessionID)
	}
}

// joinInbox queues the messages that a session has sent before its join.
func (m *matchState) joinInbox(tick int64, d runtime.MatchDispatcher, sessionID string) {
	if m.inbox != nil {
		at := m.startDrain(tick)
		m.takeArrivals(at, d, m.inbox.Join(sessionID))
	}
}

// leaveInbox queues all messages that a session has sent before its leave.
func (m *matchState) leaveInbox(tick int64, d runtime.MatchDispatcher, sessionID string) {
	if m.inbox != nil {
		at := m.startDrain(tick)
		m.takeArrivals(at, d, m.inbox.Leave(sessionID))
	}
}

// takeArrivals queues messages, and sends one overflow notice for each refusal.
func (m *matchState) takeArrivals(at drainTime, d runtime.MatchDispatcher, arrivals arrival.Arrivals) {
	for _, message := range arrivals.Messages {
		m.enqueueInput(d, &pb.Input{
			Tick: at.tick, ReceivedMs: m.receivedMs(at, at.at.Sub(message.Received).Milliseconds()),
			ReceivedUnixMs: message.Received.UnixMilli(), UserId: message.UserID, SessionId: message.SessionID,
			OpCode: message.OpCode, Data: message.Data,
		})
	}
	for _, refusal := range arrivals.Refusals {
		m.refuseInputs(d, refusal.SessionID, refusal.OpCode, refusal.Count)
	}
	m.lastDrain = at
}

// leftMs returns the time of a leave, in milliseconds on the match clock. In a match with an inbox it is the time of the drain
// before the leave, because the call with the leave has that time.
func (m *matchState) leftMs() int64 {
	if m.inbox != nil {
		return m.lastDrain.ms
	}
	return m.nowMs()
}

// checkHook logs that messages did not come through the inbox: another module has replaced the hook. They are handled with
// Nakama's tick then, once a second.
func (m *matchState) checkHook(messages []runtime.MatchData) {
	if m.inbox != nil && len(messages) > 0 {
		m.logger.Error("set: another module replaced the hook for MatchDataSend, messages wait for the tick")
	}
}

// finish saves the match and sets its timer at the end of a callback.
func (m *matchState) finish() {
	m.save()
	if m.inbox == nil {
		return
	}
	if at := m.nextWork(); at.IsZero() {
		m.inbox.StopTimer()
	} else {
		m.inbox.WakeAt(at)
	}
}

// nextWork returns the next time at which the match has work without a message; the zero time if there is none.
func (m *matchState) nextWork() (at time.Time) {
	switch {
	case m.ending.over:
		return at
	case m.revival.clockWaits:
	case m.outage.Down:
		at = m.shared.now().Add(outageInterval)
	case m.service.wakeAtMs != nil:
		at = m.clock.timeOf(*m.service.wakeAtMs)
	}
	if end := m.revival.until; !end.IsZero() && (at.IsZero() || end.Before(at)) {
		return end
	}
	return at
}
