package match

import (
	"slices"

	"github.com/heroiclabs/nakama-common/runtime"

	"setmatch/nakama/internal/failure"
	"setmatch/nakama/internal/links"
	"setmatch/nakama/internal/telemetry"
)

// An input that fails with poison twice is isolated: it is sent alone, each time directly after a call without input succeeded
// over the same link. If it still fails maxPoisonFailures times, the input itself is the cause, and it is dropped.
const (
	failuresToIsolate = 2
	maxPoisonFailures = 3
)

// deliver sends the queue in order until it is empty or a call fails. It reports whether the queue is empty.
func (m *matchState) deliver(tick int64, d runtime.MatchDispatcher) bool {
	if m.queue.size() > 0 && m.canCall(tick, d) {
		m.deliverRuns(tick, d)
	}
	m.gauges.pending.Set(int64(m.queue.size()))
	return m.queue.size() == 0
}

func (m *matchState) deliverRuns(tick int64, d runtime.MatchDispatcher) {
	for m.queue.size() > 0 && !m.ending.over {
		run := m.queue.head()
		if m.calls.isolated {
			run = run[:1]
		}
		if !m.probeBefore(tick, d, run) || !m.deliverRun(tick, d, run) {
			return
		}
	}
}

// probeBefore makes a call without input before an isolated input, and reports whether the input may be sent. So an input is
// never dropped because of a service that fails on every call. The time of the call is not after the input, because the game
// must not reach a deadline before the input is processed.
func (m *matchState) probeBefore(tick int64, d runtime.MatchDispatcher, run []pendingItem) bool {
	if !m.calls.isolated || run[0].input == nil {
		return true
	}
	at := m.lastDrain
	at.ms = max(m.calls.answeredMs, min(at.ms, run[0].input.ReceivedMs))
	at.unixMs -= m.lastDrain.ms - at.ms
	link, ok := m.callWithoutInput(tick, d, at)
	m.calls.provenLink = link
	return ok && !m.ending.over
}

// deliverRun makes one call for consecutive items of the same kind. It reports whether the call succeeded.
func (m *matchState) deliverRun(tick int64, d runtime.MatchDispatcher, run []pendingItem) bool {
	start := m.startCall(tick)
	step, err := m.sendRun(start, run)
	proven := m.calls.provenLink != nil
	m.calls.provenLink = nil
	if err != nil {
		m.recordFailure(d, start, err)
		m.logFailure(run[0].kind().method(), err)
		m.suspectInputs(run, proven, failure.IsPoison(err))
		return false
	}
	m.calls.isolated = false
	m.queue.drop(len(run))
	m.apply(step, d)
	return true
}

// suspectInputs isolates or drops inputs whose calls failed with poison. Joins and leaves are never dropped.
func (m *matchState) suspectInputs(run []pendingItem, proven, poison bool) {
	hasInput := slices.ContainsFunc(run, func(item pendingItem) bool { return item.input != nil })
	switch {
	case !poison:
		m.outage.InputFailures, run[0].failures = 0, 0
	case proven:
		m.countProvenFailure(&run[0])
	case hasInput:
		m.outage.InputFailures++
		m.calls.isolated = m.calls.isolated || m.outage.InputFailures >= failuresToIsolate
	}
}

// countProvenFailure counts a failure of the first item of the queue, and drops the item after too many.
func (m *matchState) countProvenFailure(item *pendingItem) {
	item.failures++
	if item.failures < maxPoisonFailures {
		return
	}
	m.queue.drop(1)
	m.changed = true
	m.calls.isolated = m.queue.size() > 0
	m.shared.Meters.Count(telemetry.PoisonedInputs, 1)
	m.logger.Error("set: dropped a player's input on which the rules service fails")
}

// logFailure logs a failed call. In an outage it logs only failures 1, 2, 4, 8 and so on, because each match retries about
// once per second; the metrics count all failures.
func (m *matchState) logFailure(method string, err error) {
	fields := map[string]any{"method": method, "failure": failure.Name(err)}
	if failure.IsMalformed(err) {
		m.shared.Meters.Count(telemetry.MalformedReplies, 1)
		fields["problem"] = err.Error()
	}
	if n := m.outage.Failures; n&(n-1) != 0 {
		return
	}
	m.logger.WithFields(fields).Warn("set: call to the rules service failed")
}

// callWithoutInput calls MatchLoop without input: at the wake time, or to check whether the outage is over. It returns the link
// and whether the call succeeded.
func (m *matchState) callWithoutInput(tick int64, d runtime.MatchDispatcher, at drainTime) (*links.Link, bool) {
	start := m.startCall(tick)
	link, alone := m.pickLink()
	step, err := m.sendLoop(start, link, alone, at, nil)
	if err != nil {
		m.recordFailure(d, start, err)
		m.logFailure("MatchLoop", err)
		return nil, false
	}
	m.apply(step, d)
	return link, true
}

func (k itemKind) method() string {
	return [...]string{"MatchLoop", "MatchJoin", "MatchTerminate"}[k]
}
