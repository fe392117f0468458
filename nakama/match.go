package main

import (
	"context"
	"database/sql"

	"github.com/heroiclabs/nakama-common/runtime"

	"setmatch/nakama/pb"
)

// moduleName is the name under which nk.MatchCreate knows matches of this plugin.
const moduleName = "set"

// failedTickRate goes with a nil state: Nakama checks the rate first, and would blame it for the failure.
const failedTickRate = 20

// matchAdapter is the match handler that Nakama calls. It forwards every callback to the rules service.
type matchAdapter struct {
	shim *shim
}

var _ runtime.Match = (*matchAdapter)(nil)

// MatchInit creates a match from the param "creation" (see creations) or, for other modules of the server, from "options" and
// "expected_users", both JSON and optional. On failure the error is left in the creation, because Nakama takes none here.
func (a *matchAdapter) MatchInit(
	ctx context.Context, logger runtime.Logger, _ *sql.DB, nk runtime.NakamaModule, params map[string]any,
) (state any, tickRate int, label string) {
	state, tickRate, label = nil, failedTickRate, ""
	slot, err := a.shim.creations.find(params)
	if err != nil {
		return nil, failedTickRate, ""
	}
	slot.err = errInternal()
	defer a.shim.recovered(logger, "MatchInit")
	m, reply, err := a.shim.newMatch(ctx, logger, slot.params)
	slot.err = err
	if err != nil {
		return nil, failedTickRate, ""
	}
	slot.invitation = reply.Invitation
	m.start(reply, slot.params)
	return m, int(reply.TickRate), m.label
}

// MatchJoinAttempt asks the service. During an outage, or while anything older cannot be delivered, no attempt is allowed. A
// match that is over by then stops with its next tick: a nil state here would cost the client the reason.
func (a *matchAdapter) MatchJoinAttempt(
	ctx context.Context, logger runtime.Logger, _ *sql.DB, _ runtime.NakamaModule, d runtime.MatchDispatcher,
	tick int64, state any, presence runtime.Presence, metadata map[string]string,
) (next any, allow bool, reason string) {
	m := state.(*matchState)
	next, allow, reason = m, false, serviceAway
	defer a.shim.recovered(logger, "MatchJoinAttempt")
	allow, reason = m.joinAttempt(ctx, tick, d, toPresence(presence), metadata)
	return m, allow, reason
}

// MatchJoin adds connections, and forwards the join now or as soon as the service can be reached.
func (a *matchAdapter) MatchJoin(
	_ context.Context, logger runtime.Logger, _ *sql.DB, _ runtime.NakamaModule, d runtime.MatchDispatcher,
	tick int64, state any, presences []runtime.Presence,
) (next any) {
	m := state.(*matchState)
	next = m
	defer a.shim.recovered(logger, "MatchJoin")
	for _, presence := range presences {
		m.presences[presence.GetSessionId()] = presence
		m.shim.members.Join(m.id, presence.GetUserId())
		m.queue.push(pendingItem{join: toPresence(presence)})
	}
	m.deliver(tick, d)
	return m.result()
}

// MatchLeave removes connections. The leave is forwarded with the next tick, because Nakama hands over only then what the
// connection sent before.
func (a *matchAdapter) MatchLeave(
	_ context.Context, logger runtime.Logger, _ *sql.DB, _ runtime.NakamaModule, _ runtime.MatchDispatcher,
	_ int64, state any, presences []runtime.Presence,
) (next any) {
	m := state.(*matchState)
	next = m
	defer a.shim.recovered(logger, "MatchLeave")
	for _, presence := range presences {
		m.leave(presence)
	}
	return m.result()
}

// MatchLoop takes the players' inputs of one tick. It makes no call when there is nothing to do.
func (a *matchAdapter) MatchLoop(
	_ context.Context, logger runtime.Logger, _ *sql.DB, _ runtime.NakamaModule, d runtime.MatchDispatcher,
	tick int64, state any, messages []runtime.MatchData,
) (next any) {
	m := state.(*matchState)
	next = m
	defer a.shim.recovered(logger, "MatchLoop")
	m.loop(tick, d, messages)
	return m.result()
}

// MatchTerminate tells the service that the server shuts down; the match then runs on until the service ends it or the
// grace time is over.
func (a *matchAdapter) MatchTerminate(
	_ context.Context, logger runtime.Logger, _ *sql.DB, _ runtime.NakamaModule, d runtime.MatchDispatcher,
	tick int64, state any, graceSeconds int,
) (next any) {
	m := state.(*matchState)
	next = m
	defer a.shim.recovered(logger, "MatchTerminate")
	m.terminate(graceSeconds)
	m.deliver(tick, d)
	m.judgeOutage(d)
	return m.result()
}

// MatchSignal forwards a signal and returns the service's answer, or a JSON object with the field "error". A match that
// is over by then stops with its next tick: with a nil state here, Nakama would tell the caller that the match is busy.
func (a *matchAdapter) MatchSignal(
	ctx context.Context, logger runtime.Logger, _ *sql.DB, _ runtime.NakamaModule, d runtime.MatchDispatcher,
	tick int64, state any, data string,
) (next any, answer string) {
	m := state.(*matchState)
	next, answer = m, signalAway
	defer a.shim.recovered(logger, "MatchSignal")
	answer = m.signal(ctx, tick, d, data)
	return m, answer
}

// toPresence is a presence as the service sees it.
func toPresence(p runtime.Presence) *pb.Presence {
	return &pb.Presence{
		UserId: p.GetUserId(), SessionId: p.GetSessionId(), Node: p.GetNodeId(), Username: p.GetUsername(),
	}
}

func textOf(value any) string {
	s, _ := value.(string)
	return s
}
