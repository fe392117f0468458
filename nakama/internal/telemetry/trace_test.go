package telemetry

import "testing"

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
