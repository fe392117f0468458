package main

import (
	"context"

	"github.com/heroiclabs/nakama-common/runtime"

	"setmatch/nakama/pb"
)

// poisonLimit is how many calls in a row with a player input may fail by their content before the input is dropped.
const poisonLimit = 3

// deliver sends everything that waits, in order, until something fails. It reports whether nothing waits any more.
func (m *matchState) deliver(tick int64, d runtime.MatchDispatcher) bool {
	if m.queue.size() > 0 && m.mayCall(tick, d) && m.worksWithoutInput(tick, d) {
		m.deliverRuns(tick, d)
	}
	m.pendingShare.set(m.shim.meters.nk, int64(m.queue.size()))
	return m.queue.size() == 0
}

// worksWithoutInput makes sure that the service can go on with the match after inputs were dropped, before more are tried: a
// player who sends one bad input after the other must not end it.
func (m *matchState) worksWithoutInput(tick int64, d runtime.MatchDispatcher) bool {
	return !m.outage.dropped || m.nudge(tick, d)
}

func (m *matchState) deliverRuns(tick int64, d runtime.MatchDispatcher) {
	for m.queue.size() > 0 && !m.over {
		if !m.deliverRun(tick, d, m.queue.head()) {
			return
		}
	}
}

// deliverRun makes one call for a run of items of one kind.
func (m *matchState) deliverRun(tick int64, d runtime.MatchDispatcher, run []pendingItem) bool {
	a := m.begin(tick)
	step, err := checked(m.sendRun(a, run))
	if err != nil {
		m.failed(a, err)
		m.complain(run[0].kind().method(), err)
		m.dropPoison(run, err)
		return false
	}
	m.queue.drop(len(run))
	m.apply(step, d)
	return true
}

// checked turns a step that cannot be applied into an error.
func checked(step *pb.Step, err error) (*pb.Step, error) {
	if err != nil {
		return nil, err
	}
	return step, checkStep(step)
}

// dropPoison drops player inputs that made a call fail again and again; joins and leaves are never dropped.
func (m *matchState) dropPoison(run []pendingItem, err error) {
	countFailure(run, isPoison(err))
	if spoiled := m.queue.dropSpoiled(len(run)); spoiled > 0 {
		m.shim.meters.count(poisonedInputs, spoiled)
		m.logger.WithField("inputs", spoiled).Error("set: dropped player inputs that the rules service fails on")
		m.outage.dropped = true
	}
}

// countFailure counts a failed call for each input in it: an input that came into a call that was failing already has as many
// tries as the others.
func countFailure(run []pendingItem, byContent bool) {
	for i := range run {
		switch {
		case run[i].input == nil:
		case byContent:
			run[i].failures++
		default:
			run[i].failures = 0
		}
	}
}

// complain logs a failed call; in an outage the first, second, fourth and so on, as each match tries again every other
// second. The metrics count them all.
func (m *matchState) complain(method string, err error) {
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

// nudge makes a MatchLoop call without input: because its time has come, or to see whether the service is back. It reports
// whether the call was answered.
func (m *matchState) nudge(tick int64, d runtime.MatchDispatcher) bool {
	a := m.begin(tick)
	step, err := checked(m.sendLoop(a, nil))
	if err != nil {
		m.failed(a, err)
		m.complain("MatchLoop", err)
		return false
	}
	m.apply(step, d)
	return true
}

func (k itemKind) method() string {
	return [...]string{"MatchLoop", "MatchJoin", "MatchTerminate"}[k]
}

func (m *matchState) sendRun(a attempt, run []pendingItem) (*pb.Step, error) {
	switch run[0].kind() {
	case loopItem:
		return m.sendLoop(a, run)
	case joinItem:
		return m.sendJoin(a, run)
	default:
		return m.sendTerminate(a, run[0].terminate)
	}
}

// sendLoop carries the time of the last drain: an input that came after it is not in the call, and must not find that the game has
// passed a deadline by the time of a later call.
func (m *matchState) sendLoop(a attempt, run []pendingItem) (*pb.Step, error) {
	req := &pb.MatchLoopRequest{
		MatchId: m.id, Node: m.node, Tick: a.tick, NowMs: m.drained.ms, UnixTimeMs: m.drained.wallMs, State: m.state,
	}
	for _, item := range run {
		if item.input != nil {
			req.Inputs = append(req.Inputs, item.input)
		} else {
			req.Leaves = append(req.Leaves, item.leave)
		}
	}
	deadline := m.deadline(m.shim.timing.loopDeadline)
	resp, err := invoke(m.ctx, m.shim, m.place, "MatchLoop", deadline, m.loopRPC(), req)
	return resp.GetStep(), err
}

func (m *matchState) sendJoin(a attempt, run []pendingItem) (*pb.Step, error) {
	req := &pb.MatchJoinRequest{MatchId: m.id, Node: m.node, Tick: a.tick, NowMs: a.begunMs, UnixTimeMs: a.unixMs(), State: m.state}
	for _, item := range run {
		req.Presences = append(req.Presences, item.join)
	}
	deadline := m.deadline(m.shim.timing.otherDeadline)
	resp, err := invoke(m.ctx, m.shim, m.place, "MatchJoin", deadline, pb.MatchHandlerServiceClient.MatchJoin, req)
	return resp.GetStep(), err
}

func (m *matchState) sendReserve(ctx context.Context, a attempt, users []*pb.Presence) (*pb.MatchReserveResponse, error) {
	req := &pb.MatchReserveRequest{
		MatchId: m.id, Node: m.node, Tick: a.tick, NowMs: a.begunMs, UnixTimeMs: a.unixMs(), State: m.state, Users: users,
	}
	deadline := m.deadline(m.shim.timing.attemptDeadline)
	resp, err := invoke(ctx, m.shim, m.place, "MatchReserve", deadline, pb.MatchHandlerServiceClient.MatchReserve, req)
	if err == nil {
		err = checkStep(resp.GetStep())
	}
	return resp, err
}

func (m *matchState) sendTerminate(a attempt, notice *terminateNotice) (*pb.Step, error) {
	req := &pb.MatchTerminateRequest{
		MatchId: m.id, Node: m.node, Tick: a.tick, NowMs: a.begunMs, UnixTimeMs: a.unixMs(), State: m.state, GraceSeconds: notice.graceSeconds,
	}
	deadline := m.deadline(m.shim.timing.otherDeadline)
	resp, err := invoke(
		m.ctx, m.shim, m.place, "MatchTerminate", deadline, pb.MatchHandlerServiceClient.MatchTerminate, req)
	return resp.GetStep(), err
}

func (m *matchState) sendAttempt(
	ctx context.Context, a attempt, who *pb.Presence, metadata map[string]string,
) (*pb.MatchJoinAttemptResponse, error) {
	req := &pb.MatchJoinAttemptRequest{
		MatchId: m.id, Node: m.node, Tick: a.tick, NowMs: a.begunMs, UnixTimeMs: a.unixMs(), State: m.state, Presence: who, Metadata: metadata,
	}
	deadline := m.deadline(m.shim.timing.attemptDeadline)
	resp, err := invoke(
		ctx, m.shim, m.place, "MatchJoinAttempt", deadline, pb.MatchHandlerServiceClient.MatchJoinAttempt, req)
	if err == nil {
		err = checkStep(resp.GetStep())
	}
	return resp, err
}

func (m *matchState) sendSignal(ctx context.Context, a attempt, text string) (*pb.MatchSignalResponse, error) {
	req := &pb.MatchSignalRequest{
		MatchId: m.id, Node: m.node, Tick: a.tick, NowMs: a.begunMs, UnixTimeMs: a.unixMs(), State: m.state, Data: text,
	}
	deadline := m.deadline(m.shim.timing.otherDeadline)
	resp, err := invoke(ctx, m.shim, m.place, "MatchSignal", deadline, pb.MatchHandlerServiceClient.MatchSignal, req)
	if err == nil {
		err = checkStep(resp.GetStep())
	}
	return resp, err
}
