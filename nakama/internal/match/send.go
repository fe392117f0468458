package match

import (
	"context"
	"time"

	"setmatch/nakama/internal/links"
	"setmatch/nakama/internal/rules"
	"setmatch/nakama/pb"
)

// pickLink returns the link for the next call: the one on which an isolated input must be sent, or else the best one. The call
// over the best one proves nothing about an input. `alone` means that the call must not be in a batch: a batch uses the link of
// its first call, which could be the one that has failed.
func (m *matchState) pickLink() (link *links.Link, alone bool) {
	if m.calls.provenLink != nil && m.calls.provenLink.Ready() {
		return m.calls.provenLink, true
	}
	m.calls.provenLink = nil
	link, alone = m.shared.Rules.Links.Pick(m.calls.linkKey, m.calls.tried)
	return link, alone || len(m.calls.tried) > 0 && m.shared.Rules.Links.HasOther(link)
}

// stepResponse is the response of a call about a match.
type stepResponse[Resp any] interface {
	*Resp
	GetStep() *pb.Step
}

// matchCall returns a call about the match.
func matchCall[Req, Resp any, PResp stepResponse[Resp]](
	m *matchState, method string, timeout time.Duration, do rules.RPC[Req, Resp], req *Req,
) rules.Call[Req, Resp] {
	check := func(resp *Resp) error { return rules.CheckStep(PResp(resp).GetStep()) }
	return rules.Call[Req, Resp]{Method: method, Timeout: m.outage.Deadline(timeout, m.shared.timing.deadlineCeiling), Do: do, Req: req, Check: check}
}

// send makes a call for items of the queue, which are sent again in a later tick if it fails.
func send[Req, Resp any](m *matchState, link *links.Link, call rules.Call[Req, Resp]) (*Resp, error) {
	resp, err := call.Over(m.ctx, m.shared.Rules, link)
	m.calls.tried = rules.WithFailed(m.calls.tried, link, err)
	m.noteAnswer(call.Req, err)
	return resp, err
}

// sendNow makes a call for which a client or server waits. If it fails, it is made once more over another link immediately.
func sendNow[Req, Resp any](ctx context.Context, m *matchState, call rules.Call[Req, Resp]) (resp *Resp, err error) {
	resp, m.calls.tried, err = call.WithRetry(ctx, m.shared.Rules, m.calls.linkKey, m.calls.tried)
	m.noteAnswer(call.Req, err)
	return resp, err
}

// noteAnswer stores the time on the match clock of an answered request.
func (m *matchState) noteAnswer(req any, err error) {
	if timed, ok := req.(interface{ GetNowMs() int64 }); ok && err == nil {
		m.calls.answeredMs = timed.GetNowMs()
	}
}

// loopRPC returns the method for MatchLoop calls: batched, unless the call must be alone on its link or its match
// had certain failures (see outage.State.Batches).
func (m *matchState) loopRPC(alone bool) rules.RPC[pb.MatchLoopRequest, pb.MatchLoopResponse] {
	if alone || m.calls.isolated || !m.outage.Batches(m.shared.now()) {
		return pb.MatchHandlerServiceClient.MatchLoop
	}
	return m.shared.Batcher.Call
}

func (m *matchState) sendRun(start callStart, run []pendingItem) (*pb.Step, error) {
	link, alone := m.pickLink()
	switch run[0].kind() {
	case loopItem:
		return m.sendLoop(start, link, alone, m.lastDrain, run)
	case joinItem:
		return m.sendJoin(start, link, run)
	default:
		return m.sendTerminate(start, link, run[0].terminate)
	}
}

// sendLoop sends the time of the last drain, not the time of the call: an input that arrives between the two is not part of
// the call, and the game must not reach a deadline before that input is processed.
func (m *matchState) sendLoop(
	start callStart, link *links.Link, alone bool, at drainTime, run []pendingItem,
) (*pb.Step, error) {
	req := &pb.MatchLoopRequest{
		MatchId: m.id, Node: m.node, Tick: start.tick, NowMs: at.ms, UnixTimeMs: at.unixMs, State: m.service.state,
	}
	for _, item := range run {
		if item.input != nil {
			req.Inputs = append(req.Inputs, item.input)
		} else {
			req.Leaves = append(req.Leaves, item.leave)
		}
	}
	call := matchCall(m, "MatchLoop", m.shared.timing.loopDeadline, m.loopRPC(alone), req)
	resp, err := send(m, link, call)
	return resp.GetStep(), err
}

func (m *matchState) sendJoin(start callStart, link *links.Link, run []pendingItem) (*pb.Step, error) {
	req := &pb.MatchJoinRequest{
		MatchId: m.id, Node: m.node, Tick: start.tick, NowMs: start.clockMs, UnixTimeMs: start.unixMs(), State: m.service.state,
	}
	for _, item := range run {
		req.Presences = append(req.Presences, item.join)
	}
	call := matchCall(m, "MatchJoin", m.shared.timing.otherDeadline, pb.MatchHandlerServiceClient.MatchJoin, req)
	resp, err := send(m, link, call)
	return resp.GetStep(), err
}

func (m *matchState) sendTerminate(start callStart, link *links.Link, notice *terminateNotice) (*pb.Step, error) {
	do := pb.MatchHandlerServiceClient.MatchTerminate
	resp, err := send(m, link, matchCall(m, "MatchTerminate", m.shared.timing.otherDeadline, do, &pb.MatchTerminateRequest{
		MatchId: m.id, Node: m.node, Tick: start.tick, NowMs: start.clockMs, UnixTimeMs: start.unixMs(), State: m.service.state,
		GraceSeconds: notice.graceSeconds,
	}))
	return resp.GetStep(), err
}

func (m *matchState) sendReserve(
	ctx context.Context, start callStart, users []*pb.Presence,
) (*pb.MatchReserveResponse, error) {
	do := pb.MatchHandlerServiceClient.MatchReserve
	return sendNow(ctx, m, matchCall(m, "MatchReserve", m.shared.timing.attemptDeadline, do, &pb.MatchReserveRequest{
		MatchId: m.id, Node: m.node, Tick: start.tick, NowMs: start.clockMs, UnixTimeMs: start.unixMs(), State: m.service.state,
		Users: users,
	}))
}

func (m *matchState) sendJoinAttempt(
	ctx context.Context, start callStart, presence *pb.Presence, metadata map[string]string,
) (*pb.MatchJoinAttemptResponse, error) {
	do := pb.MatchHandlerServiceClient.MatchJoinAttempt
	return sendNow(ctx, m, matchCall(m, "MatchJoinAttempt", m.shared.timing.attemptDeadline, do, &pb.MatchJoinAttemptRequest{
		MatchId: m.id, Node: m.node, Tick: start.tick, NowMs: start.clockMs, UnixTimeMs: start.unixMs(), State: m.service.state,
		Presence: presence, Metadata: metadata,
	}))
}

func (m *matchState) sendSignal(ctx context.Context, start callStart, text string) (*pb.MatchSignalResponse, error) {
	do := pb.MatchHandlerServiceClient.MatchSignal
	return sendNow(ctx, m, matchCall(m, "MatchSignal", m.shared.timing.otherDeadline, do, &pb.MatchSignalRequest{
		MatchId: m.id, Node: m.node, Tick: start.tick, NowMs: start.clockMs, UnixTimeMs: start.unixMs(), State: m.service.state,
		Data: text,
	}))
}
