package main

import (
	"encoding/json"
	"errors"

	"github.com/heroiclabs/nakama-common/runtime"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

// tokens are what messages to clients begin with, by code. Over a socket, Nakama replaces every code of an RPC by 7, so
// clients tell errors apart by the token.
var tokens = map[codes.Code]string{
	codes.InvalidArgument:   "INVALID_ARGUMENT",
	codes.NotFound:          "NOT_FOUND",
	codes.PermissionDenied:  "PERMISSION_DENIED",
	codes.ResourceExhausted: "RESOURCE_EXHAUSTED",
	codes.Internal:          "INTERNAL",
	codes.Unavailable:       "UNAVAILABLE",
}

// newError makes an error for clients: its message begins with the token of its code.
func newError(code codes.Code, message string) *runtime.Error {
	return runtime.NewError(tokens[code]+": "+message, int(code))
}

func errBadRequest(message string) error {
	return newError(codes.InvalidArgument, message)
}

func errInternal() error {
	return newError(codes.Internal, "internal error")
}

// clientError is the error of a failed call for the client: bad options with the service's words, everything else in the
// shim's own.
func clientError(err error) error {
	var ready *runtime.Error
	switch {
	case errors.As(err, &ready):
		return ready
	case status.Code(err) == codes.InvalidArgument:
		return errBadRequest(status.Convert(err).Message())
	case isPoison(err):
		return newError(codes.Internal, "the rules service failed")
	default:
		return newError(codes.Unavailable, serviceAway)
	}
}

// answer returns a value as the JSON text of an RPC's answer.
func answer(value any) (string, error) {
	text, err := json.Marshal(value)
	if err != nil {
		return "", errInternal()
	}
	return string(text), nil
}
