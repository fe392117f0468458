package main

import (
	"context"
	"slices"

	"github.com/heroiclabs/nakama-common/runtime"

	"setmatch/nakama/internal/limits"
	"setmatch/nakama/pb"
)

// signalAway is the answer to a signal that could not be forwarded.
const signalAway = `{"error":"rules service unavailable"}`

// otherOpCode is the key of the overflow notice for op codes that have none of their own.
const otherOpCode = 0

// What is answered between a match's end and Nakama's next tick, which takes it away.
const (
	joinOver   = "match over"
	signalOver = `{"error":"match over"}`
)

// joinAttempt asks whether somebody may come in. A failure has changed nothing and keeps the match running.
func (m *matchState) joinAttempt(
	ctx context.Context, tick int64, d runtime.MatchDispatcher, who *pb.Presence, metadata map[string]string,
) (bool, string) {
	if exceeded := m.tooManyMatches(who.UserId); exceeded != nil {
		m.shim.meters.limited(exceeded.Limit)
		return false, exceeded.Message
	}
	delivered := m.deliver(tick, d)
	if m.over {
		return false, joinOver
	}
	if !delivered || m.outage.paused || !m.mayCall(tick, d) {
		return false, serviceAway
	}
	a := m.begin(tick)
	reply, err := m.sendAttempt(ctx, a, who, metadata)
	if err != nil {
		m.failedAside(a, "MatchJoinAttempt", err)
		return false, serviceAway
	}
	m.apply(reply.Step, d)
	if reply.Allow {
		m.remember([]*pb.Presence{who})
	}
	return reply.Allow, reply.Reason
}

// tooManyMatches checks the limit of matches of a user who is not in this one.
func (m *matchState) tooManyMatches(user string) *limits.Exceeded {
	matches := m.shim.members.Matches(user)
	if slices.Contains(matches, m.id) {
		return nil
	}
	return m.shim.limits.Matches(limits.Caller{UserID: user}, len(matches))
}

// signal forwards a signal, except those with which the plugin reserves seats.
func (m *matchState) signal(ctx context.Context, tick int64, d runtime.MatchDispatcher, text string) string {
	if reply, is := m.reserved(ctx, tick, d, text); is {
		return reply
	}
	delivered := m.deliver(tick, d)
	if m.over {
		return signalOver
	}
	if !delivered || !m.mayCall(tick, d) {
		return signalAway
	}
	a := m.begin(tick)
	reply, err := m.sendSignal(ctx, a, text)
	if err != nil {
		m.failedAside(a, "MatchSignal", err)
		return signalAway
	}
	m.apply(reply.Step, d)
	return reply.Data
}

// failedAside notes a failed call that its caller may repeat and the match need not. If the call failed by its content,
// that says nothing of the match.
func (m *matchState) failedAside(a attempt, method string, err error) {
	if !isPoison(err) {
		m.failed(a, err)
	}
	m.complain(method, err)
}

// leave removes a connection. Nakama has already dropped the presence, so nothing can be sent to it.
func (m *matchState) leave(presence runtime.Presence) {
	delete(m.presences, presence.GetSessionId())
	if !m.isConnected(presence.GetUserId()) {
		m.shim.members.Leave(m.id, presence.GetUserId())
	}
	m.queue.leave(&pb.Leave{Presence: toPresence(presence), Reason: leaveReason(presence), LeftMs: m.nowMs()})
}

// isConnected reports whether a user is in the match, on any connection.
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

// loop is one tick.
func (m *matchState) loop(tick int64, d runtime.MatchDispatcher, messages []runtime.MatchData) {
	if m.over {
		return
	}
	m.lookAtConnection(d)
	now := m.shim.now()
	nowMs := m.clock.nowMs(now)
	m.drain(drained{tick: tick, ms: nowMs, wallMs: now.UnixMilli()}, d, messages)
	m.queue.endTick()
	if m.isQuiet(nowMs) {
		return
	}
	loops := m.queue.hasLoopItems()
	if m.deliver(tick, d) && !loops && m.owesLoop(nowMs) && m.mayCall(tick, d) {
		m.nudge(tick, d)
	}
	m.judgeOutage(d)
}

// isQuiet reports whether this tick needs nothing at all.
func (m *matchState) isQuiet(nowMs int64) bool {
	return m.queue.size() == 0 && !m.owesLoop(nowMs)
}

// owesLoop reports whether a MatchLoop call is due without any input.
func (m *matchState) owesLoop(nowMs int64) bool {
	return !m.over && (m.outage.down || m.wakeAtMs != nil && nowMs >= *m.wakeAtMs)
}

// drained is the moment at which the inputs of one tick are taken.
type drained struct {
	tick   int64
	ms     int64 // on the match clock
	wallMs int64 // on the clock by which Nakama says when an input came
}

// drain queues the inputs of one tick.
func (m *matchState) drain(at drained, d runtime.MatchDispatcher, messages []runtime.MatchData) {
	for _, message := range messages {
		m.take(d, message, &pb.Input{
			Tick: at.tick, ReceivedMs: m.receivedMs(at, message), ReceivedUnixMs: message.GetReceiveTime(),
			UserId: message.GetUserId(), SessionId: message.GetSessionId(), OpCode: message.GetOpCode(), Data: message.GetData(),
		})
	}
	m.drained = at
}

// receivedMs returns when an input came on the match clock: not before the last drain, whatever the wall clock did in
// between, and not in a time that the match clock left out.
func (m *matchState) receivedMs(at drained, message runtime.MatchData) int64 {
	if m.outage.down {
		return at.ms
	}
	age := at.wallMs - message.GetReceiveTime()
	return min(max(at.ms-age, m.drained.ms), at.ms)
}

func (m *matchState) take(d runtime.MatchDispatcher, from runtime.Presence, input *pb.Input) {
	if m.queue.push(pendingItem{input: input}) {
		return
	}
	m.shim.meters.count(refusedInputs, 1)
	notice := m.notices.Overflow[input.OpCode]
	if notice == nil {
		notice = m.notices.Overflow[otherOpCode]
	}
	m.send(d, &pb.Broadcast{Message: notice, SessionIds: []string{from.GetSessionId()}})
}
