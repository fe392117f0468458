package lobby

import (
	"context"
	"sync"
	"testing"
)

func TestKeyIsLockedByOneCaller(t *testing.T) {
	locks := newKeyLocks()
	var wait sync.WaitGroup
	inside, done := 0, 0
	for range 50 {
		wait.Go(func() {
			unlock, err := locks.lock(context.Background(), "k")
			if err != nil {
				t.Error(err)
				return
			}
			defer unlock()
			if inside++; inside != 1 {
				t.Errorf("%d callers hold the lock", inside)
			}
			inside--
			done++
		})
	}
	wait.Wait()
	if done != 50 || len(locks.held) != 0 {
		t.Errorf("%d callers got the lock, %d locks are left", done, len(locks.held))
	}
}

func TestOtherKeyIsNotLocked(t *testing.T) {
	locks := newKeyLocks()
	first, _ := locks.lock(context.Background(), "a")
	defer first()
	second, err := locks.lock(context.Background(), "b")
	if err != nil {
		t.Fatal(err)
	}
	second()
}

func TestLockReturnsWhenContextEnds(t *testing.T) {
	locks := newKeyLocks()
	unlock, _ := locks.lock(context.Background(), "k")
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := locks.lock(ctx, "k"); err == nil {
		t.Error("a cancelled caller got the lock")
	}
	unlock()
	if len(locks.held) != 0 {
		t.Error("a lock is left")
	}
}
