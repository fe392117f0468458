// Package refusal returns the errors that clients receive.
package refusal

import (
	"errors"

	"github.com/heroiclabs/nakama-common/runtime"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"setmatch/nakama/internal/failure"
)

// ServiceUnavailable is the text for clients during an outage.
const ServiceUnavailable = "rules service unavailable, try again"

// tokens maps a code to the first word of an error message to clients. Over a socket, Nakama replaces every code of an RPC
// by 7, so clients identify an error by its token.
var tokens = map[codes.Code]string{
	codes.InvalidArgument:   "INVALID_ARGUMENT",
	codes.NotFound:          "NOT_FOUND",
	codes.PermissionDenied:  "PERMISSION_DENIED",
	codes.ResourceExhausted: "RESOURCE_EXHAUSTED",
	codes.Internal:          "INTERNAL",
	codes.Unavailable:       "UNAVAILABLE",
}

// New returns an error for clients. Its message begins with the token of its code.
func New(code codes.Code, message string) *runtime.Error {
	return runtime.NewError(tokens[code]+": "+message, int(code))
}

// BadRequest returns the error for invalid input. The message names what is invalid and what is allowed.
func BadRequest(message string) error {
	return New(codes.InvalidArgument, message)
}

// Internal returns the error for a fault of the plugin.
func Internal() error {
	return New(codes.Internal, "internal error")
}

// FromCall converts the error of a failed call to an error for clients. Only for invalid options does it contain the
// text of the rules service.
func FromCall(err error) error {
	var converted *runtime.Error
	switch {
	case errors.As(err, &converted):
		return converted
	case status.Code(err) == codes.InvalidArgument:
		return BadRequest(status.Convert(err).Message())
	case failure.IsPoison(err):
		return New(codes.Internal, "the rules service failed")
	default:
		return New(codes.Unavailable, ServiceUnavailable)
	}
}
