package main

import (
	"encoding/json"
	"errors"

	"github.com/heroiclabs/nakama-common/runtime"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

// Codes that clients see with errors: those of gRPC.
const (
	codeBadRequest  = int(codes.InvalidArgument)
	codeNotFound    = int(codes.NotFound)
	codeForbidden   = int(codes.PermissionDenied)
	codeTooMany     = int(codes.ResourceExhausted)
	codeInternal    = int(codes.Internal)
	codeUnavailable = int(codes.Unavailable)
)

func errBadRequest(message string) error {
	return runtime.NewError(message, codeBadRequest)
}

func errInternal() error {
	return runtime.NewError("internal error", codeInternal)
}

// clientError is what a client is told of a failed call: bad options with the service's words, everything else in the
// shim's own.
func clientError(err error) error {
	var told *runtime.Error
	switch {
	case errors.As(err, &told):
		return told
	case status.Code(err) == codes.InvalidArgument:
		return errBadRequest(status.Convert(err).Message())
	case isPoison(err):
		return runtime.NewError("the rules service failed", codeInternal)
	default:
		return runtime.NewError(serviceAway, codeUnavailable)
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
