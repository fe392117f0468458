package setmatch

import (
	"fmt"
	"runtime/debug"

	"github.com/heroiclabs/nakama-common/runtime"
)

// recoverPanic recovers from a panic, which would end the whole Nakama process. It is deferred at the top of every callback,
// RPC, hook and goroutine.
func (s *shim) recoverPanic(logger runtime.Logger, where string) {
	if value := recover(); value != nil {
		s.reportPanic(logger, where, value)
	}
}

// recoverPanicAs does the same and sets the error of the caller.
func (s *shim) recoverPanicAs(logger runtime.Logger, where string, err *error) {
	if value := recover(); value != nil {
		s.reportPanic(logger, where, value)
		*err = errInternal()
	}
}

// runRecovered runs the function of a goroutine and recovers from a panic in it.
func (s *shim) runRecovered(logger runtime.Logger, where string, run func()) {
	defer s.recoverPanic(logger, where)
	run()
}

// reportPanic counts and logs a panic. The panic's value may contain a payload, so only its type is logged, with the stack.
func (s *shim) reportPanic(logger runtime.Logger, where string, value any) {
	s.meters.count(recoveredPanics, 1)
	logger.WithFields(map[string]any{
		"where": where, "panic": fmt.Sprintf("%T", value), "stack": string(debug.Stack()),
	}).Error("set: recovered from a panic")
}
