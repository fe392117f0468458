package main

import (
	"time"

	"setmatch/nakama/batching"
)

// batchHost is what the plugin does with what a batcher tells it.
type batchHost struct {
	meters   *meters
	panicked func(...any)
}

func newBatcher(window time.Duration, m *meters, panicked func(...any)) *batching.Batcher {
	return batching.New(window, batchHost{m, panicked})
}

// Shared counts an RPC that several calls shared.
func (h batchHost) Shared(calls int, took time.Duration, err error) {
	h.meters.batched(calls, failureName(err), took)
}

// Malformed makes the error of an answer that cannot be applied.
func (h batchHost) Malformed(problem string) error {
	return &malformedReply{problem}
}

// Panicked reports a panic that was survived.
func (h batchHost) Panicked(value any) {
	h.panicked(value)
}
