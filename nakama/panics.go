package main

import (
	"fmt"
	"runtime/debug"

	"github.com/heroiclabs/nakama-common/runtime"
)

// recovered ends a panic, which would end the whole Nakama process: deferred at the top of every callback, RPC, hook
// and goroutine. The panic's value may hold a payload, so only its type is logged, with the stack.
func (s *shim) recovered(logger runtime.Logger, where string) {
	if value := recover(); value != nil {
		s.panicked(logger, where, value)
	}
}

// recoveredAs does the same where the caller is owed an error.
func (s *shim) recoveredAs(logger runtime.Logger, where string, err *error) {
	if value := recover(); value != nil {
		s.panicked(logger, where, value)
		*err = errInternal()
	}
}

// guarded runs what a goroutine does and ends a panic in it.
func (s *shim) guarded(logger runtime.Logger, where string, act func()) {
	defer s.recovered(logger, where)
	act()
}

func (s *shim) panicked(logger runtime.Logger, where string, value any) {
	s.meters.count(recoveredPanics, 1)
	logger.WithFields(map[string]any{
		"where": where, "panic": fmt.Sprintf("%T", value), "stack": string(debug.Stack()),
	}).Error("set: recovered from a panic")
}
