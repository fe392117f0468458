package arrival

import (
	"context"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/heroiclabs/nakama-common/runtime"
)

func (f *fixture) wakeAt(after time.Duration) {
	f.inbox.WakeAt(f.start.Add(after))
}

func (f *fixture) wantWoken(want ...time.Duration) {
	f.t.Helper()
	if !slices.Equal(f.woken, want) {
		f.t.Errorf("woken at %v, want %v", f.woken, want)
	}
}

func TestTimerWakesTheMatchOnce(t *testing.T) {
	run(t, func(t *testing.T, f *fixture) {
		f.wakeAt(3 * time.Second)
		f.wakeAt(3 * time.Second)
		pass(time.Hour)
		f.wantWoken(3 * time.Second)
	})
}

func TestLastTimeReplacesEarlierOnes(t *testing.T) {
	run(t, func(t *testing.T, f *fixture) {
		f.wakeAt(2 * time.Second)
		f.wakeAt(time.Second)
		f.wakeAt(3 * time.Second)
		pass(time.Hour)
		f.wantWoken(3 * time.Second)
	})
}

func TestStoppedTimerDoesNotFire(t *testing.T) {
	run(t, func(t *testing.T, f *fixture) {
		f.wakeAt(time.Second)
		f.inbox.StopTimer()
		pass(2 * time.Second)
		f.wantWoken()
		f.wakeAt(3 * time.Second)
		f.stop()
		synctest.Wait()
		if f.inbox.timer.timer.Stop() {
			t.Error("the timer of a stopped match still runs")
		}
		f.wakeAt(4 * time.Second)
		pass(time.Hour)
		f.wantWoken()
	})
}

func TestElapsedTimeWakesImmediately(t *testing.T) {
	run(t, func(t *testing.T, f *fixture) {
		pass(time.Second)
		f.wakeAt(10 * time.Millisecond)
		pass(time.Hour)
		f.wantWoken(time.Second)
	})
}

func TestElapsedTimesWakeAtMost20TimesASecond(t *testing.T) {
	run(t, func(t *testing.T, f *fixture) {
		handled := f.nakama.signal
		f.nakama.signal = func(ctx context.Context) error {
			f.inbox.WakeAt(time.Now()) // the match is in an outage, and sets the time again
			return handled(ctx)
		}
		f.wakeAt(time.Second)
		pass(2*time.Second - time.Millisecond)
		wantCount(t, "wake-ups in one second", len(f.woken), 20)
		f.wakeAt(time.Hour)
		pass(time.Hour / 2)
		wantCount(t, "wake-ups until the next time", len(f.woken), 20)
	})
}

func TestFiringOfAReplacedTimeIsIgnored(t *testing.T) {
	run(t, func(t *testing.T, f *fixture) {
		f.wakeAt(time.Second)
		f.wakeAt(2 * time.Second)
		f.inbox.fire(f.start.Add(time.Second)) // had fired, and waited for the lock
		pass(time.Second)
		f.inbox.StopTimer()
		f.inbox.fire(f.start.Add(2 * time.Second))
		pass(time.Hour)
		f.wantWoken()
	})
}

func TestTimerSharesTheWakeUpOfMessages(t *testing.T) {
	run(t, func(t *testing.T, f *fixture) {
		f.join("ann")
		pass(time.Second)
		f.send("ann", 1, "a")
		synctest.Wait()
		f.wakeAt(time.Second + 2*time.Millisecond)
		pass(time.Millisecond)
		f.send("ann", 1, "b")
		pass(time.Hour)
		f.wantWoken(time.Second, time.Second+5*time.Millisecond)
	})
}

func TestDrainInAnotherCallbackKeepsTheWakeUpOfTheTimer(t *testing.T) {
	run(t, func(t *testing.T, f *fixture) {
		pass(time.Second)
		f.inbox.Drain()
		f.wakeAt(time.Second + time.Millisecond)
		pass(2 * time.Millisecond)
		f.inbox.Drain()
		pass(time.Hour)
		f.wantWoken(time.Second + 7*time.Millisecond)
	})
}

func TestTimerOfABusyMatchWakesItLater(t *testing.T) {
	run(t, func(t *testing.T, f *fixture) {
		handled := f.nakama.signal
		f.nakama.signal = func(ctx context.Context) error {
			if time.Since(f.start) < 1200*time.Millisecond {
				return runtime.ErrMatchBusy
			}
			return handled(ctx)
		}
		f.wakeAt(time.Second)
		pass(time.Hour)
		wantCount(t, "wake-ups", len(f.woken), 1)
	})
}
