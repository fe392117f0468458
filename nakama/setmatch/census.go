package setmatch

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

// census counts the running matches by the phase in their labels.
type census struct {
	nk     metrics
	mu     sync.Mutex
	counts map[string]int64 // by phase
}

// censusEntry is the part of one match in the census. census.mu guards its fields.
type censusEntry struct {
	census *census
	phase  string // empty: not counted
	closed bool   // no longer updated
}

func newCensus(nk metrics) *census {
	return &census{nk: nk, counts: make(map[string]int64)}
}

// update counts the match under the phase in its label.
func (e *censusEntry) update(label string) {
	e.census.mu.Lock()
	defer e.census.mu.Unlock()
	if !e.closed {
		e.move(e.census.bounded(phaseOf(label)))
	}
}

// close removes the match from the census. Later updates have no effect.
func (e *censusEntry) close() {
	e.census.mu.Lock()
	defer e.census.mu.Unlock()
	e.move("")
	e.closed = true
}

func (e *censusEntry) move(to string) {
	if e.phase == to {
		return
	}
	e.census.change(e.phase, -1)
	e.census.change(to, 1)
	e.phase = to
}

func (c *census) change(phase string, by int64) {
	if phase == "" {
		return
	}
	c.counts[phase] += by
	c.nk.MetricsGaugeSet(matchesByPhase, map[string]string{"phase": phase}, float64(c.counts[phase]))
}

// bounded returns the phase, or otherPhase if there are too many phases.
func (c *census) bounded(phase string) string {
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
