package telemetry

import (
	"encoding/json"
	"sync"
)

const (
	matchesByPhase = "set_matches"
	maxPhases      = 16      // each phase is a series of the gauge
	otherPhase     = "OTHER" // all phases above maxPhases
	noPhase        = "NONE"  // a label without a phase
)

// Census counts the running matches by the phase in their labels.
type Census struct {
	nk     Metrics
	mu     sync.Mutex
	counts map[string]int64 // by phase
}

// CensusEntry is the part of one match in the census. census.mu guards its fields.
type CensusEntry struct {
	census *Census
	phase  string // empty: not counted
	closed bool   // no longer updated
}

// NewCensus returns an empty census.
func NewCensus(nk Metrics) *Census {
	return &Census{nk: nk, counts: make(map[string]int64)}
}

// Entry returns the part of a new match.
func (c *Census) Entry() *CensusEntry {
	return &CensusEntry{census: c}
}

// Update counts the match under the phase in its label.
func (e *CensusEntry) Update(label string) {
	e.census.mu.Lock()
	defer e.census.mu.Unlock()
	if !e.closed {
		e.move(e.census.bounded(phaseOf(label)))
	}
}

// Close removes the match from the census. Later updates have no effect.
func (e *CensusEntry) Close() {
	e.census.mu.Lock()
	defer e.census.mu.Unlock()
	e.move("")
	e.closed = true
}

func (e *CensusEntry) move(to string) {
	if e.phase == to {
		return
	}
	e.census.change(e.phase, -1)
	e.census.change(to, 1)
	e.phase = to
}

func (c *Census) change(phase string, by int64) {
	if phase == "" {
		return
	}
	c.counts[phase] += by
	c.nk.MetricsGaugeSet(matchesByPhase, map[string]string{"phase": phase}, float64(c.counts[phase]))
}

// bounded returns the phase, or otherPhase if there are too many phases.
func (c *Census) bounded(phase string) string {
	if _, ok := c.counts[phase]; ok || len(c.counts) < maxPhases {
		return phase
	}
	return otherPhase
}

func phaseOf(label string) string {
	var parsed struct {
		Phase string `json:"phase"`
	}
	if err := json.Unmarshal([]byte(label), &parsed); err != nil || parsed.Phase == "" {
		return noPhase
	}
	return parsed.Phase
}
