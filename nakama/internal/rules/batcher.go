package rules

import (
	"time"

	"setmatch/nakama/batching"
	"setmatch/nakama/internal/failure"
	"setmatch/nakama/internal/telemetry"
)

// batchHost connects a batcher to the plugin's metrics and panic report.
type batchHost struct {
	meters      *telemetry.Meters
	reportPanic func(any)
}

// NewBatcher returns a batcher whose calls wait for others at most for a time.
func NewBatcher(window time.Duration, m *telemetry.Meters, reportPanic func(any)) *batching.Batcher {
	return batching.New(window, batchHost{m, reportPanic})
}

// Shared counts a batch.
func (h batchHost) Shared(calls int, duration time.Duration, err error) {
	h.meters.CountBatch(calls, failure.Name(err), duration)
}

// Malformed returns the error of a result that cannot be applied.
func (h batchHost) Malformed(problem string) error {
	return failure.Malformed(problem)
}

// Panicked reports a recovered panic.
func (h batchHost) Panicked(value any) {
	h.reportPanic(value)
}
