package batching

import (
	"errors"
	"fmt"
	"sync"
	"time"

	"google.golang.org/grpc/status"
)

// host writes down what a batcher tells it.
type host struct {
	mu       sync.Mutex
	shared   []string
	panicked []any
	broken   bool // Shared panics
}

var errMalformed = errors.New("malformed")

func (h *host) Shared(calls int, _ time.Duration, err error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.broken {
		panic("scripted")
	}
	h.shared = append(h.shared, fmt.Sprint(calls, " ", status.Code(err)))
}

func (h *host) Malformed(problem string) error {
	return fmt.Errorf("%w: %s", errMalformed, problem)
}

func (h *host) Panicked(value any) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.panicked = append(h.panicked, value)
}
