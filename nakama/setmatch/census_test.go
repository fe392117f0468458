package setmatch

import (
	"fmt"
	"maps"
	"sync"
	"testing"
)

// phases stores the last value of the gauge for each phase.
type phases struct {
	metrics
	mu     sync.Mutex
	values map[string]float64
}

func (p *phases) MetricsGaugeSet(name string, tags map[string]string, value float64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.values[name+" "+tags["phase"]] = value
}

func newPhases() (*phases, *census) {
	p := &phases{values: make(map[string]float64)}
	return p, newCensus(p)
}

func TestMatchesAreCountedByPhase(t *testing.T) {
	p, c := newPhases()
	one, other := &censusEntry{census: c}, &censusEntry{census: c}
	one.update(`{"phase":"WAITING"}`)
	other.update(`{"phase":"WAITING"}`)
	one.update(`{"phase":"PLAYING"}`)
	one.update(`{"phase":"PLAYING","players":2}`)
	want := map[string]float64{"set_matches WAITING": 1, "set_matches PLAYING": 1}
	if !maps.Equal(p.values, want) {
		t.Errorf("got %v, want %v", p.values, want)
	}
}

func TestClosedCensusEntryIsNotCounted(t *testing.T) {
	p, c := newPhases()
	one := &censusEntry{census: c}
	one.update(`{"phase":"PLAYING"}`)
	one.close()
	one.update(`{"phase":"PLAYING"}`)
	one.close()
	if got := p.values["set_matches PLAYING"]; got != 0 {
		t.Errorf("%v matches are left", got)
	}
}

func TestLabelWithoutPhaseIsCountedAsNone(t *testing.T) {
	p, c := newPhases()
	for _, label := range []string{"", "{}", `{"phase":7}`} {
		(&censusEntry{census: c}).update(label)
	}
	if got := p.values["set_matches NONE"]; got != 3 {
		t.Errorf("got %v", p.values)
	}
}

func TestNumberOfPhasesIsLimited(t *testing.T) {
	p, c := newPhases()
	for i := range 2 * maxPhases {
		(&censusEntry{census: c}).update(fmt.Sprintf(`{"phase":"P%d"}`, i))
	}
	if len(p.values) != maxPhases+1 || p.values["set_matches "+otherPhase] != maxPhases {
		t.Errorf("%d series: %v", len(p.values), p.values)
	}
}

func TestCensusRemovesStoppedMatch(t *testing.T) {
	r := newMatch(t)
	census := r.shim.census
	count := func(phase string) int64 {
		census.mu.Lock()
		defer census.mu.Unlock()
		return census.counts[phase]
	}
	started := phaseOf(r.match.label)
	if count(started) != 1 {
		t.Fatalf("%d matches in %s", count(started), started)
	}
	r.cancel()
	r.waitUntil("the end of the match", func() bool { return count(started) == 0 })
}
