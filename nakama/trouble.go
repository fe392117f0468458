package main

import (
	"sync"
	"time"

	"github.com/heroiclabs/nakama-common/runtime"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

const troubleInterval = 10 * time.Second

// troubleLog tells operators why the rules service cannot be used: a connection refused, a certificate or a token that is
// not taken, a version that is too old. It says the same thing at most once in ten seconds, whatever the number of calls.
type troubleLog struct {
	logger runtime.Logger
	now    func() time.Time
	mu     sync.Mutex
	last   string
	said   time.Time
}

// note logs why a call failed, if the reason lies in the connection or in the settings.
func (t *troubleLog) note(err error) {
	if !isTrouble(err) || !t.isNews(status.Convert(err).Message()) {
		return
	}
	fields := map[string]any{"failure": failureName(err), "problem": status.Convert(err).Message()}
	t.logger.WithFields(fields).Warn("set: the rules service cannot be used")
}

func isTrouble(err error) bool {
	switch status.Code(err) {
	case codes.Unavailable, codes.Unauthenticated, codes.FailedPrecondition:
		return true
	default:
		return false
	}
}

func (t *troubleLog) isNews(text string) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	now := t.now()
	if text == t.last && now.Sub(t.said) < troubleInterval {
		return false
	}
	t.last, t.said = text, now
	return true
}
