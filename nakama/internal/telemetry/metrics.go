// Package telemetry has the metrics, the trace header and the log of problems of the plugin, and reports panics.
package telemetry

import (
	"sync"
	"sync/atomic"
	"time"

	"setmatch/nakama/internal/checkpoint"
	"setmatch/nakama/internal/effects"
	"setmatch/nakama/internal/limits"
)

// Metrics is the part of Nakama's module that receives metrics.
type Metrics interface {
	MetricsCounterAdd(name string, tags map[string]string, delta int64)
	MetricsGaugeSet(name string, tags map[string]string, value float64)
	MetricsTimerRecord(name string, tags map[string]string, value time.Duration)
}

// Meters sends the shim's metrics to Nakama. No metric has a tag for matches or users, because Nakama drops metrics with too
// many tag values.
type Meters struct {
	nk      Metrics
	pending atomic.Int64 // callbacks in the queues of all matches
	paused  atomic.Int64 // matches whose players have received the pause notice
	effects atomic.Int64 // effects in memory
}

// NewMeters returns meters that send to Nakama.
func NewMeters(nk Metrics) *Meters {
	return &Meters{nk: nk}
}

// PendingShare returns the part of one match in the gauge of callbacks in queues.
func (c *Meters) PendingShare() *GaugeShare {
	return &GaugeShare{nk: c.nk, name: pendingCallbacks, total: &c.pending}
}

// PausedShare returns the part of one match in the gauge of paused matches: 0 or 1.
func (c *Meters) PausedShare() *GaugeShare {
	return &GaugeShare{nk: c.nk, name: pausedMatches, total: &c.paused}
}

// CountCall counts a call.
func (c *Meters) CountCall(method, code string, duration time.Duration) {
	c.nk.MetricsCounterAdd("set_rules_calls", map[string]string{"method": method, "code": code}, 1)
	c.nk.MetricsTimerRecord("set_rules_call_time", map[string]string{"method": method}, duration)
}

// CountBatch counts a batch. Each of its calls is also counted on its own.
func (c *Meters) CountBatch(calls int, code string, duration time.Duration) {
	c.CountCall("MatchBatch", code, duration)
	c.nk.MetricsCounterAdd(BatchedCalls, nil, int64(calls))
}

// Count adds to a counter without tags.
func (c *Meters) Count(name string, delta int) {
	if delta > 0 {
		c.nk.MetricsCounterAdd(name, nil, int64(delta))
	}
}

// Initialize sends every metric with 0, so that the first event is visible as an increase.
func (c *Meters) Initialize() {
	for _, name := range []string{
		DroppedBroadcasts, PoisonedInputs, RefusedInputs, MalformedReplies, RecoveredPanics, ClosedMatches,
		FailedEffects, BatchedCalls, savedMatches, failedSaves, revivedMatches,
	} {
		c.nk.MetricsCounterAdd(name, nil, 0)
	}
	for _, limit := range limits.Names {
		c.nk.MetricsCounterAdd(refusedCalls, map[string]string{"limit": limit}, 0)
	}
	for _, reason := range effects.Reasons {
		c.nk.MetricsCounterAdd(setAsideEffects, map[string]string{"reason": string(reason)}, 0)
	}
	for _, reason := range checkpoint.Reasons {
		c.nk.MetricsCounterAdd(setAsideMatches, map[string]string{"reason": string(reason)}, 0)
	}
	for _, name := range []string{pendingCallbacks, pausedMatches, waitingEffects} {
		c.nk.MetricsGaugeSet(name, nil, 0)
	}
}

// CountLimited counts a call that was rejected because of a limit.
func (c *Meters) CountLimited(limit string) {
	c.nk.MetricsCounterAdd(refusedCalls, map[string]string{"limit": limit}, 1)
}

// EffectSetAside counts an effect that was set aside.
func (c *Meters) EffectSetAside(reason effects.Reason) {
	c.nk.MetricsCounterAdd(setAsideEffects, map[string]string{"reason": string(reason)}, 1)
}

// EffectFailed counts a failed attempt to write an effect.
func (c *Meters) EffectFailed() {
	c.Count(FailedEffects, 1)
}

// EffectsWait changes the gauge of effects in memory.
func (c *Meters) EffectsWait(delta int) {
	c.nk.MetricsGaugeSet(waitingEffects, nil, float64(c.effects.Add(int64(delta))))
}

// RowsWritten counts written rows of matches and records the duration of the write.
func (c *Meters) RowsWritten(rows int, took time.Duration) {
	c.Count(savedMatches, rows)
	c.nk.MetricsTimerRecord(saveTime, nil, took)
}

// WriteFailed counts a failed attempt to write or delete rows of matches.
func (c *Meters) WriteFailed() {
	c.Count(failedSaves, 1)
}

// MatchRevived counts a match that was revived after a restart.
func (c *Meters) MatchRevived() {
	c.Count(revivedMatches, 1)
}

// RowSetAside counts a row of a match that is not revived.
func (c *Meters) RowSetAside(reason checkpoint.Reason) {
	c.nk.MetricsCounterAdd(setAsideMatches, map[string]string{"reason": string(reason)}, 1)
}

// The counters without tags (docs/operations.md).
const (
	DroppedBroadcasts = "set_dropped_broadcasts"
	PoisonedInputs    = "set_poisoned_inputs"
	RefusedInputs     = "set_refused_inputs"
	MalformedReplies  = "set_malformed_replies"
	RecoveredPanics   = "set_recovered_panics"
	ClosedMatches     = "set_closed_matches"
	FailedEffects     = "set_failed_effects"
	BatchedCalls      = "set_rules_batched_calls"
)

const (
	savedMatches     = "set_saved_matches"
	failedSaves      = "set_failed_saves"
	revivedMatches   = "set_revived_matches"
	setAsideMatches  = "set_aside_matches"
	saveTime         = "set_save_time"
	setAsideEffects  = "set_aside_effects"
	refusedCalls     = "set_refused_calls"
	waitingEffects   = "set_waiting_effects"
	pendingCallbacks = "set_pending"
	pausedMatches    = "set_paused_matches"
)

// GaugeShare is the part of one match in a gauge over all matches. After Close, it is 0 and can no longer be set.
type GaugeShare struct {
	mu     sync.Mutex
	nk     Metrics
	name   string
	total  *atomic.Int64 // value of the gauge over all matches
	value  int64
	closed bool
}

// Set changes the part of the match.
func (s *GaugeShare) Set(value int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed || s.value == value {
		return
	}
	s.change(value)
}

// Close removes the part of the match. Later changes have no effect.
func (s *GaugeShare) Close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.change(0)
	s.closed = true
}

func (s *GaugeShare) change(value int64) {
	delta := value - s.value
	s.value = value
	s.nk.MetricsGaugeSet(s.name, nil, float64(s.total.Add(delta)))
}
