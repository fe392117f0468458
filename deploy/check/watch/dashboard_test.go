package watch

import (
	"context"
	"errors"
	"math"
	"slices"
	"testing"

	"setmatch/deploy/check/board"

	"github.com/prometheus/prometheus/promql"
	"github.com/prometheus/prometheus/promql/parser"
	"github.com/prometheus/prometheus/promql/promqltest"
	"github.com/prometheus/prometheus/util/annotations"
)

const (
	dashboardFile = "../../grafana/dashboard.json"
	rateInterval  = "1m" // Grafana's at a scrape each 15 s
)

func read(t *testing.T) *board.Board {
	t.Helper()
	read, err := board.Read(dashboardFile)
	if err != nil {
		t.Fatal(err)
	}
	return read
}

func queries(t *testing.T) []board.Query {
	t.Helper()
	queries, err := read(t).Queries(rateInterval)
	if err != nil {
		t.Fatal(err)
	}
	return queries
}

func TestEveryPanelAsksTheChosenPrometheus(t *testing.T) {
	found := read(t)
	if want := []board.Source{{Type: "prometheus", UID: "${source}"}}; !slices.Equal(found.Sources(), want) {
		t.Errorf("asks %v, not %v", found.Sources(), want)
	}
	want := []board.Variable{{Name: "source", Type: "datasource", Query: "prometheus"}}
	if !slices.Equal(found.Templating.List, want) {
		t.Errorf("lets users choose %v, not %v", found.Templating.List, want)
	}
}

func TestEveryPanelShowsAHealthySystem(t *testing.T) {
	panels := asked(t, healthy(t))
	for query, matrix := range panels {
		if len(matrix) == 0 || !slices.ContainsFunc(matrix, hasNumber) {
			t.Errorf("%s, %s: shows nothing: %s", query.Panel, query.Legend, query.Expr)
		}
	}
}

func TestNoPanelShowsInfinity(t *testing.T) {
	quiet := healthy(t)
	for name, values := range quiet {
		if metricOf(name) == "set_match_claims_total" || metricOf(name) == "nakama_custom_set_rules_calls" {
			quiet[name] = samples(t, name, values)[0] + "x160"
		}
	}
	for query, matrix := range asked(t, quiet) {
		for _, one := range matrix {
			if slices.ContainsFunc(one.Floats, func(point promql.FPoint) bool { return math.IsInf(point.F, 0) }) {
				t.Errorf("%s, %s: shows infinity: %s", query.Panel, query.Legend, query.Expr)
			}
		}
	}
}

func TestEveryLegendNamesALabelThatItsSeriesHave(t *testing.T) {
	for query, matrix := range asked(t, healthy(t)) {
		for _, one := range matrix {
			for _, name := range board.LegendLabels(query.Legend) {
				if !one.Metric.Has(name) {
					t.Errorf("%s: the legend %s finds no label in %s", query.Panel, query.Legend, one.Metric)
				}
			}
			if len(board.LegendLabels(query.Legend)) != one.Metric.Len() {
				t.Errorf("%s: the legend %s does not tell the series %s apart", query.Panel, query.Legend, one.Metric)
			}
		}
	}
}

func TestEveryPanelHasTheUnitOfWhatItShows(t *testing.T) {
	for _, query := range queries(t) {
		expr, err := parser.NewParser(parser.Options{}).ParseExpr(query.Expr)
		if err != nil {
			t.Errorf("%s: %v", query.Panel, err)
			continue
		}
		if allowed := units(expr); !slices.Contains(allowed, query.Unit) {
			t.Errorf("%s: the unit is %q, not one of %q: %s", query.Panel, query.Unit, allowed, query.Expr)
		}
	}
}

// asked is what Prometheus answers to every panel; it is to warn of none.
func asked(t *testing.T, world map[string]string) map[board.Query]promql.Matrix {
	t.Helper()
	engine := promqltest.NewTestEngine(t, false, lookback, maxPoints)
	store := promqltest.LoadedStorage(t, loading(world))
	answers := make(map[board.Query]promql.Matrix)
	for _, query := range queries(t) {
		asking, err := engine.NewRangeQuery(context.Background(), store, nil, query.Expr, start, start.Add(horizon), scraped)
		if err != nil {
			t.Fatalf("%s: %v", query.Panel, err)
		}
		result := asking.Exec(context.Background())
		answers[query] = matrixOf(t, query, result)
	}
	return answers
}

func matrixOf(t *testing.T, query board.Query, result *promql.Result) promql.Matrix {
	t.Helper()
	matrix, err := result.Matrix()
	if err != nil {
		t.Errorf("%s: %v", query.Panel, err)
	}
	for _, warning := range result.Warnings.AsErrors() {
		if errors.Is(warning, annotations.PromQLWarning) {
			t.Errorf("%s: %v", query.Panel, warning)
		}
	}
	return matrix
}

func hasNumber(one promql.Series) bool {
	return slices.ContainsFunc(one.Floats, func(point promql.FPoint) bool { return !math.IsNaN(point.F) })
}
