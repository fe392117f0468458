package main

import (
	"context"
	"strings"
	"testing"

	"setmatch/nakama/pb"
)

const someMatch = "0f1e2d3c-4b5a-6978-8796-a5b4c3d2e1f0.node1"

func TestTheTraceOfAMatchIsItsID(t *testing.T) {
	want := "00-0f1e2d3c4b5a69788796a5b4c3d2e1f0-00000000000000ff-01"
	if got := traceparent(someMatch, 255); got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	for _, id := range []string{"", "match.node", "0f1e2d3c4b5a69788796a5b4c3d2e1f0.node"} {
		if got := traceparent(id, 255); got != "" {
			t.Errorf("%q makes %q", id, got)
		}
	}
}

// headersOf makes a call about a match twice and returns what the service was told of traces.
func headersOf(t *testing.T, trace bool, matchID string) []string {
	t.Helper()
	f := startService(t)
	r, rules := dial(t, settings{addr: f.addr})
	r.await("a connection", rules.allReady)
	r.shim.trace = trace
	do := pb.MatchHandlerServiceClient.MatchLoop
	for range 2 {
		req := &pb.MatchLoopRequest{MatchId: matchID}
		if _, err := invoke(context.Background(), r.shim, 0, "MatchLoop", hung, do, req); err != nil {
			t.Fatal(err)
		}
	}
	var headers []string
	for _, call := range f.take() {
		headers = append(headers, call.header.Get(traceHeader)...)
	}
	return headers
}

func TestCallsOfAMatchAreSpansOfOneTrace(t *testing.T) {
	headers := headersOf(t, true, someMatch)
	if len(headers) != 2 || headers[0] == headers[1] {
		t.Fatalf("got %q", headers)
	}
	for _, header := range headers {
		if !strings.HasPrefix(header, "00-0f1e2d3c4b5a69788796a5b4c3d2e1f0-") {
			t.Errorf("got %q", header)
		}
	}
}

func TestNothingIsSaidOfTracesUnlessAskedFor(t *testing.T) {
	if headers := headersOf(t, false, someMatch); len(headers) > 0 {
		t.Errorf("got %q", headers)
	}
	if headers := headersOf(t, true, "match.node"); len(headers) > 0 {
		t.Errorf("got %q", headers)
	}
}
