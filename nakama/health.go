package main

import (
	"context"
	"errors"
	"sync/atomic"
	"time"

	"google.golang.org/grpc"
)

// avoidedFor is how long a connection over which a deadline passed is used only where no other is better. What is behind
// it may be frozen while the connection stands; batches would carry matches there that were well elsewhere.
const avoidedFor = 2 * time.Second

// linkHealth is what the calls over a connection say of what is behind it.
type linkHealth struct {
	missedAt atomic.Pointer[time.Time] // when the last deadline passed; nil after an answer
}

// observe is around every call of a connection.
func (h *linkHealth) observe(
	ctx context.Context, method string, req, reply any, conn *grpc.ClientConn, invoke grpc.UnaryInvoker,
	opts ...grpc.CallOption,
) error {
	err := invoke(ctx, method, req, reply, conn, opts...)
	h.judge(ctx, err)
	return err
}

// judge notes an answer or a deadline that passed. A batch that all its calls gave up was cancelled for their reason.
func (h *linkHealth) judge(ctx context.Context, err error) {
	switch {
	case err == nil:
		h.missedAt.Store(nil)
	case isTimeout(err), errors.Is(context.Cause(ctx), context.DeadlineExceeded):
		now := time.Now()
		h.missedAt.Store(&now)
	}
}

// isWell reports whether no deadline has passed of late.
func (h *linkHealth) isWell() bool {
	missed := h.missedAt.Load()
	return missed == nil || time.Since(*missed) >= avoidedFor
}
