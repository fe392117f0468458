package main

import (
	"fmt"
	"maps"
	"sync"
	"testing"

	"setmatch/nakama/internal/limits"
)

// phases is a gauge that keeps what it was last told for each phase.
type phases struct {
	gauges
	mu   sync.Mutex
	told map[string]float64
}

func (p *phases) MetricsGaugeSet(name string, tags map[string]string, value float64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.told[name+" "+tags["phase"]] = value
}

func newPhases() (*phases, *census) {
	p := &phases{told: make(map[string]float64)}
	return p, newCensus(p)
}

func TestMatchesAreCountedByTheirPhases(t *testing.T) {
	told, c := newPhases()
	one, other := &standing{census: c}, &standing{census: c}
	one.note(`{"phase":"WAITING"}`)
	other.note(`{"phase":"WAITING"}`)
	one.note(`{"phase":"PLAYING"}`)
	one.note(`{"phase":"PLAYING","players":2}`)
	want := map[string]float64{"set_matches WAITING": 1, "set_matches PLAYING": 1}
	if !maps.Equal(told.told, want) {
		t.Errorf("got %v, want %v", told.told, want)
	}
}

func TestAMatchThatIsGoneCountsNowhere(t *testing.T) {
	told, c := newPhases()
	one := &standing{census: c}
	one.note(`{"phase":"PLAYING"}`)
	one.close()
	one.note(`{"phase":"PLAYING"}`)
	one.close()
	if got := told.told["set_matches PLAYING"]; got != 0 {
		t.Errorf("%v matches are left", got)
	}
}

func TestALabelWithoutAPhaseIsCountedToo(t *testing.T) {
	told, c := newPhases()
	for _, label := range []string{"", "{}", `{"phase":7}`} {
		(&standing{census: c}).note(label)
	}
	if got := told.told["set_matches NONE"]; got != 3 {
		t.Errorf("got %v", told.told)
	}
}

func TestPhasesAreKeptWithinBounds(t *testing.T) {
	told, c := newPhases()
	for i := range 2 * maxPhases {
		(&standing{census: c}).note(fmt.Sprintf(`{"phase":"P%d"}`, i))
	}
	if len(told.told) != maxPhases+1 || told.told["set_matches "+otherPhase] != maxPhases {
		t.Errorf("%d series: %v", len(told.told), told.told)
	}
}

func TestTheCensusFollowsAMatchToItsEnd(t *testing.T) {
	r := newMatch(t)
	census := r.shim.census
	count := func(phase string) int64 {
		census.mu.Lock()
		defer census.mu.Unlock()
		return census.counts[phase]
	}
	begun := phaseOf(r.match.label)
	if count(begun) != 1 {
		t.Fatalf("%d matches in %s", count(begun), begun)
	}
	r.cancel()
	r.await("the end of the match", func() bool { return count(begun) == 0 })
}

func TestEveryMetricIsThereFromTheStart(t *testing.T) {
	n := newFakeNakama()
	(&meters{nk: n}).announce()
	if len(n.counters) != 12+len(limits.Names) || len(n.gauges) != 3 || n.counter(recoveredPanics) != 0 {
		t.Errorf("announced %v and %v", n.counters, n.gauges)
	}
}
