package setmatch

import (
	"testing"

	"setmatch/nakama/internal/limits"
)

func TestInitializeCreatesAllMetrics(t *testing.T) {
	n := newFakeNakama()
	(&meters{nk: n}).initialize()
	if len(n.counters) != 12+len(limits.Names) || len(n.gauges) != 3 || n.counter(recoveredPanics) != 0 {
		t.Errorf("sent %v and %v", n.counters, n.gauges)
	}
}
