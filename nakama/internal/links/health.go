package links

import (
	"context"
	"errors"
	"sync"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"setmatch/nakama/pb"
)

const (
	firstPause   = time.Second     // from the first failure of a link to its check
	pauseCeiling = 8 * time.Second // maximum of the pause, which doubles
)

// verdict is the conclusion about a link from the result of one call.
type verdict int

const (
	noEvidence verdict = iota // a result that depends on the content of the call or on its caller
	works
	fails // the replica answers with errors
	hangs // the replica does not answer in time
)

// verdictOf returns the verdict of one call. The RPC of a batch succeeds also if all of its calls have failed. A batch whose
// calls have all timed out is cancelled, so the cause of its context must be checked too.
func verdictOf(ctx context.Context, reply any, err error) verdict {
	switch {
	case err == nil:
		return verdictOfReply(reply)
	case errors.Is(context.Cause(ctx), context.DeadlineExceeded):
		return hangs
	default:
		return verdictOfCode(status.Code(err))
	}
}

func verdictOfReply(reply any) verdict {
	batch, _ := reply.(*pb.MatchBatchResponse)
	for _, result := range batch.GetResults() {
		if code := codes.Code(result.GetFailure().GetCode()); verdictOfCode(code) != fails {
			return works
		}
	}
	if len(batch.GetResults()) > 0 {
		return fails
	}
	return works
}

func verdictOfCode(code codes.Code) verdict {
	switch code {
	case codes.OK:
		return works
	case codes.DeadlineExceeded:
		return hangs
	case codes.Unavailable, codes.Internal, codes.Unknown, codes.DataLoss:
		return fails
	default:
		return noEvidence
	}
}

// level is how suitable a link is for calls. A lower level is better.
type level int

const (
	healthy   level = iota
	onTrial         // the link has passed a check, and one call of one match may use it
	failing         // avoided: the replica answers with errors
	unhealthy       // avoided: the replica does not answer in time
)

// health is the health of a link, derived from its calls. After a failure all matches avoid the link. After a pause the pool
// checks it, then one match tries it, and after its success all matches use it again.
type health struct {
	mu       sync.Mutex
	current  level
	failedAt time.Time     // last failure
	pause    time.Duration // before the next check; it doubles with each check
	checkAt  time.Time
}

func (h *health) level() level {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.current
}

// record changes the health after a call.
func (h *health) record(v verdict, now time.Time) {
	h.mu.Lock()
	defer h.mu.Unlock()
	switch v {
	case works:
		h.current, h.pause = healthy, 0
	case fails:
		h.avoid(failing, now)
	case hangs:
		h.avoid(unhealthy, now)
	}
}

func (h *health) avoid(next level, now time.Time) {
	if h.current == healthy {
		h.schedule(now)
	}
	h.current, h.failedAt = next, now
}

func (h *health) schedule(now time.Time) {
	h.pause = min(max(2*h.pause, firstPause), pauseCeiling)
	h.checkAt = now.Add(h.pause)
}

// isDue reports whether a check must be made now, and sets the time of the one after it.
func (h *health) isDue(now time.Time) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.current < failing || now.Before(h.checkAt) {
		return false
	}
	h.schedule(now)
	return true
}

// passCheck allows one call.
func (h *health) passCheck() {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.current >= failing {
		h.current = onTrial
	}
}

// successor returns the health of the new connection that replaces this one after a check. It is not shared, because late
// failures of calls over the old connection do not concern the new one.
func (h *health) successor() *health {
	h.mu.Lock()
	defer h.mu.Unlock()
	return &health{current: onTrial, pause: h.pause, checkAt: h.checkAt}
}

// takeTrial reports whether the caller may make the one call. Its result decides about the link; until then, and if there is
// no result, all others avoid the link.
func (h *health) takeTrial() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.current != onTrial {
		return false
	}
	h.current = failing
	return true
}

// lastFailure returns the time of the last failure.
func (h *health) lastFailure() time.Time {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.failedAt
}
