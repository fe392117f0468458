package setmatch

import (
	"time"

	"setmatch/nakama/batching"
)

// batchHost connects a batcher to the plugin's metrics and panic report.
type batchHost struct {
	meters      *meters
	reportPanic func(...any)
}

func newBatcher(window time.Duration, m *meters, reportPanic func(...any)) *batching.Batcher {
	return batching.New(window, batchHost{m, reportPanic})
}

// Shared counts a batch.
func (h batchHost) Shared(calls int, duration time.Duration, err error) {
	h.meters.countBatch(calls, failureName(err), duration)
}

// Malformed returns the error of a result that cannot be applied.
func (h batchHost) Malformed(problem string) error {
	return &malformedReply{problem}
}

// Panicked reports a recovered panic.
func (h batchHost) Panicked(value any) {
	h.reportPanic(value)
}
