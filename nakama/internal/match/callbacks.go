package match

import (
	"context"
	"slices"
	"time"

	"github.com/heroiclabs/nakama-common/runtime"

	"setmatch/nakama/internal/failure"
	"setmatch/nakama/internal/limits"
	"setmatch/nakama/internal/refusal"
	"setmatch/nakama/internal/rules"
	"setmatch/nakama/internal/telemetry"
	"setmatch/nakama/pb"
)

// signalUnavailable is the reply to a signal that could not be forwarded.
const signalUnavailable = `{"error":"rules service unavailable"}`

// The replies between the end of a match and the next tick, in which Nakama removes the match.
const (
	joinOver   = "match over"
	signalOver = `{"error":"match over"}`
)

// joinAttempt forwards a join attempt. A failure changes nothing and does not stop the match.
func (m *matchState) joinAttempt(
	ctx context.Context, tick int64, d runtime.MatchDispatcher, presence *pb.Presence, metadata map[string]string,
) (bool, string) {
	if exceeded := m.checkUserLimit(presence.UserId); exceeded != nil {
		m.shared.Meters.CountLimited(exceeded.Limit)
		return false, exceeded.Message
	}
	m.drainInbox(tick, d)
	delivered := m.deliver(tick, d)
	if m.ending.over {
		return false, joinOver
	}
	if !delivered || m.outage.Paused || !m.canCall(tick, d) {
		return false, refusal.ServiceUnavailable
	}
	start := m.startCall(tick)
	reply, err := m.sendJoinAttempt(ctx, start, presence, metadata)
	if err != nil {
		m.recordUnretriedFailure(d, start, "MatchJoinAttempt", err)
		return false, refusal.ServiceUnavailable
	}
	m.apply(reply.Step, d)
	if reply.Allow {
		m.admit(presence)
		m.addReservations([]*pb.Presence{presence})
		m.admitToInbox(presence.SessionId)
	}
	return reply.Allow, reply.Reason
}

// admit registers a connection whose join follows. A second attempt of a connection can run after its join; no join follows then.
func (m *matchState) admit(presence *pb.Presence) {
	if m.presences[presence.SessionId] == nil {
		m.admitted[presence.SessionId] = &admission{presence: presence}
	}
}

// checkUserLimit returns the exceeded limit of live matches of a user, or nil. It always returns nil for a user of this match.
func (m *matchState) checkUserLimit(user string) *limits.Exceeded {
	matches := m.shared.Members.Matches(user)
	if slices.Contains(matches, m.id) {
		return nil
	}
	return m.shared.Limits.Matches(user, len(matches))
}

// signal handles the plugin's own reservation signals and forwards all others.
func (m *matchState) signal(ctx context.Context, tick int64, d runtime.MatchDispatcher, text string) string {
	m.drainInbox(tick, d)
	if reply, ok := m.handleReservation(ctx, tick, d, text); ok {
		return reply
	}
	delivered := m.deliver(tick, d)
	if m.ending.over {
		return signalOver
	}
	if !delivered || !m.canCall(tick, d) {
		return signalUnavailable
	}
	start := m.startCall(tick)
	reply, err := m.sendSignal(ctx, start, text)
	if err != nil {
		m.recordUnretriedFailure(d, start, "MatchSignal", err)
		return signalUnavailable
	}
	m.apply(reply.Step, d)
	return reply.Data
}

// recordUnretriedFailure records a failed call that the match does not retry; its caller may. A poison failure concerns
// only this request, so it starts no outage.
func (m *matchState) recordUnretriedFailure(d runtime.MatchDispatcher, start callStart, method string, err error) {
	if !failure.IsPoison(err) {
		m.recordFailure(d, start, err)
	}
	m.logFailure(method, err)
}

// join adds a connection, and queues its join and the inputs that were drained before.
func (m *matchState) join(d runtime.MatchDispatcher, presence runtime.Presence) {
	m.changed = true
	admitted := m.admitted[presence.GetSessionId()]
	delete(m.admitted, presence.GetSessionId())
	m.presences[presence.GetSessionId()] = presence
	m.shared.Members.Join(m.id, presence.GetUserId())
	m.queue.push(pendingItem{join: toPresence(presence)})
	m.rejoin(presence.GetUserId())
	if admitted != nil {
		for _, input := range admitted.inputs {
			m.enqueueInput(d, input)
		}
	}
}

// leave removes a connection and queues its leave. Nakama has already removed the presence, so nothing can be sent to it.
func (m *matchState) leave(presence runtime.Presence, leftMs int64) {
	m.changed = true
	delete(m.admitted, presence.GetSessionId())
	delete(m.presences, presence.GetSessionId())
	if !m.isConnected(presence.GetUserId()) {
		m.endMembership(presence)
	}
	m.queue.leave(&pb.Leave{Presence: toPresence(presence), Reason: leaveReason(presence), LeftMs: leftMs})
}

// endMembership registers the leave of a user's last connection. A user who lost the connection can join again.
func (m *matchState) endMembership(presence runtime.Presence) {
	if presence.GetReason() == runtime.PresenceReasonDisconnect {
		m.shared.Members.Disconnect(m.id, presence.GetUserId())
	} else {
		m.shared.Members.Leave(m.id, presence.GetUserId())
	}
}

// isConnected reports whether a user has a connection in the match.
func (m *matchState) isConnected(user string) bool {
	for _, presence := range m.presences {
		if presence.GetUserId() == user {
			return true
		}
	}
	return false
}

func leaveReason(presence runtime.Presence) pb.LeaveReason {
	switch presence.GetReason() {
	case runtime.PresenceReasonLeave:
		return pb.LeaveReason_LEAVE_REASON_LEFT
	case runtime.PresenceReasonDisconnect:
		return pb.LeaveReason_LEAVE_REASON_DISCONNECTED
	case runtime.PresenceReasonUnknown:
		return pb.LeaveReason_LEAVE_REASON_NEVER_JOINED
	default:
		return pb.LeaveReason_LEAVE_REASON_UNSPECIFIED
	}
}

// loop processes one tick.
func (m *matchState) loop(tick int64, d runtime.MatchDispatcher, messages []runtime.MatchData) {
	if !m.beginWork(d) {
		return
	}
	m.drainInbox(tick, d)
	m.drain(m.startDrain(tick), d, messages)
	m.work(tick, d)
}

// beginWork checks the revival and the connection. It returns false if the match has stopped.
func (m *matchState) beginWork(d runtime.MatchDispatcher) bool {
	if m.ending.over || m.saver.Lost() {
		return false
	}
	m.checkRevival()
	if !m.revival.clockWaits {
		m.checkConnection(d)
	}
	return true
}

// work delivers the queue, and makes a call without input if one is necessary.
func (m *matchState) work(tick int64, d runtime.MatchDispatcher) {
	m.queue.endTick()
	nowMs := m.lastDrain.ms
	if m.hasNoWork(nowMs) {
		return
	}
	loops := m.queue.hasLoopItems()
	if m.deliver(tick, d) && !loops && m.needsLoopCall(nowMs) && m.canCall(tick, d) {
		m.callWithoutInput(tick, d, m.lastDrain)
	}
	m.checkOutageLimits(d)
}

// hasNoWork reports whether no call is necessary.
func (m *matchState) hasNoWork(nowMs int64) bool {
	return m.queue.size() == 0 && !m.needsLoopCall(nowMs)
}

// needsLoopCall reports whether MatchLoop must be called even without input.
func (m *matchState) needsLoopCall(nowMs int64) bool {
	return !m.ending.over && !m.revival.clockWaits &&
		(m.outage.Down || m.service.wakeAtMs != nil && nowMs >= *m.service.wakeAtMs)
}

// drainTime is the time at which the inputs of a tick were drained.
type drainTime struct {
	tick   int64 // since the first start of the match (see begin)
	at     time.Time
	ms     int64 // on the match clock, in milliseconds
	unixMs int64 // milliseconds since 1970, to compare with Nakama's receive times
}

// startDrain returns the current time for a drain. It is read before the inputs are taken: a call then contains all inputs that
// were received up to its time.
func (m *matchState) startDrain(tick int64) drainTime {
	now := m.shared.now()
	return drainTime{tick: tick, at: now, ms: m.clock.nowMs(now), unixMs: now.UnixMilli()}
}

// drain queues the inputs of one tick. Inputs of a connection that has not joined wait for its join.
func (m *matchState) drain(at drainTime, d runtime.MatchDispatcher, messages []runtime.MatchData) {
	for _, message := range messages {
		input := &pb.Input{
			Tick: at.tick, ReceivedMs: m.receivedMs(at, at.unixMs-message.GetReceiveTime()), ReceivedUnixMs: message.GetReceiveTime(),
			UserId: message.GetUserId(), SessionId: message.GetSessionId(), OpCode: message.GetOpCode(), Data: message.GetData(),
		}
		if admitted := m.admitted[input.SessionId]; admitted != nil {
			admitted.inputs = append(admitted.inputs, input)
		} else {
			m.enqueueInput(d, input)
		}
	}
	m.lastDrain = at
}

// receivedMs returns the time at which an input was received, in milliseconds on the match clock. Its age is in milliseconds. The
// time is never before the last drain, even if the wall clock was changed, and never during an outage, which the match clock
// excludes.
func (m *matchState) receivedMs(at drainTime, ageMs int64) int64 {
	if m.outage.Down {
		return at.ms
	}
	return min(max(at.ms-ageMs, m.lastDrain.ms), at.ms)
}

// enqueueInput queues an input, or sends the overflow notice to its sender if the queue is full.
func (m *matchState) enqueueInput(d runtime.MatchDispatcher, input *pb.Input) {
	if m.queue.push(pendingItem{input: input}) {
		m.changed = true
	} else {
		m.refuseInputs(d, input.SessionId, input.OpCode, 1)
	}
}

// refuseInputs counts inputs of a session that exceeded a limit, and sends one overflow notice to the session.
func (m *matchState) refuseInputs(d runtime.MatchDispatcher, sessionID string, opCode int64, count int) {
	m.shared.Meters.Count(telemetry.RefusedInputs, count)
	notice := m.service.notices.Overflow[opCode]
	if notice == nil {
		notice = m.service.notices.Overflow[rules.OtherOpCode]
	}
	m.sendBroadcast(d, &pb.Broadcast{Message: notice, SessionIds: []string{sessionID}})
}
