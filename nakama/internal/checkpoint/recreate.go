package checkpoint

import (
	"errors"
	"fmt"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/gofrs/uuid/v5"
)

// chooser is a generator of random UUIDs that returns a chosen UUID once.
type chooser struct {
	uuid.Generator
	chosen atomic.Pointer[uuid.UUID] // nil: all UUIDs are random
}

var (
	generator   = &chooser{}
	install     sync.Once
	recreations sync.Mutex // guards the choice: one recreation at a time
)

// Recreate calls `create`, which must call nk.MatchCreate, so that the new match has the given match id, "<uuid>.<node>". Nakama
// takes match ids from the default generator of gofrs/uuid, which the plugin shares. Only the first UUID that `create` requests
// in this goroutine is chosen; all others stay random. The first call must be in InitModule, before Nakama serves clients,
// because it replaces the generator.
func Recreate(match string, create func() (string, error)) error {
	text, _, _ := strings.Cut(match, ".")
	id, err := uuid.FromString(text)
	if err != nil {
		return fmt.Errorf("match id %q is invalid: %w", match, err)
	}
	recreations.Lock()
	defer recreations.Unlock()
	install.Do(func() {
		generator.Generator = uuid.DefaultGenerator
		uuid.DefaultGenerator = generator
	})
	generator.chosen.Store(&id)
	defer generator.chosen.Store(nil)
	created, err := callWithChoice(create)
	switch {
	case err != nil:
		return err
	case created != match:
		return fmt.Errorf("Nakama created match %s instead of %s", created, match)
	}
	return nil
}

// NewV4 returns the chosen UUID to the goroutine that recreates a match, and a random one otherwise.
func (c *chooser) NewV4() (uuid.UUID, error) {
	if c.chosen.Load() != nil && isRecreating() {
		if id := c.chosen.Swap(nil); id != nil {
			return *id, nil
		}
	}
	return c.Generator.NewV4()
}

// callWithChoice marks the stack of the goroutine that recreates a match.
//
//go:noinline
func callWithChoice(create func() (string, error)) (string, error) {
	if create == nil {
		return "", errors.New("no function to create the match")
	}
	return create()
}

// isRecreating reports whether callWithChoice is on the stack of this goroutine.
func isRecreating() bool {
	callers := make([]uintptr, 64)
	frames := runtime.CallersFrames(callers[:runtime.Callers(0, callers)])
	for {
		frame, more := frames.Next()
		if strings.HasSuffix(frame.Function, "/internal/checkpoint.callWithChoice") {
			return true
		}
		if !more {
			return false
		}
	}
}
