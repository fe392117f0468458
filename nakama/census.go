package main

import (
	"encoding/json"
	"sync"
)

const (
	matchesByPhase = "set_matches"
	maxPhases      = 16      // each is a series of the gauge
	otherPhase     = "OTHER" // what comes after so many
	noPhase        = "NONE"  // a label that names none
)

// census counts the running matches by the phase that their labels name.
type census struct {
	nk     gauges
	mu     sync.Mutex
	counts map[string]int64
}

// standing is one match's place in the census, until it is closed.
type standing struct {
	census *census
	phase  string
	gone   bool
}

func newCensus(nk gauges) *census {
	return &census{nk: nk, counts: make(map[string]int64)}
}

// note puts the match where its label says.
func (s *standing) note(label string) {
	s.census.mu.Lock()
	defer s.census.mu.Unlock()
	if !s.gone {
		s.move(s.census.known(phaseOf(label)))
	}
}

// close takes the match out, whatever comes later.
func (s *standing) close() {
	s.census.mu.Lock()
	defer s.census.mu.Unlock()
	s.move("")
	s.gone = true
}

func (s *standing) move(to string) {
	if s.phase == to {
		return
	}
	s.census.change(s.phase, -1)
	s.census.change(to, 1)
	s.phase = to
}

func (c *census) change(phase string, by int64) {
	if phase == "" {
		return
	}
	c.counts[phase] += by
	c.nk.MetricsGaugeSet(matchesByPhase, map[string]string{"phase": phase}, float64(c.counts[phase]))
}

// known keeps the number of phases within bounds, whatever labels say.
func (c *census) known(phase string) string {
	if _, seen := c.counts[phase]; seen || len(c.counts) < maxPhases {
		return phase
	}
	return otherPhase
}

func phaseOf(label string) string {
	var read struct {
		Phase string `json:"phase"`
	}
	if err := json.Unmarshal([]byte(label), &read); err != nil || read.Phase == "" {
		return noPhase
	}
	return read.Phase
}
