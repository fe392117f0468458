package main

import (
	"context"
	"errors"
	"sync/atomic"
	"time"

	"google.golang.org/grpc"
)

// avoidTime is how long a link is used only as a last resort after a timeout. The replica behind it may hang although the
// connection is open; without this pause, batches would carry healthy matches to it.
const avoidTime = 2 * time.Second

// linkHealth is the health of a link, derived from its calls.
type linkHealth struct {
	timedOutAt atomic.Pointer[time.Time] // time of the last timeout; nil after a success
}

// intercept is the gRPC interceptor that records the result of every call over a link.
func (h *linkHealth) intercept(
	ctx context.Context, method string, req, reply any, conn *grpc.ClientConn, invoke grpc.UnaryInvoker,
	opts ...grpc.CallOption,
) error {
	err := invoke(ctx, method, req, reply, conn, opts...)
	h.record(ctx, err)
	return err
}

// record updates the health after a success or a timeout. A batch whose calls have all timed out is cancelled, so the cause
// of its context must be checked too.
func (h *linkHealth) record(ctx context.Context, err error) {
	switch {
	case err == nil:
		h.timedOutAt.Store(nil)
	case isTimeout(err), errors.Is(context.Cause(ctx), context.DeadlineExceeded):
		now := time.Now()
		h.timedOutAt.Store(&now)
	}
}

// isHealthy reports whether the link had no timeout within avoidTime.
func (h *linkHealth) isHealthy() bool {
	timedOutAt := h.timedOutAt.Load()
	return timedOutAt == nil || time.Since(*timedOutAt) >= avoidTime
}
