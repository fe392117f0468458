package match

import (
	"context"
	"strings"
	"testing"

	"setmatch/nakama/internal/config"
	"setmatch/nakama/internal/fake"
	"setmatch/nakama/internal/rules"
	"setmatch/nakama/internal/telemetry"
	"setmatch/nakama/pb"
)

const someMatch = "0f1e2d3c-4b5a-6978-8796-a5b4c3d2e1f0.node1"

// traceHeaders makes two calls about a match and returns the received trace headers.
func traceHeaders(t *testing.T, trace bool, matchID string) []string {
	t.Helper()
	f := fake.StartService(t)
	r := dial(t, config.Settings{Addr: f.Addr})
	r.waitReady(1)
	r.shared.Rules.Trace = trace
	do := pb.MatchHandlerServiceClient.MatchLoop
	for range 2 {
		link, _ := r.shared.Rules.Links.Pick(0, nil)
		call := rules.Call[pb.MatchLoopRequest, pb.MatchLoopResponse]{
			Method: "MatchLoop", Timeout: fake.Timeout, Do: do, Req: &pb.MatchLoopRequest{MatchId: matchID},
			Check: func(*pb.MatchLoopResponse) error { return nil },
		}
		if _, err := call.Over(context.Background(), r.shared.Rules, link); err != nil {
			t.Fatal(err)
		}
	}
	var headers []string
	for _, call := range f.TakeCalls() {
		headers = append(headers, call.Header.Get(telemetry.TraceHeader)...)
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
