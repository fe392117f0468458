package board

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func parse(t *testing.T, text string) *Board {
	t.Helper()
	path := filepath.Join(t.TempDir(), "dashboard.json")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	board, err := Read(path)
	if err != nil {
		t.Fatal(err)
	}
	return board
}

func TestQueriesReplaceRateInterval(t *testing.T) {
	board := parse(t, `{"panels": [{"title": "row"}, {"title": "one", "fieldConfig": {"defaults": {"unit": "cps"}},
		"targets": [{"refId": "A", "expr": "rate(a[$__rate_interval]) + rate(a[${__rate_interval}])", "legendFormat": "{{ x }}"}]}]}`)
	queries, err := board.Queries("1m")
	want := []Query{{"one", "cps", "{{ x }}", "rate(a[1m]) + rate(a[1m])"}}
	if err != nil || !slices.Equal(queries, want) {
		t.Errorf("queries %q (%v), want %q", queries, err, want)
	}
}

func TestUnknownVariableIsAnError(t *testing.T) {
	board := parse(t, `{"panels": [{"title": "one", "targets": [{"refId": "B", "expr": "a{node=\"$node\"}"}]}]}`)
	_, err := board.Queries("1m")
	if err == nil || !strings.Contains(err.Error(), `panel "one", target B`) || !strings.Contains(err.Error(), `["node"]`) {
		t.Errorf("error %v", err)
	}
}

func TestInvalidDashboardIsAnError(t *testing.T) {
	path := filepath.Join(t.TempDir(), "dashboard.json")
	if _, err := Read(path); err == nil {
		t.Error("read a missing file without an error")
	}
	if err := os.WriteFile(path, []byte("panels"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Read(path); err == nil || !strings.Contains(err.Error(), path) {
		t.Errorf("error %v", err)
	}
}

func TestLegendLabelsReturnsPlaceholders(t *testing.T) {
	if got := LegendLabels("{{method}} of {{ code }}"); !slices.Equal(got, []string{"method", "code"}) {
		t.Errorf("labels %q", got)
	}
}
