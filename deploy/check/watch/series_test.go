package watch

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/prometheus/prometheus/model/labels"
	"github.com/prometheus/prometheus/promql/parser"
)

// healthy returns the series of a healthy system: values by series name.
func healthy(t *testing.T) map[string]string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", "healthy.series"))
	if err != nil {
		t.Fatal(err)
	}
	return series(t, string(text))
}

// series parses lines of a series name with labels and its values. It adds the label `instance` if it is missing.
func series(t *testing.T, text string) map[string]string {
	t.Helper()
	parsed := make(map[string]string)
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		name, values := splitLine(line)
		parsed[fullName(t, name)] = values
	}
	return parsed
}

func splitLine(line string) (string, string) {
	end := strings.Index(line, "}") + 1
	if end == 0 {
		end = strings.Index(line, " ")
	}
	return line[:end], strings.TrimSpace(line[end:])
}

func fullName(t *testing.T, name string) string {
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

// metricOf returns the metric name of a series name.
func metricOf(series string) string {
	_, rest, _ := strings.Cut(series, `__name__="`)
	name, _, _ := strings.Cut(rest, `"`)
	return name
}
