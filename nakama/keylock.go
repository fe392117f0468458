package main

import (
	"context"
	"sync"
)

// keyLocks lets one caller at a time work on a key, and keeps nothing of keys that nobody works on.
type keyLocks struct {
	mu   sync.Mutex
	held map[string]*keyLock
}

type keyLock struct {
	turn  chan struct{}
	users int
}

func newKeyLocks() *keyLocks {
	return &keyLocks{held: make(map[string]*keyLock)}
}

// lock waits for the key. It returns how to give it back, or the context's error.
func (l *keyLocks) lock(ctx context.Context, key string) (func(), error) {
	one := l.enter(key)
	select {
	case one.turn <- struct{}{}:
		return func() { <-one.turn; l.exit(key, one) }, nil
	case <-ctx.Done():
		l.exit(key, one)
		return nil, ctx.Err()
	}
}

func (l *keyLocks) enter(key string) *keyLock {
	l.mu.Lock()
	defer l.mu.Unlock()
	one, ok := l.held[key]
	if !ok {
		one = &keyLock{turn: make(chan struct{}, 1)}
		l.held[key] = one
	}
	one.users++
	return one
}

func (l *keyLocks) exit(key string, one *keyLock) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if one.users--; one.users == 0 {
		delete(l.held, key)
	}
}
