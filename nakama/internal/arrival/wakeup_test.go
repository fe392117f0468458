package arrival

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/heroiclabs/nakama-common/runtime"
)

func TestMessageAfterSilenceWakesTheMatchImmediately(t *testing.T) {
	run(t, func(t *testing.T, f *fixture) {
		f.join("ann")
		for _, pause := range []time.Duration{10 * time.Millisecond, 5 * time.Millisecond, time.Hour} {
			pass(pause)
			sent := time.Since(f.start)
			f.send("ann", 1, "x")
			synctest.Wait()
			if woken := f.woken[len(f.woken)-1]; woken != sent {
				t.Errorf("after %v of silence the match was woken %v late", pause, woken-sent)
			}
		}
		wantCount(t, "messages", len(f.arrived.Messages), 3)
	})
}

func TestFloodWakesTheMatchEveryFiveMilliseconds(t *testing.T) {
	run(t, func(t *testing.T, f *fixture) {
		const sessions = 20
		for n := range sessions {
			f.join(fmt.Sprint(n))
		}
		pass(time.Second)
		for n := range sessions * 2_000 {
			f.send(fmt.Sprint(n%sessions), 1, "x")
			if n%sessions == 0 {
				pass(500 * time.Microsecond)
			}
		}
		pass(10 * time.Millisecond)
		wantCount(t, "messages", len(f.arrived.Messages), sessions*2_000)
		if len(f.woken) < 198 || len(f.woken) > 202 {
			t.Errorf("%d wake-ups in one second", len(f.woken))
		}
		for n := range len(f.woken) - 1 {
			if gap := f.woken[n+1] - f.woken[n]; gap < 5*time.Millisecond {
				t.Fatalf("only %v between two drains", gap)
			}
		}
	})
}

func TestFloodOfRefusedMessagesIsBoundedToo(t *testing.T) {
	run(t, func(t *testing.T, f *fixture) {
		f.join("ann")
		for n := range 20_000 {
			f.send("ann", int64(n), "x")
			if n%20 == 0 {
				pass(time.Millisecond)
			}
		}
		pass(10 * time.Millisecond)
		refused := 0
		for _, r := range f.arrived.Refusals {
			refused += r.Count
		}
		wantCount(t, "messages and refusals", len(f.arrived.Messages)+refused, 20_000)
		if len(f.woken) > 202 || len(f.arrived.Refusals) > 8*len(f.woken) {
			t.Errorf("%d wake-ups, %d refusals", len(f.woken), len(f.arrived.Refusals))
		}
	})
}

func TestAtMostOneWakeUpIsOutstanding(t *testing.T) {
	run(t, func(t *testing.T, f *fixture) {
		f.join("ann")
		f.inbox.WakeAt(f.start.Add(time.Second))
		handle := make(chan bool)
		f.nakama.signal = func(context.Context) error {
			<-handle
			f.collect(f.inbox.Woken())
			return nil
		}
		for n := range 50 {
			f.send("ann", 1, fmt.Sprint(n))
			pass(100 * time.Millisecond)
			if n%10 == 0 {
				f.collect(f.inbox.Drain()) // another callback
			}
		}
		wantCount(t, "signals before the first is handled", f.nakama.signals, 1)
		handle <- true
		pass(time.Second)
		wantCount(t, "signals after the first is handled", f.nakama.signals, 1)
		wantCount(t, "messages", len(f.arrived.Messages), 50)
		f.send("ann", 1, "x")
		synctest.Wait()
		wantCount(t, "signals after the next message", f.nakama.signals, 2)
		handle <- true
	})
}

func TestDrainInAnotherCallbackSavesTheWakeUp(t *testing.T) {
	run(t, func(t *testing.T, f *fixture) {
		f.join("ann")
		f.send("ann", 1, "a")
		wantMessages(t, f.inbox.Drain().Messages, "ann:a")
		pass(time.Second)
		wantCount(t, "signals", f.nakama.signals, 0)
		f.send("ann", 1, "b")
		synctest.Wait()
		wantMessages(t, f.arrived.Messages, "ann:b")
	})
}

func TestDrainInAnotherCallbackDelaysTheWakeUp(t *testing.T) {
	run(t, func(t *testing.T, f *fixture) {
		f.join("ann")
		f.send("ann", 1, "a") // 0 ms after a drain
		pass(4 * time.Millisecond)
		f.collect(f.inbox.Drain())
		f.send("ann", 1, "b")
		pass(time.Second)
		wantMessages(t, f.arrived.Messages, "ann:a", "ann:b")
		if !slices.Equal(f.woken, []time.Duration{9 * time.Millisecond}) {
			t.Errorf("woken at %v", f.woken)
		}
	})
}

func TestBusyMatchIsWokenAgain(t *testing.T) {
	run(t, func(t *testing.T, f *fixture) {
		f.join("ann")
		pass(time.Second)
		handled, attempts := f.nakama.signal, []time.Duration(nil)
		f.nakama.signal = func(ctx context.Context) error {
			attempts = append(attempts, time.Since(f.start)-time.Second)
			if len(attempts) < 8 {
				return runtime.ErrMatchBusy
			}
			return handled(ctx)
		}
		f.send("ann", 1, "a")
		pass(time.Minute)
		wantMessages(t, f.arrived.Messages, "ann:a")
		var milliseconds []int64
		for _, attempt := range attempts {
			milliseconds = append(milliseconds, attempt.Milliseconds())
		}
		if !slices.Equal(milliseconds, []int64{0, 5, 15, 35, 75, 155, 255, 355}) {
			t.Errorf("attempts at %v ms", milliseconds)
		}
		attempts = nil
		f.send("ann", 1, "b")
		pass(10 * time.Millisecond)
		wantCount(t, "attempts with a new pause", len(attempts), 2)
	})
}

func TestBusySignalThatWasHandledLaterIsNotRepeated(t *testing.T) {
	run(t, func(t *testing.T, f *fixture) {
		f.join("ann")
		f.nakama.signal = func(context.Context) error {
			f.collect(f.inbox.Woken())
			return runtime.ErrMatchBusy
		}
		f.send("ann", 1, "a")
		pass(time.Second)
		wantCount(t, "signals", f.nakama.signals, 1)
	})
}

func TestMessageAtTheEndOfASignalWakesTheMatchAgain(t *testing.T) {
	for _, result := range []error{nil, runtime.ErrMatchBusy, runtime.ErrMatchNotFound} {
		run(t, func(t *testing.T, f *fixture) {
			f.join("ann")
			handled, sent := f.nakama.signal, false
			f.nakama.signal = func(ctx context.Context) error {
				if err := handled(ctx); sent {
					return err
				}
				sent = true
				f.send("ann", 1, "b")
				return result
			}
			f.send("ann", 1, "a")
			pass(time.Minute)
			wantMessages(t, f.arrived.Messages, "ann:a", "ann:b")
			wantCount(t, "signals", f.nakama.signals, 2)
		})
	}
}

func TestRefusalAloneWakesTheMatch(t *testing.T) {
	run(t, func(t *testing.T, f *fixture) {
		f.join("ann")
		f.send("ann", 1, strings.Repeat("x", 64<<10+1))
		pass(time.Second)
		wantRefusals(t, f.arrived.Refusals, "ann 1: 1")
	})
}

func TestMissingMatchEndsTheWakeUp(t *testing.T) {
	run(t, func(t *testing.T, f *fixture) {
		f.join("ann")
		handled := f.nakama.signal
		f.nakama.signal = func(context.Context) error { return runtime.ErrMatchNotFound }
		f.send("ann", 1, "a")
		pass(time.Minute)
		wantCount(t, "signals", f.nakama.signals, 1)
		f.nakama.signal = handled
		f.send("ann", 1, "b")
		synctest.Wait()
		wantMessages(t, f.arrived.Messages, "ann:a", "ann:b")
	})
}

func TestStoppedMatchEndsTheWakeUp(t *testing.T) {
	waits := map[string]func(context.Context) error{
		"busy":    func(context.Context) error { return runtime.ErrMatchBusy },
		"waiting": func(ctx context.Context) error { <-ctx.Done(); return runtime.ErrMatchBusy },
	}
	for name, wait := range waits {
		t.Run(name, func(t *testing.T) {
			run(t, func(t *testing.T, f *fixture) {
				f.join("ann")
				f.nakama.signal = wait
				f.wakeAt(500 * time.Millisecond)
				f.send("ann", 1, "a")
				pass(time.Second)
				f.stop()
				synctest.Wait()
				signals := f.nakama.signals
				pass(time.Minute)
				wantCount(t, "signals", f.nakama.signals, signals) // the bubble fails if a goroutine is left
			})
		})
	}
}

func TestPanicInASignalIsReportedAndEndsTheWakeUp(t *testing.T) {
	run(t, func(t *testing.T, f *fixture) {
		f.join("ann")
		handled := f.nakama.signal
		f.nakama.signal = func(context.Context) error { panic(errors.New("broken")) }
		f.send("ann", 1, "a")
		pass(time.Second)
		wantCount(t, "panics", len(f.panics), 1)
		f.nakama.signal = handled
		f.send("ann", 1, "b")
		synctest.Wait()
		wantMessages(t, f.arrived.Messages, "ann:a", "ann:b")
	})
}
