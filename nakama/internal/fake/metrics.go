package fake

import (
	"maps"
	"slices"
	"sync"
	"time"
)

// Metrics stores counters and gauges.
type Metrics struct {
	mu       sync.Mutex
	counters map[string]int64 // by name and tags
	gauges   map[string]float64
}

// NewMetrics returns metrics without values.
func NewMetrics() *Metrics {
	return &Metrics{counters: make(map[string]int64), gauges: make(map[string]float64)}
}

// Names returns the numbers of counters, each with its tags, and of gauges.
func (n *Metrics) Names() (counters, gauges int) {
	n.mu.Lock()
	defer n.mu.Unlock()
	return len(n.counters), len(n.gauges)
}

// MetricsCounterAdd adds to a counter.
func (n *Metrics) MetricsCounterAdd(name string, tags map[string]string, delta int64) {
	n.mu.Lock()
	defer n.mu.Unlock()
	for _, tag := range slices.Sorted(maps.Keys(tags)) {
		name += " " + tag + "=" + tags[tag]
	}
	n.counters[name] += delta
}

// MetricsGaugeSet sets a gauge.
func (n *Metrics) MetricsGaugeSet(name string, _ map[string]string, value float64) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.gauges[name] = value
}

// MetricsTimerRecord counts a recorded time.
func (n *Metrics) MetricsTimerRecord(name string, tags map[string]string, _ time.Duration) {
	n.MetricsCounterAdd(name, tags, 1)
}

// Counter returns the value of a counter.
func (n *Metrics) Counter(name string) int64 {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.counters[name]
}

// Gauge returns the value of a gauge.
func (n *Metrics) Gauge(name string) float64 {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.gauges[name]
}
