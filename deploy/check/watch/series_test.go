package watch

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/prometheus/prometheus/model/labels"
	"github.com/prometheus/prometheus/promql/parser"
)

// loading writes series in the notation that promtool's unit tests have too.
func loading(series map[string]string) string {
	var text strings.Builder
	fmt.Fprintf(&text, "load %s\n", scraped)
	for name, values := range series {
		fmt.Fprintf(&text, "  %s %s\n", name, values)
	}
	return text.String()
}

// healthy is what a scrape of a healthy system shows, by series.
func healthy(t *testing.T) map[string]string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", "healthy.series"))
	if err != nil {
		t.Fatal(err)
	}
	return series(t, string(text))
}

// series reads one series a line: a name with labels, and values. Who is scraped is filled in where it is left out.
func series(t *testing.T, text string) map[string]string {
	t.Helper()
	found := make(map[string]string)
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		name, values := divided(line)
		found[full(t, name)] = values
	}
	return found
}

func divided(line string) (string, string) {
	end := strings.Index(line, "}") + 1
	if end == 0 {
		end = strings.Index(line, " ")
	}
	return line[:end], strings.TrimSpace(line[end:])
}

func full(t *testing.T, name string) string {
	t.Helper()
	parsed, err := parser.NewParser(parser.Options{}).ParseMetric(name)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	if parsed.Get("instance") != "" {
		return parsed.String()
	}
	built := labels.NewBuilder(parsed).Set("instance", "rules-0:9100")
	if strings.HasPrefix(parsed.Get(labels.MetricName), "nakama_") {
		built.Set("instance", "nakama-0:9101").Set("node_name", "nakama-0")
	}
	return built.Labels().String()
}

// metricOf takes the metric's name from that of a series.
func metricOf(series string) string {
	_, rest, _ := strings.Cut(series, `__name__="`)
	name, _, _ := strings.Cut(rest, `"`)
	return name
}
