package main

import (
	"iter"
	"math/rand/v2"
	"runtime"
	"syscall"
	"time"
)

// arrivals yields so many times, at random with a given rate per second, each when it has come. It sleeps by the
// system's own call: Go rounds short sleeps up to a millisecond, which would let claims come in flocks.
func arrivals(count int, perS float64) iter.Seq2[int, time.Time] {
	return func(yield func(int, time.Time) bool) {
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		due := time.Now()
		for i := range count {
			due = due.Add(time.Duration(rand.ExpFloat64() / perS * float64(time.Second)))
			for wait := time.Until(due); wait > 0; wait = time.Until(due) {
				span := syscall.NsecToTimespec(wait.Nanoseconds())
				_ = syscall.Nanosleep(&span, nil) // a signal that ends it early is met by the loop
			}
			if !yield(i, due) {
				return
			}
		}
	}
}
