package batching

import (
	"errors"
	"fmt"
	"sync"
	"time"

	"google.golang.org/grpc/status"
)

// fakeHost records the events of a batcher.
type fakeHost struct {
	mu       sync.Mutex
	shared   []string // number of calls and gRPC code of each batch
	panicked []any
	panics   bool // makes Shared panic
}

var errMalformed = errors.New("malformed")

func (h *fakeHost) Shared(calls int, _ time.Duration, err error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.panics {
		panic("scripted")
	}
	h.shared = append(h.shared, fmt.Sprint(calls, " ", status.Code(err)))
}

func (h *fakeHost) Malformed(problem string) error {
	return fmt.Errorf("%w: %s", errMalformed, problem)
}

func (h *fakeHost) Panicked(value any) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.panicked = append(h.panicked, value)
}
