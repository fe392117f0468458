package setmatch

import (
	"sync"
	"sync/atomic"
	"time"

	"setmatch/nakama/internal/effects"
	"setmatch/nakama/internal/limits"
)

// metrics is the part of Nakama's module that receives metrics.
type metrics interface {
	MetricsCounterAdd(name string, tags map[string]string, delta int64)
	MetricsGaugeSet(name string, tags map[string]string, value float64)
	MetricsTimerRecord(name string, tags map[string]string, value time.Duration)
}

// meters sends the shim's metrics to Nakama. No metric has a tag for matches or users, because Nakama drops metrics with too
// many tag values.
type meters struct {
	nk      metrics
	pending atomic.Int64 // callbacks in the queues of all matches
	paused  atomic.Int64 // matches whose players have received the pause notice
	effects atomic.Int64 // effects in memory
}

// countCall counts a call.
func (c *meters) countCall(method, code string, duration time.Duration) {
	c.nk.MetricsCounterAdd("set_rules_calls", map[string]string{"method": method, "code": code}, 1)
	c.nk.MetricsTimerRecord("set_rules_call_time", map[string]string{"method": method}, duration)
}

// countBatch counts a batch. Each of its calls is also counted on its own.
func (c *meters) countBatch(calls int, code string, duration time.Duration) {
	c.countCall("MatchBatch", code, duration)
	c.nk.MetricsCounterAdd(batchedCalls, nil, int64(calls))
}

// count adds to a counter without tags.
func (c *meters) count(name string, delta int) {
	if delta > 0 {
		c.nk.MetricsCounterAdd(name, nil, int64(delta))
	}
}

// initialize sends every metric with 0, so that the first event is visible as an increase.
func (c *meters) initialize() {
	for _, name := range []string{
		droppedBroadcasts, poisonedInputs, refusedInputs, malformedReplies, recoveredPanics, closedMatches,
		failedEffects, batchedCalls,
	} {
		c.nk.MetricsCounterAdd(name, nil, 0)
	}
	for _, limit := range limits.Names {
		c.nk.MetricsCounterAdd(refusedCalls, map[string]string{"limit": limit}, 0)
	}
	for _, reason := range effects.Reasons {
		c.nk.MetricsCounterAdd(setAsideEffects, map[string]string{"reason": string(reason)}, 0)
	}
	for _, name := range []string{pendingCallbacks, pausedMatches, waitingEffects} {
		c.nk.MetricsGaugeSet(name, nil, 0)
	}
}

// countLimited counts a call that was rejected because of a limit.
func (c *meters) countLimited(limit string) {
	c.nk.MetricsCounterAdd(refusedCalls, map[string]string{"limit": limit}, 1)
}

// EffectSetAside counts an effect that was set aside.
func (c *meters) EffectSetAside(reason effects.Reason) {
	c.nk.MetricsCounterAdd(setAsideEffects, map[string]string{"reason": string(reason)}, 1)
}

// EffectFailed counts a failed attempt to write an effect.
func (c *meters) EffectFailed() {
	c.count(failedEffects, 1)
}

// EffectsWait changes the gauge of effects in memory.
func (c *meters) EffectsWait(delta int) {
	c.nk.MetricsGaugeSet(waitingEffects, nil, float64(c.effects.Add(int64(delta))))
}

const (
	droppedBroadcasts = "set_dropped_broadcasts"
	poisonedInputs    = "set_poisoned_inputs"
	refusedInputs     = "set_refused_inputs"
	malformedReplies  = "set_malformed_replies"
	recoveredPanics   = "set_recovered_panics"
	closedMatches     = "set_closed_matches"
	failedEffects     = "set_failed_effects"
	setAsideEffects   = "set_aside_effects"
	batchedCalls      = "set_rules_batched_calls"
	refusedCalls      = "set_refused_calls"
	waitingEffects    = "set_waiting_effects"
	pendingCallbacks  = "set_pending"
	pausedMatches     = "set_paused_matches"
)

// gaugeShare is the part of one match in a gauge over all matches. After close, it is 0 and can no longer be set.
type gaugeShare struct {
	mu     sync.Mutex
	name   string
	total  *atomic.Int64 // value of the gauge over all matches
	value  int64
	closed bool
}

func (s *gaugeShare) set(nk metrics, value int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed || s.value == value {
		return
	}
	s.change(nk, value)
}

func (s *gaugeShare) close(nk metrics) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.change(nk, 0)
	s.closed = true
}

func (s *gaugeShare) change(nk metrics, value int64) {
	delta := value - s.value
	s.value = value
	nk.MetricsGaugeSet(s.name, nil, float64(s.total.Add(delta)))
}
