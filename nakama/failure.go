package main

import (
	"context"
	"errors"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

// serviceAway is what clients are told while the rules service cannot be reached.
const serviceAway = "rules service unavailable, try again"

// malformedReply is a reply that cannot be applied. Its text names what is wrong and quotes nothing of the reply.
type malformedReply struct {
	problem string
}

// Error says what is wrong with the reply.
func (e *malformedReply) Error() string {
	return "malformed reply: " + e.problem
}

// isMalformed reports whether a call was answered with something that cannot be applied.
func isMalformed(err error) bool {
	var malformed *malformedReply
	return errors.As(err, &malformed)
}

// isPoison reports whether a failed call was reached and failed by its content, so that repeating it is unlikely to
// help. All other failures mean that the service is away.
func isPoison(err error) bool {
	if isMalformed(err) {
		return true
	}
	switch status.Code(err) {
	case codes.Internal, codes.Unknown, codes.InvalidArgument, codes.DataLoss:
		return true
	default:
		return false
	}
}

// isTimeout reports whether a call failed because its deadline passed.
func isTimeout(err error) bool {
	return errors.Is(err, context.DeadlineExceeded) || status.Code(err) == codes.DeadlineExceeded
}

// failureName names a failure for logs and metrics, without the service's text.
func failureName(err error) string {
	switch {
	case err == nil:
		return codes.OK.String()
	case isMalformed(err):
		return "Malformed"
	default:
		return status.Code(err).String()
	}
}
