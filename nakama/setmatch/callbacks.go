package setmatch

import (
	"context"
	"slices"

	"github.com/heroiclabs/nakama-common/runtime"

	"setmatch/nakama/internal/failure"
	"setmatch/nakama/internal/limits"
	"setmatch/nakama/internal/refusal"
	"setmatch/nakama/internal/telemetry"
	"setmatch/nakama/pb"
)

// signalUnavailable is the reply to a signal that could not be forwarded.
const signalUnavailable = `{"error":"rules service unavailable"}`

// otherOpCode is the key of the overflow notice for all op codes without a notice of their own.
const otherOpCode = 0

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
		m.shim.meters.CountLimited(exceeded.Limit)
		return false, exceeded.Message
	}
	delivered := m.deliver(tick, d)
	if m.over {
		return false, joinOver
	}
	if !delivered || m.outage.paused || !m.canCall(tick, d) {
		return false, refusal.ServiceUnavailable
	}
	start := m.startCall(tick)
	reply, err := m.sendJoinAttempt(ctx, start, presence, metadata)
	if err != nil {
		m.recordUnretriedFailure(start, "MatchJoinAttempt", err)
		return false, refusal.ServiceUnavailable
	}
	m.apply(reply.Step, d)
	if reply.Allow {
		m.admitted[presence.SessionId] = presence
		m.addReservations([]*pb.Presence{presence})
	}
	return reply.Allow, reply.Reason
}

// checkUserLimit returns the exceeded limit of live matches of a user, or nil. It always returns nil for a user of this match.
func (m *matchState) checkUserLimit(user string) *limits.Exceeded {
	if slices.Contains(m.shim.members.Matches(user), m.id) {
		return nil
	}
	return m.shim.checkMatchLimit(user)
}

// signal handles the plugin's own reservation signals and forwards all others.
func (m *matchState) signal(ctx context.Context, tick int64, d runtime.MatchDispatcher, text string) string {
	if reply, ok := m.handleReservation(ctx, tick, d, text); ok {
		return reply
	}
	delivered := m.deliver(tick, d)
	if m.over {
		return signalOver
	}
	if !delivered || !m.canCall(tick, d) {
		return signalUnavailable
	}
	start := m.startCall(tick)
	reply, err := m.sendSignal(ctx, start, text)
	if err != nil {
		m.recordUnretriedFailure(start, "MatchSignal", err)
		return signalUnavailable
	}
	m.apply(reply.Step, d)
	return reply.Data
}

// recordUnretriedFailure records a failed call that the match does not retry; its caller may. A poison failure concerns
// only this request, so it starts no outage.
func (m *matchState) recordUnretriedFailure(start callStart, method string, err error) {
	if !failure.IsPoison(err) {
		m.recordFailure(start, err)
	}
	m.logFailure(method, err)
}

// join adds a connection and queues its join.
func (m *matchState) join(presence runtime.Presence) {
	m.changed = true
	delete(m.admitted, presence.GetSessionId())
	m.presences[presence.GetSessionId()] = presence
	m.shim.members.Join(m.id, presence.GetUserId())
	m.queue.push(pendingItem{join: toPresence(presence)})
	m.rejoin(presence.GetUserId())
}

// leave removes a connection and queues its leave. Nakama has already removed the presence, so nothing can be sent to it.
func (m *matchState) leave(presence runtime.Presence) {
	m.changed = true
	delete(m.admitted, presence.GetSessionId())
	delete(m.presences, presence.GetSessionId())
	if !m.isConnected(presence.GetUserId()) {
		m.endMembership(presence)
	}
	m.queue.leave(&pb.Leave{Presence: toPresence(presence), Reason: leaveReason(presence), LeftMs: m.nowMs()})
}

// endMembership registers the leave of a user's last connection. A user who lost the connection can join again.
func (m *matchState) endMembership(presence runtime.Presence) {
	if presence.GetReason() == runtime.PresenceReasonDisconnect {
		m.shim.members.Disconnect(m.id, presence.GetUserId())
	} else {
		m.shim.members.Leave(m.id, presence.GetUserId())
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
	if m.over || m.saver.Lost() {
		return
	}
	m.checkRevival()
	if !m.revival.clockWaits {
		m.checkConnection(d)
	}
	now := m.shim.now()
	nowMs := m.clock.nowMs(now)
	m.drain(drainTime{tick: tick, ms: nowMs, unixMs: now.UnixMilli()}, d, messages)
	m.queue.endTick()
	if m.hasNoWork(nowMs) {
		return
	}
	loops := m.queue.hasLoopItems()
	if m.deliver(tick, d) && !loops && m.needsLoopCall(nowMs) && m.canCall(tick, d) {
		m.callWithoutInput(tick, d, m.lastDrain)
	}
	m.checkOutageLimits(d)
}

// hasNoWork reports whether the tick needs no call at all.
func (m *matchState) hasNoWork(nowMs int64) bool {
	return m.queue.size() == 0 && !m.needsLoopCall(nowMs)
}

// needsLoopCall reports whether MatchLoop must be called even without input.
func (m *matchState) needsLoopCall(nowMs int64) bool {
	return !m.over && !m.revival.clockWaits && (m.outage.down || m.wakeAtMs != nil && nowMs >= *m.wakeAtMs)
}

// drainTime is the time at which the inputs of a tick were drained.
type drainTime struct {
	tick   int64 // Nakama's number of the tick
	ms     int64 // on the match clock, in milliseconds
	unixMs int64 // milliseconds since 1970, to compare with Nakama's receive times
}

// drain queues the inputs of one tick.
func (m *matchState) drain(at drainTime, d runtime.MatchDispatcher, messages []runtime.MatchData) {
	for _, message := range messages {
		m.enqueueInput(d, message, &pb.Input{
			Tick: at.tick, ReceivedMs: m.receivedMs(at, message), ReceivedUnixMs: message.GetReceiveTime(),
			UserId: message.GetUserId(), SessionId: message.GetSessionId(), OpCode: message.GetOpCode(), Data: message.GetData(),
		})
	}
	m.lastDrain = at
}

// receivedMs returns the time at which an input was received, in milliseconds on the match clock. It is never before the
// last drain, even if the wall clock was changed, and never during an outage, which the match clock excludes.
func (m *matchState) receivedMs(at drainTime, message runtime.MatchData) int64 {
	if m.outage.down {
		return at.ms
	}
	age := at.unixMs - message.GetReceiveTime()
	return min(max(at.ms-age, m.lastDrain.ms), at.ms)
}

// enqueueInput queues an input, or sends the overflow notice to its sender if the queue is full.
func (m *matchState) enqueueInput(d runtime.MatchDispatcher, from runtime.Presence, input *pb.Input) {
	if m.queue.push(pendingItem{input: input}) {
		m.changed = true
		return
	}
	m.shim.meters.Count(telemetry.RefusedInputs, 1)
	notice := m.notices.Overflow[input.OpCode]
	if notice == nil {
		notice = m.notices.Overflow[otherOpCode]
	}
	m.sendBroadcast(d, &pb.Broadcast{Message: notice, SessionIds: []string{from.GetSessionId()}})
}
