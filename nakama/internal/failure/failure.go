// Package failure classifies the errors of calls to the rules service.
package failure

import (
	"context"
	"errors"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

// malformedReply is the error of a response that cannot be applied. Its text names the problem and contains no data of the
// response.
type malformedReply struct {
	problem string
}

// Error returns the problem of the response.
func (e *malformedReply) Error() string {
	return "malformed reply: " + e.problem
}

// Malformed returns the error of a response that cannot be applied.
func Malformed(problem string) error {
	return &malformedReply{problem}
}

// IsMalformed reports whether an error was returned by Malformed.
func IsMalformed(err error) bool {
	var malformed *malformedReply
	return errors.As(err, &malformed)
}

// IsPoison reports whether a call may have failed because of its content. All other failures mean an outage. Only a call with
// and one without an input can distinguish a bad input from a replica that always fails.
func IsPoison(err error) bool {
	if IsMalformed(err) {
		return true
	}
	switch status.Code(err) {
	case codes.Internal, codes.Unknown, codes.InvalidArgument, codes.DataLoss:
		return true
	default:
		return false
	}
}

// IsTimeout reports whether a call failed because its deadline passed.
func IsTimeout(err error) bool {
	return errors.Is(err, context.DeadlineExceeded) || status.Code(err) == codes.DeadlineExceeded
}

// Name returns the name of a failure for logs and metrics: gRPC's name of its code, or "Malformed".
func Name(err error) string {
	switch {
	case err == nil:
		return codes.OK.String()
	case IsMalformed(err):
		return "Malformed"
	default:
		return status.Code(err).String()
	}
}
