package main

import (
	"iter"
	"math/rand/v2"
	"runtime"
	"syscall"
	"time"
)

// arrivals waits for `count` random arrival times (a Poisson process with the rate `perS` per second) and yields each number
// with its time. It uses nanosleep, because Go rounds short sleeps up to a millisecond, which would group the arrivals.
func arrivals(count int, perS float64) iter.Seq2[int, time.Time] {
	return func(yield func(int, time.Time) bool) {
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		at := time.Now()
		for i := range count {
			at = at.Add(time.Duration(rand.ExpFloat64() / perS * float64(time.Second)))
			for wait := time.Until(at); wait > 0; wait = time.Until(at) {
				span := syscall.NsecToTimespec(wait.Nanoseconds())
				_ = syscall.Nanosleep(&span, nil) // the loop repeats a sleep that a signal interrupted
			}
			if !yield(i, at) {
				return
			}
		}
	}
}
