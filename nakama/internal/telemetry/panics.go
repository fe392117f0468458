package telemetry

import (
	"fmt"
	"runtime/debug"

	"github.com/heroiclabs/nakama-common/runtime"

	"setmatch/nakama/internal/refusal"
)

// Panics recovers from panics, counts them and logs them.
type Panics struct {
	meters *Meters
}

// NewPanics returns a reporter that counts with the given meters.
func NewPanics(meters *Meters) *Panics {
	return &Panics{meters: meters}
}

// Recover recovers from a panic, which would end the whole Nakama process. It is deferred at the top of every callback,
// RPC, hook and goroutine.
func (p *Panics) Recover(logger runtime.Logger, where string) {
	if value := recover(); value != nil {
		p.Report(logger, where, value)
	}
}

// RecoverAs does the same and sets the error of the caller.
func (p *Panics) RecoverAs(logger runtime.Logger, where string, err *error) {
	if value := recover(); value != nil {
		p.Report(logger, where, value)
		*err = refusal.Internal()
	}
}

// Run runs the function of a goroutine and recovers from a panic in it.
func (p *Panics) Run(logger runtime.Logger, where string, run func()) {
	defer p.Recover(logger, where)
	run()
}

// Report counts and logs a panic. The panic's value may contain a payload, so only its type is logged, with the stack.
func (p *Panics) Report(logger runtime.Logger, where string, value any) {
	p.meters.Count(RecoveredPanics, 1)
	logger.WithFields(map[string]any{
		"where": where, "panic": fmt.Sprintf("%T", value), "stack": string(debug.Stack()),
	}).Error("set: recovered from a panic")
}
