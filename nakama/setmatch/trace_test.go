package setmatch

import (
	"context"
	"strings"
	"testing"

	"setmatch/nakama/pb"
)

const someMatch = "0f1e2d3c-4b5a-6978-8796-a5b4c3d2e1f0.node1"

func TestTraceIDIsMatchID(t *testing.T) {
	want := "00-0f1e2d3c4b5a69788796a5b4c3d2e1f0-00000000000000ff-01"
	if got := traceparent(someMatch, 255); got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	for _, id := range []string{"", "match.node", "0f1e2d3c4b5a69788796a5b4c3d2e1f0.node"} {
		if got := traceparent(id, 255); got != "" {
			t.Errorf("%q: got %q", id, got)
		}
	}
}

// traceHeaders makes two calls about a match and returns the received trace headers.
func traceHeaders(t *testing.T, trace bool, matchID string) []string {
	t.Helper()
	f := startService(t)
	r := dial(t, settings{addr: f.addr})
	r.waitReady(1)
	r.shim.trace = trace
	do := pb.MatchHandlerServiceClient.MatchLoop
	for range 2 {
		link, _ := r.shim.links.Pick(0, nil)
		call := rulesCall[pb.MatchLoopRequest, pb.MatchLoopResponse]{
			method: "MatchLoop", timeout: testTimeout, do: do, req: &pb.MatchLoopRequest{MatchId: matchID},
			check: func(*pb.MatchLoopResponse) error { return nil },
		}
		if _, err := call.over(context.Background(), r.shim, link); err != nil {
			t.Fatal(err)
		}
	}
	var headers []string
	for _, call := range f.takeCalls() {
		headers = append(headers, call.header.Get(traceHeader)...)
	}
	return headers
}

func TestCallsOfMatchShareOneTrace(t *testing.T) {
	headers := traceHeaders(t, true, someMatch)
	if len(headers) != 2 || headers[0] == headers[1] {
		t.Fatalf("got %q", headers)
	}
	for _, header := range headers {
		if !strings.HasPrefix(header, "00-0f1e2d3c4b5a69788796a5b4c3d2e1f0-") {
			t.Errorf("got %q", header)
		}
	}
}

func TestNoTraceHeaderUnlessEnabled(t *testing.T) {
	if headers := traceHeaders(t, false, someMatch); len(headers) > 0 {
		t.Errorf("got %q", headers)
	}
	if headers := traceHeaders(t, true, "match.node"); len(headers) > 0 {
		t.Errorf("got %q", headers)
	}
}
