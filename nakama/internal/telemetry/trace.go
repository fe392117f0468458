package telemetry

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"

	"google.golang.org/grpc/metadata"

	"setmatch/nakama/internal/text"
)

// TraceHeader is the name of the gRPC metadata with the trace id of a call (W3C Trace Context).
const TraceHeader = "traceparent"

// matchRequest is implemented by every request about a match.
type matchRequest interface{ GetMatchId() string }

// Traced adds the trace header to a call about a match. The trace id is the UUID of the match id, so that all calls of a match
// can be found by its id. The parent span id is random, because Nakama offers plugins no tracing library.
func Traced(ctx context.Context, req any) context.Context {
	request, ok := req.(matchRequest)
	if !ok {
		return ctx
	}
	value := traceparent(request.GetMatchId(), rand.Uint64()|1)
	if value == "" {
		return ctx
	}
	return metadata.AppendToOutgoingContext(ctx, TraceHeader, value)
}

// traceparent returns the value of the header, or an empty string if the match id contains no UUID. The span must not be 0.
func traceparent(matchID string, span uint64) string {
	uuid, _, _ := strings.Cut(matchID, ".")
	if !text.IsUUID(uuid) {
		return ""
	}
	return fmt.Sprintf("00-%s-%016x-01", strings.ReplaceAll(strings.ToLower(uuid), "-", ""), span)
}
