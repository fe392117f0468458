package main

import (
	"strings"
	"sync"
	"time"

	"github.com/heroiclabs/nakama-common/runtime"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

const troubleInterval = 10 * time.Second

// troubleLog tells operators why the rules service cannot be used: a connection refused, a certificate or a token that is
// not taken, a version that is too old. Each kind of failure is told at most once in ten seconds, however many calls fail.
type troubleLog struct {
	logger runtime.Logger
	now    func() time.Time
	hint   string // what the settings leave open, where a service that hangs up does not say why
	mu     sync.Mutex
	said   map[codes.Code]time.Time
}

// note logs why a call failed, if the reason lies in the connection or in the settings.
func (t *troubleLog) note(err error) {
	if !isTrouble(err) || !t.isDue(status.Code(err)) {
		return
	}
	fields := map[string]any{"failure": failureName(err), "problem": status.Convert(err).Message()}
	if t.hint != "" && status.Code(err) == codes.Unavailable {
		fields["hint"] = t.hint
	}
	t.logger.WithFields(fields).Warn("set: the rules service cannot be used")
}

func isTrouble(err error) bool {
	switch status.Code(err) {
	case codes.Unavailable, codes.Unauthenticated, codes.FailedPrecondition:
		return true
	case codes.DeadlineExceeded: // not of the service's making if no connection came about
		text := status.Convert(err).Message()
		return strings.Contains(text, "balancer error") || strings.Contains(text, "waiting for connections")
	default:
		return false
	}
}

func (t *troubleLog) isDue(code codes.Code) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	now := t.now()
	if last, told := t.said[code]; told && now.Sub(last) < troubleInterval {
		return false
	}
	if t.said == nil {
		t.said = make(map[codes.Code]time.Time)
	}
	t.said[code] = now
	return true
}
