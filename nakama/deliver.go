package main

import (
	"context"
	"time"

	"github.com/heroiclabs/nakama-common/runtime"

	"setmatch/nakama/pb"
)

// maxPoisonFailures is the number of consecutive poison failures after which an input is dropped.
const maxPoisonFailures = 3

// deliver sends the queue in order until it is empty or a call fails. It reports whether the queue is empty.
func (m *matchState) deliver(tick int64, d runtime.MatchDispatcher) bool {
	if m.queue.size() > 0 && m.canCall(tick, d) && m.probeAfterDrop(tick, d) {
		m.deliverRuns(tick, d)
	}
	m.pendingShare.set(m.shim.meters.nk, int64(m.queue.size()))
	return m.queue.size() == 0
}

// probeAfterDrop makes a call without input if inputs were dropped, and reports whether more inputs may be sent. Its success
// resets the time limit of poison failures, so that a player who sends one bad input after another cannot end the match.
func (m *matchState) probeAfterDrop(tick int64, d runtime.MatchDispatcher) bool {
	return !m.outage.inputsDropped || m.callWithoutInput(tick, d)
}

func (m *matchState) deliverRuns(tick int64, d runtime.MatchDispatcher) {
	for m.queue.size() > 0 && !m.over {
		if !m.deliverRun(tick, d, m.queue.head()) {
			return
		}
	}
}

// deliverRun makes one call for consecutive items of the same kind. It reports whether the call succeeded.
func (m *matchState) deliverRun(tick int64, d runtime.MatchDispatcher, run []pendingItem) bool {
	start := m.startCall(tick)
	step, err := m.sendRun(start, run)
	if err != nil {
		m.recordFailure(start, err)
		m.logFailure(run[0].kind().method(), err)
		m.dropPoison(run, err)
		return false
	}
	m.queue.drop(len(run))
	m.apply(step, d)
	return true
}

// dropPoison drops the inputs of a failed call that failed too often. Joins and leaves are never dropped.
func (m *matchState) dropPoison(run []pendingItem, err error) {
	countFailure(run, isPoison(err))
	if dropped := m.queue.dropPoisoned(len(run)); dropped > 0 {
		m.shim.meters.count(poisonedInputs, dropped)
		m.logger.WithField("inputs", dropped).Error("set: dropped player inputs on which the rules service fails")
		m.outage.inputsDropped = true
	}
}

// countFailure counts a failed call for each of its inputs. Each input has a counter of its own, so that an input that was
// added to an already failing call gets the same number of retries.
func countFailure(run []pendingItem, poison bool) {
	for i := range run {
		switch {
		case run[i].input == nil:
		case poison:
			run[i].failures++
		default:
			run[i].failures = 0
		}
	}
}

// logFailure logs a failed call. In an outage it logs only failures 1, 2, 4, 8 and so on, because each match retries about
// once per second; the metrics count all failures.
func (m *matchState) logFailure(method string, err error) {
	fields := map[string]any{"method": method, "failure": failureName(err)}
	if isMalformed(err) {
		m.shim.meters.count(malformedReplies, 1)
		fields["problem"] = err.Error()
	}
	if n := m.outage.failures; n&(n-1) != 0 {
		return
	}
	m.logger.WithFields(fields).Warn("set: call to the rules service failed")
}

// callWithoutInput calls MatchLoop without input: at the wake time, or to check whether the outage is over. It reports
// whether the call succeeded.
func (m *matchState) callWithoutInput(tick int64, d runtime.MatchDispatcher) bool {
	start := m.startCall(tick)
	step, err := m.sendLoop(start, nil)
	if err != nil {
		m.recordFailure(start, err)
		m.logFailure("MatchLoop", err)
		return false
	}
	m.apply(step, d)
	return true
}

func (k itemKind) method() string {
	return [...]string{"MatchLoop", "MatchJoin", "MatchTerminate"}[k]
}

func (m *matchState) sendRun(start callStart, run []pendingItem) (*pb.Step, error) {
	switch run[0].kind() {
	case loopItem:
		return m.sendLoop(start, run)
	case joinItem:
		return m.sendJoin(start, run)
	default:
		return m.sendTerminate(start, run[0].terminate)
	}
}

// sendCall makes a call about the match. If the error is nil, the step of the response can be applied.
func sendCall[Req, Resp any, PResp interface {
	*Resp
	GetStep() *pb.Step
}](
	ctx context.Context, m *matchState, method string, timeout time.Duration, do rpc[Req, Resp], req *Req,
) (PResp, error) {
	resp, err := invoke(ctx, m.shim, m.linkIndex, method, m.deadline(timeout), do, req)
	if err == nil {
		err = checkStep(PResp(resp).GetStep())
	}
	return resp, err
}

// sendLoop sends the time of the last drain, not the time of the call: an input that arrives between the two is not part of
// the call, and the game must not reach a deadline before that input is processed.
func (m *matchState) sendLoop(start callStart, run []pendingItem) (*pb.Step, error) {
	req := &pb.MatchLoopRequest{
		MatchId: m.id, Node: m.node, Tick: start.tick, NowMs: m.lastDrain.ms, UnixTimeMs: m.lastDrain.unixMs, State: m.state,
	}
	for _, item := range run {
		if item.input != nil {
			req.Inputs = append(req.Inputs, item.input)
		} else {
			req.Leaves = append(req.Leaves, item.leave)
		}
	}
	resp, err := sendCall(m.ctx, m, "MatchLoop", m.shim.timing.loopDeadline, m.loopRPC(), req)
	return resp.GetStep(), err
}

func (m *matchState) sendJoin(start callStart, run []pendingItem) (*pb.Step, error) {
	req := &pb.MatchJoinRequest{
		MatchId: m.id, Node: m.node, Tick: start.tick, NowMs: start.clockMs, UnixTimeMs: start.unixMs(), State: m.state,
	}
	for _, item := range run {
		req.Presences = append(req.Presences, item.join)
	}
	do := pb.MatchHandlerServiceClient.MatchJoin
	resp, err := sendCall(m.ctx, m, "MatchJoin", m.shim.timing.otherDeadline, do, req)
	return resp.GetStep(), err
}

func (m *matchState) sendTerminate(start callStart, notice *terminateNotice) (*pb.Step, error) {
	do := pb.MatchHandlerServiceClient.MatchTerminate
	resp, err := sendCall(m.ctx, m, "MatchTerminate", m.shim.timing.otherDeadline, do, &pb.MatchTerminateRequest{
		MatchId: m.id, Node: m.node, Tick: start.tick, NowMs: start.clockMs, UnixTimeMs: start.unixMs(), State: m.state,
		GraceSeconds: notice.graceSeconds,
	})
	return resp.GetStep(), err
}

func (m *matchState) sendReserve(
	ctx context.Context, start callStart, users []*pb.Presence,
) (*pb.MatchReserveResponse, error) {
	do := pb.MatchHandlerServiceClient.MatchReserve
	return sendCall(ctx, m, "MatchReserve", m.shim.timing.attemptDeadline, do, &pb.MatchReserveRequest{
		MatchId: m.id, Node: m.node, Tick: start.tick, NowMs: start.clockMs, UnixTimeMs: start.unixMs(), State: m.state,
		Users: users,
	})
}

func (m *matchState) sendJoinAttempt(
	ctx context.Context, start callStart, presence *pb.Presence, metadata map[string]string,
) (*pb.MatchJoinAttemptResponse, error) {
	do := pb.MatchHandlerServiceClient.MatchJoinAttempt
	return sendCall(ctx, m, "MatchJoinAttempt", m.shim.timing.attemptDeadline, do, &pb.MatchJoinAttemptRequest{
		MatchId: m.id, Node: m.node, Tick: start.tick, NowMs: start.clockMs, UnixTimeMs: start.unixMs(), State: m.state,
		Presence: presence, Metadata: metadata,
	})
}

func (m *matchState) sendSignal(ctx context.Context, start callStart, text string) (*pb.MatchSignalResponse, error) {
	do := pb.MatchHandlerServiceClient.MatchSignal
	return sendCall(ctx, m, "MatchSignal", m.shim.timing.otherDeadline, do, &pb.MatchSignalRequest{
		MatchId: m.id, Node: m.node, Tick: start.tick, NowMs: start.clockMs, UnixTimeMs: start.unixMs(), State: m.state,
		Data: text,
	})
}
