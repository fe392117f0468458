package main

import (
	"sync"
	"sync/atomic"
	"time"

	"setmatch/nakama/internal/effects"
	"setmatch/nakama/internal/limits"
)

// gauges is the part of Nakama's module that takes metrics.
type gauges interface {
	MetricsCounterAdd(name string, tags map[string]string, delta int64)
	MetricsGaugeSet(name string, tags map[string]string, value float64)
	MetricsTimerRecord(name string, tags map[string]string, value time.Duration)
}

// meters counts what the shim does. No metric is tagged by match or user: Nakama drops metrics with too many tags.
type meters struct {
	nk      gauges
	pending atomic.Int64
	paused  atomic.Int64
	effects atomic.Int64
}

func (c *meters) called(method, code string, took time.Duration) {
	c.nk.MetricsCounterAdd("set_rules_calls", map[string]string{"method": method, "code": code}, 1)
	c.nk.MetricsTimerRecord("set_rules_call_time", map[string]string{"method": method}, took)
}

// batched counts an RPC that several calls shared; each of them is counted for itself besides.
func (c *meters) batched(calls int, code string, took time.Duration) {
	c.called("MatchBatch", code, took)
	c.nk.MetricsCounterAdd(batchedCalls, nil, int64(calls))
}

func (c *meters) count(name string, delta int) {
	if delta > 0 {
		c.nk.MetricsCounterAdd(name, nil, int64(delta))
	}
}

// announce lets every metric be there from the start, so that the first event already shows as a rise.
func (c *meters) announce() {
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

// limited counts a call that was refused because of a limit.
func (c *meters) limited(limit string) {
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

// EffectsWait shows how many effects wait.
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

// share is one match's part of a gauge over all matches. It gives its part back when the match is gone, whatever
// comes later.
type share struct {
	mu    sync.Mutex
	name  string
	total *atomic.Int64
	value int64
	gone  bool
}

func (s *share) set(nk gauges, value int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.gone || s.value == value {
		return
	}
	s.change(nk, value)
}

func (s *share) close(nk gauges) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.change(nk, 0)
	s.gone = true
}

func (s *share) change(nk gauges, value int64) {
	delta := value - s.value
	s.value = value
	nk.MetricsGaugeSet(s.name, nil, float64(s.total.Add(delta)))
}
