package telemetry

import (
	"fmt"
	"maps"
	"sync"
	"testing"
)

// phases stores the last value of the gauge for each phase.
type phases struct {
	Metrics
	mu     sync.Mutex
	values map[string]float64
}

func (p *phases) MetricsGaugeSet(name string, tags map[string]string, value float64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.values[name+" "+tags["phase"]] = value
}

func newPhases() (*phases, *Census) {
	p := &phases{values: make(map[string]float64)}
	return p, NewCensus(p)
}

func TestMatchesAreCountedByPhase(t *testing.T) {
	p, c := newPhases()
	one, other := c.Entry(), c.Entry()
	one.Update(`{"phase":"WAITING"}`)
	other.Update(`{"phase":"WAITING"}`)
	one.Update(`{"phase":"PLAYING"}`)
	one.Update(`{"phase":"PLAYING","players":2}`)
	want := map[string]float64{"set_matches WAITING": 1, "set_matches PLAYING": 1}
	if !maps.Equal(p.values, want) {
		t.Errorf("got %v, want %v", p.values, want)
	}
}

func TestClosedCensusEntryIsNotCounted(t *testing.T) {
	p, c := newPhases()
	one := c.Entry()
	one.Update(`{"phase":"PLAYING"}`)
	one.Close()
	one.Update(`{"phase":"PLAYING"}`)
	one.Close()
	if got := p.values["set_matches PLAYING"]; got != 0 {
		t.Errorf("%v matches are left", got)
	}
}

func TestLabelWithoutPhaseIsCountedAsNone(t *testing.T) {
	p, c := newPhases()
	for _, label := range []string{"", "{}", `{"phase":7}`} {
		c.Entry().Update(label)
	}
	if got := p.values["set_matches NONE"]; got != 3 {
		t.Errorf("got %v", p.values)
	}
}

func TestNumberOfPhasesIsLimited(t *testing.T) {
	p, c := newPhases()
	for i := range 2 * maxPhases {
		c.Entry().Update(fmt.Sprintf(`{"phase":"P%d"}`, i))
	}
	if len(p.values) != maxPhases+1 || p.values["set_matches "+otherPhase] != maxPhases {
		t.Errorf("%d series: %v", len(p.values), p.values)
	}
}
