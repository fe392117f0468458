package telemetry

import (
	"testing"

	"setmatch/nakama/internal/checkpoint"
	"setmatch/nakama/internal/fake"
	"setmatch/nakama/internal/limits"
)

func TestInitializeCreatesAllMetrics(t *testing.T) {
	m := fake.NewMetrics()
	NewMeters(m).Initialize()
	if counters, gauges := m.Names(); counters != 15+len(limits.Names)+len(checkpoint.Reasons) || gauges != 3 || m.Counter(RecoveredPanics) != 0 {
		t.Errorf("sent %d counters and %d gauges", counters, gauges)
	}
}
