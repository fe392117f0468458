package lobby

import (
	"context"
	"sync"
)

// keyLocks is a set of locks by key. It holds only the keys that are locked or waited for.
type keyLocks struct {
	mu   sync.Mutex
	held map[string]*keyLock
}

// keyLock is the lock of one key.
type keyLock struct {
	token chan struct{} // capacity 1: full while locked
	users int           // callers that hold the lock or wait for it; guarded by keyLocks.mu
}

func newKeyLocks() *keyLocks {
	return &keyLocks{held: make(map[string]*keyLock)}
}

// lock waits until the key is free and locks it. It returns the unlock function, or the error of the context.
func (l *keyLocks) lock(ctx context.Context, key string) (func(), error) {
	lock := l.enter(key)
	select {
	case lock.token <- struct{}{}:
		return func() { <-lock.token; l.exit(key, lock) }, nil
	case <-ctx.Done():
		l.exit(key, lock)
		return nil, ctx.Err()
	}
}

func (l *keyLocks) enter(key string) *keyLock {
	l.mu.Lock()
	defer l.mu.Unlock()
	lock, ok := l.held[key]
	if !ok {
		lock = &keyLock{token: make(chan struct{}, 1)}
		l.held[key] = lock
	}
	lock.users++
	return lock
}

func (l *keyLocks) exit(key string, lock *keyLock) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if lock.users--; lock.users == 0 {
		delete(l.held, key)
	}
}
