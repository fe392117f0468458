package telemetry

import (
	"strings"
	"sync"
	"time"

	"github.com/heroiclabs/nakama-common/runtime"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"setmatch/nakama/internal/failure"
)

// problemInterval is the minimum time between two log lines for the same gRPC code.
const problemInterval = 10 * time.Second

// ProblemLog logs why the rules service cannot be used: a refused connection, a rejected certificate or token, a version that
// is too old. It logs each gRPC code at most once per problemInterval.
type ProblemLog struct {
	logger   runtime.Logger
	now      func() time.Time
	hint     string // possible cause of a closed connection; empty: none
	mu       sync.Mutex
	loggedAt map[codes.Code]time.Time // time of the last log line
}

// NewProblemLog returns a log with a hint, which is a possible cause of closed connections; an empty hint is not logged.
func NewProblemLog(logger runtime.Logger, now func() time.Time, hint string) *ProblemLog {
	return &ProblemLog{logger: logger, now: now, hint: hint}
}

// Log logs a failed call if its cause is the connection or the settings.
func (p *ProblemLog) Log(err error) {
	if !isConnectionProblem(err) || !p.isDue(status.Code(err)) {
		return
	}
	fields := map[string]any{"failure": failure.Name(err), "problem": status.Convert(err).Message()}
	if p.hint != "" && status.Code(err) == codes.Unavailable {
		fields["hint"] = p.hint
	}
	p.logger.WithFields(fields).Warn("set: the rules service cannot be used")
}

func isConnectionProblem(err error) bool {
	switch status.Code(err) {
	case codes.Unavailable, codes.Unauthenticated, codes.FailedPrecondition:
		return true
	case codes.DeadlineExceeded: // gRPC's error texts for a call that got no connection
		text := status.Convert(err).Message()
		return strings.Contains(text, "balancer error") || strings.Contains(text, "waiting for connections")
	default:
		return false
	}
}

// isDue reports whether a code may be logged now, and stores the time if so.
func (p *ProblemLog) isDue(code codes.Code) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	now := p.now()
	if last, ok := p.loggedAt[code]; ok && now.Sub(last) < problemInterval {
		return false
	}
	if p.loggedAt == nil {
		p.loggedAt = make(map[codes.Code]time.Time)
	}
	p.loggedAt[code] = now
	return true
}
