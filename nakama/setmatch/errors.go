package setmatch

import (
	"errors"

	"github.com/heroiclabs/nakama-common/runtime"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

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

// newError returns an error for clients. Its message begins with the token of its code.
func newError(code codes.Code, message string) *runtime.Error {
	return runtime.NewError(tokens[code]+": "+message, int(code))
}

func errBadRequest(message string) error {
	return newError(codes.InvalidArgument, message)
}

func errInternal() error {
	return newError(codes.Internal, "internal error")
}

// clientError converts the error of a failed call to an error for clients. Only for invalid options does it contain the
// text of the rules service.
func clientError(err error) error {
	var converted *runtime.Error
	switch {
	case errors.As(err, &converted):
		return converted
	case status.Code(err) == codes.InvalidArgument:
		return errBadRequest(status.Convert(err).Message())
	case isPoison(err):
		return newError(codes.Internal, "the rules service failed")
	default:
		return newError(codes.Unavailable, serviceUnavailable)
	}
}
