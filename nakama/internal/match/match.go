package match

import (
	"context"
	"database/sql"

	"github.com/heroiclabs/nakama-common/runtime"

	"setmatch/nakama/internal/arrival"
	"setmatch/nakama/internal/refusal"
	"setmatch/nakama/pb"
)

// Module is the name under which nk.MatchCreate knows matches of this plugin.
const Module = "set"

// failedTickRate is returned with a nil state. Nakama checks the rate first, so an invalid rate would hide the real error.
const failedTickRate = 20

// matchAdapter is the match handler for Nakama. It forwards every callback to the rules service.
type matchAdapter struct {
	shared *Shared
}

var _ runtime.Match = (*matchAdapter)(nil)

// MatchInit creates a match from the param "creation" (see creations) or, for other modules of the server, from "options" and
// "expected_users", both JSON and optional. It stores an error in the creation, because this callback cannot return one. Invalid
// users of another module are logged.
func (a *matchAdapter) MatchInit(
	ctx context.Context, logger runtime.Logger, _ *sql.DB, nk runtime.NakamaModule, params map[string]any,
) (state any, tickRate int, label string) {
	state, tickRate, label = nil, failedTickRate, ""
	entry, err := a.shared.creations.find(params)
	if err != nil {
		logger.WithField("error", err.Error()).Warn("set: match not created")
		return nil, failedTickRate, ""
	}
	entry.err = refusal.Internal()
	defer a.shared.Panics.Recover(logger, "MatchInit")
	if entry.saved != nil {
		m, err := a.shared.revivedMatch(ctx, logger, entry.saved)
		entry.err = err
		if err != nil {
			return nil, failedTickRate, ""
		}
		return m, int(m.service.tickRate), m.service.label
	}
	m, reply, err := a.shared.initMatch(ctx, logger, entry.params)
	entry.err = err
	if err != nil {
		return nil, failedTickRate, ""
	}
	if reply.JudgeOnArrival {
		if entry.err = m.openInbox(); entry.err != nil {
			return nil, failedTickRate, ""
		}
	}
	entry.invitation = reply.Invitation
	m.start(reply, entry.params)
	m.finish()
	return m, int(reply.TickRate), m.service.label
}

// MatchJoinAttempt forwards a join attempt. It denies the attempt during an outage or while the queue cannot be delivered. An
// ended match stops with its next tick: with a nil state here, the client would not receive the reason.
func (a *matchAdapter) MatchJoinAttempt(
	ctx context.Context, logger runtime.Logger, _ *sql.DB, _ runtime.NakamaModule, d runtime.MatchDispatcher,
	tick int64, state any, presence runtime.Presence, metadata map[string]string,
) (next any, allow bool, reason string) {
	m := state.(*matchState)
	next, allow, reason = m, false, refusal.ServiceUnavailable
	defer a.shared.Panics.Recover(logger, "MatchJoinAttempt")
	defer m.finish()
	allow, reason = m.joinAttempt(ctx, m.begin(tick), d, toPresence(presence), metadata)
	return m, allow, reason
}

// MatchJoin adds connections and forwards the join immediately, or after an outage.
func (a *matchAdapter) MatchJoin(
	_ context.Context, logger runtime.Logger, _ *sql.DB, _ runtime.NakamaModule, d runtime.MatchDispatcher,
	tick int64, state any, presences []runtime.Presence,
) (next any) {
	m := state.(*matchState)
	next = m
	defer a.shared.Panics.Recover(logger, "MatchJoin")
	defer m.finish()
	tick = m.begin(tick)
	m.drainInbox(tick, d)
	for _, presence := range presences {
		m.join(d, presence)
		m.joinInbox(tick, d, presence.GetSessionId())
	}
	if m.inbox != nil {
		m.queue.endTick()
	}
	m.deliver(tick, d)
	return m.result()
}

// MatchLeave removes connections. The leave is forwarded in the next tick, because only then does Nakama pass the inputs that
// the connection sent before. A match with an inbox has these inputs already and forwards the leave immediately.
func (a *matchAdapter) MatchLeave(
	_ context.Context, logger runtime.Logger, _ *sql.DB, _ runtime.NakamaModule, d runtime.MatchDispatcher,
	tick int64, state any, presences []runtime.Presence,
) (next any) {
	m := state.(*matchState)
	next = m
	defer a.shared.Panics.Recover(logger, "MatchLeave")
	defer m.finish()
	tick = m.begin(tick)
	for _, presence := range presences {
		m.leaveInbox(tick, d, presence.GetSessionId())
		m.leave(presence, m.leftMs())
	}
	if m.inbox != nil {
		m.queue.endTick()
		m.deliver(tick, d)
	}
	return m.result()
}

// MatchLoop forwards the inputs of one tick. It makes no call without input before the wake time.
func (a *matchAdapter) MatchLoop(
	_ context.Context, logger runtime.Logger, _ *sql.DB, _ runtime.NakamaModule, d runtime.MatchDispatcher,
	tick int64, state any, messages []runtime.MatchData,
) (next any) {
	m := state.(*matchState)
	next = m
	defer a.shared.Panics.Recover(logger, "MatchLoop")
	defer m.finish()
	m.checkHook(messages)
	m.loop(m.begin(tick), d, messages)
	return m.result()
}

// MatchTerminate stops a saved match, which the next process revives. For a match that is not saved it forwards the shutdown of the
// server; the match then continues until the service ends it or the grace time ends.
func (a *matchAdapter) MatchTerminate(
	_ context.Context, logger runtime.Logger, _ *sql.DB, _ runtime.NakamaModule, d runtime.MatchDispatcher,
	tick int64, state any, graceSeconds int,
) (next any) {
	m := state.(*matchState)
	next = m
	defer a.shared.Panics.Recover(logger, "MatchTerminate")
	defer m.finish()
	tick = m.begin(tick)
	m.drainInbox(tick, d)
	if m.saver.entry != nil {
		m.suspend(tick, d, graceSeconds)
		return nil
	}
	m.terminate(graceSeconds)
	m.deliver(tick, d)
	m.checkOutageLimits(d)
	return m.result()
}

// MatchSignal forwards a signal and returns the service's reply, or a JSON object with the field "error". An ended match stops
// with its next tick: with a nil state here, Nakama would return the error that the match is busy.
func (a *matchAdapter) MatchSignal(
	ctx context.Context, logger runtime.Logger, _ *sql.DB, _ runtime.NakamaModule, d runtime.MatchDispatcher,
	tick int64, state any, data string,
) (next any, answer string) {
	m := state.(*matchState)
	next, answer = m, signalUnavailable
	defer a.shared.Panics.Recover(logger, "MatchSignal")
	defer m.finish()
	if data == arrival.WakeSignal && m.inbox != nil {
		m.wake(m.begin(tick), d)
		return m.result(), ""
	}
	answer = m.signal(ctx, m.begin(tick), d, data)
	return m, answer
}

// toPresence converts a presence to its message.
func toPresence(p runtime.Presence) *pb.Presence {
	return &pb.Presence{
		UserId: p.GetUserId(), SessionId: p.GetSessionId(), Node: p.GetNodeId(), Username: p.GetUsername(),
	}
}

// NewHandler returns the handler of one match for Nakama. All handlers are equal, because Nakama passes the state.
func (s *Shared) NewHandler(context.Context, runtime.Logger, *sql.DB, runtime.NakamaModule) (runtime.Match, error) {
	return &matchAdapter{shared: s}, nil
}
