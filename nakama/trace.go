package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"

	"google.golang.org/grpc/metadata"

	"setmatch/nakama/internal/text"
)

// traceHeader names the metadata in which a call says what trace it belongs to (W3C Trace Context).
const traceHeader = "traceparent"

// aboutMatch is every request about one match.
type aboutMatch interface{ GetMatchId() string }

// traced lets a call say that it belongs to the trace of its match. The id of that trace is the match's own id, a UUID
// like every trace id, so that whoever knows a match finds everything that was done for it. Nakama carries no tracing
// library that a plugin could use; the span that the call names as its parent stands for the shim.
func traced(ctx context.Context, req any) context.Context {
	about, ok := req.(aboutMatch)
	if !ok {
		return ctx
	}
	value := traceparent(about.GetMatchId(), rand.Uint64()|1)
	if value == "" {
		return ctx
	}
	return metadata.AppendToOutgoingContext(ctx, traceHeader, value)
}

// traceparent writes the header, or nothing for an id that is no match's. A span id of zero would not be valid.
func traceparent(matchID string, span uint64) string {
	uuid, _, _ := strings.Cut(matchID, ".")
	if !text.IsUUID(uuid) {
		return ""
	}
	return fmt.Sprintf("00-%s-%016x-01", strings.ReplaceAll(strings.ToLower(uuid), "-", ""), span)
}
