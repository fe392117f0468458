package fake

import (
	"testing"
	"time"
)

// Timeout is how long a test waits for an event.
const Timeout = 20 * time.Second

// WaitUntil waits for a condition that another goroutine fulfils.
func WaitUntil(t testing.TB, what string, done func() bool) {
	t.Helper()
	for end := time.Now().Add(Timeout); !done(); time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("timeout while waiting: %s", what)
		}
	}
}

// FailOnPanic returns a function that reports a recovered panic as a failure of the test.
func FailOnPanic(t testing.TB) func(any) {
	return func(value any) { t.Error(value) }
}
