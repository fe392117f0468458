package setmatch

import (
	"context"
	"errors"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

// serviceUnavailable is the text for clients during an outage.
const serviceUnavailable = "rules service unavailable, try again"

// malformedReply is the error of a response that cannot be applied. Its text names the problem and contains no data of the
// response.
type malformedReply struct {
	problem string
}

// Error returns the problem of the response.
func (e *malformedReply) Error() string {
	return "malformed reply: " + e.problem
}

// isMalformed reports whether an error is a malformedReply.
func isMalformed(err error) bool {
	var malformed *malformedReply
	return errors.As(err, &malformed)
}

// isPoison reports whether a call may have failed because of its content. All other failures mean an outage. Only a call with
// and one without an input can distinguish a bad input from a replica that always fails.
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

// failureName returns the name of a failure for logs and metrics: gRPC's name of its code, or "Malformed".
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
