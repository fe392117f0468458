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
	m.queue.seeOff()
	if m.queue.size() > 0 && m.mayCall(tick, d) && m.worksWithoutInput(tick, d) {
		m.deliverRuns(tick, d)
	}
	m.pendingShare.set(m.shim.meters.nk, int64(m.queue.size()))
	return m.queue.size() == 0
}

// worksWithoutInput makes sure that the service can go on with the match after inputs were dropped, before more are tried:
// who sends one bad input after the other must not end it.
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
	who := seating{joined: joiners(run)}
	m.queue.drop(len(run))
	m.apply(step, d, who)
	return true
}

func joiners(run []pendingItem) []string {
	var users []string
	for _, item := range run {
		if item.join != nil {
			users = append(users, item.join.UserId)
		}
	}
	return users
}

// checked turns a step that cannot be applied into an error.
func checked(step *pb.Step, err error) (*pb.Step, error) {
	if err != nil {
		return nil, err
	}
	return step, checkStep(step)
}

// dropPoison gives up player inputs that made a call fail again and again; joins and leaves are never given up.
func (m *matchState) dropPoison(run []pendingItem, err error) {
	if run[0].kind() != inputItem {
		return
	}
	if spoiled := countFailure(run, isPoison(err)); spoiled > 0 {
		m.shim.meters.count(poisonedInputs, spoiled)
		m.logger.WithField("inputs", spoiled).Error("set: dropped player inputs that the rules service fails on")
		m.queue.drop(spoiled)
		m.outage.dropped = true
	}
}

// countFailure counts a failed call against the inputs in it, each for itself: one that came into a call that was failing
// already has tries of its own. It returns how many, which are the oldest, have had theirs.
func countFailure(run []pendingItem, byContent bool) int {
	spoiled := 0
	for i := range run {
		if !byContent {
			run[i].failures = 0
			continue
		}
		run[i].failures++
		if run[i].failures >= poisonLimit {
			spoiled++
		}
	}
	return spoiled
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
	m.apply(step, d, seating{})
	return true
}

func (k itemKind) method() string {
	return [...]string{"MatchLoop", "MatchJoin", "MatchLeave", "MatchTerminate"}[k]
}

func (m *matchState) sendRun(a attempt, run []pendingItem) (*pb.Step, error) {
	switch run[0].kind() {
	case inputItem:
		return m.sendLoop(a, run)
	case joinItem:
		return m.sendJoin(a, run)
	case leaveItem:
		return m.sendLeave(a, run)
	default:
		return m.sendTerminate(a, run[0].terminate)
	}
}

func (m *matchState) sendLoop(a attempt, run []pendingItem) (*pb.Step, error) {
	req := &pb.MatchLoopRequest{MatchId: m.id, Node: m.node, Tick: a.tick, NowMs: a.begunMs, State: m.state}
	for _, item := range run {
		req.Inputs = append(req.Inputs, item.input)
	}
	deadline := m.deadline(m.shim.limits.loopDeadline)
	resp, err := invoke(m.ctx, m.shim, m.place, "MatchLoop", deadline, m.loopRPC(), req)
	return resp.GetStep(), err
}

func (m *matchState) sendJoin(a attempt, run []pendingItem) (*pb.Step, error) {
	req := &pb.MatchJoinRequest{MatchId: m.id, Node: m.node, Tick: a.tick, NowMs: a.begunMs, State: m.state}
	for _, item := range run {
		req.Presences = append(req.Presences, item.join)
	}
	deadline := m.deadline(m.shim.limits.otherDeadline)
	resp, err := invoke(m.ctx, m.shim, m.place, "MatchJoin", deadline, pb.MatchHandlerServiceClient.MatchJoin, req)
	return resp.GetStep(), err
}

func (m *matchState) sendLeave(a attempt, run []pendingItem) (*pb.Step, error) {
	req := &pb.MatchLeaveRequest{MatchId: m.id, Node: m.node, Tick: a.tick, NowMs: a.begunMs, State: m.state}
	for _, item := range run {
		req.Departures = append(req.Departures, item.leave)
	}
	deadline := m.deadline(m.shim.limits.otherDeadline)
	resp, err := invoke(m.ctx, m.shim, m.place, "MatchLeave", deadline, pb.MatchHandlerServiceClient.MatchLeave, req)
	return resp.GetStep(), err
}

func (m *matchState) sendTerminate(a attempt, notice *terminateNotice) (*pb.Step, error) {
	req := &pb.MatchTerminateRequest{
		MatchId: m.id, Node: m.node, Tick: a.tick, NowMs: a.begunMs, State: m.state, GraceSeconds: notice.graceSeconds,
	}
	deadline := m.deadline(m.shim.limits.otherDeadline)
	resp, err := invoke(
		m.ctx, m.shim, m.place, "MatchTerminate", deadline, pb.MatchHandlerServiceClient.MatchTerminate, req)
	return resp.GetStep(), err
}

func (m *matchState) sendAttempt(
	ctx context.Context, a attempt, who *pb.Presence, metadata map[string]string,
) (*pb.MatchJoinAttemptResponse, error) {
	req := &pb.MatchJoinAttemptRequest{
		MatchId: m.id, Node: m.node, Tick: a.tick, NowMs: a.begunMs, State: m.state, Presence: who, Metadata: metadata,
	}
	deadline := m.deadline(m.shim.limits.attemptDeadline)
	resp, err := invoke(
		ctx, m.shim, m.place, "MatchJoinAttempt", deadline, pb.MatchHandlerServiceClient.MatchJoinAttempt, req)
	if err == nil {
		err = checkStep(resp.GetStep())
	}
	return resp, err
}

func (m *matchState) sendSignal(ctx context.Context, a attempt, text string) (*pb.MatchSignalResponse, error) {
	req := &pb.MatchSignalRequest{
		MatchId: m.id, Node: m.node, Tick: a.tick, NowMs: a.begunMs, State: m.state, Data: text,
	}
	deadline := m.deadline(m.shim.limits.otherDeadline)
	resp, err := invoke(ctx, m.shim, m.place, "MatchSignal", deadline, pb.MatchHandlerServiceClient.MatchSignal, req)
	if err == nil {
		err = checkStep(resp.GetStep())
	}
	return resp, err
}
