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
	"github.com/prometheus/prometheus/util/annotations"
)

const (
	dashboardFile = "../../grafana/dashboard.json"
	rateInterval  = "1m" // Grafana's value at a scrape interval of 15 s
)

func readDashboard(t *testing.T) *board.Board {
	t.Helper()
	dashboard, err := board.Read(dashboardFile)
	if err != nil {
		t.Fatal(err)
	}
	return dashboard
}

func queries(t *testing.T) []board.Query {
	t.Helper()
	queries, err := readDashboard(t).Queries(rateInterval)
	if err != nil {
		t.Fatal(err)
	}
	return queries
}

func TestEveryPanelQueriesTheSelectedPrometheus(t *testing.T) {
	dashboard := readDashboard(t)
	if want := []board.Source{{Type: "prometheus", UID: "${source}"}}; !slices.Equal(dashboard.Sources(), want) {
		t.Errorf("data sources %v, want %v", dashboard.Sources(), want)
	}
	want := []board.Variable{{Name: "source", Type: "datasource", Query: "prometheus"}}
	if !slices.Equal(dashboard.Templating.List, want) {
		t.Errorf("variables %v, want %v", dashboard.Templating.List, want)
	}
}

func TestEveryPanelShowsDataOfHealthySystem(t *testing.T) {
	for query, matrix := range queryPanels(t, healthy(t)) {
		if len(matrix) == 0 || !slices.ContainsFunc(matrix, hasNumber) {
			t.Errorf("%s, %s: shows no data: %s", query.Panel, query.Legend, query.Expr)
		}
	}
}

func TestNoPanelShowsInfinity(t *testing.T) {
	idle := healthy(t)
	for name, values := range idle {
		if metricOf(name) == "set_match_claims_total" || metricOf(name) == "nakama_custom_set_rules_calls" {
			idle[name] = samples(t, name, values)[0] + "x160"
		}
	}
	for query, matrix := range queryPanels(t, idle) {
		for _, one := range matrix {
			if slices.ContainsFunc(one.Floats, func(point promql.FPoint) bool { return math.IsInf(point.F, 0) }) {
				t.Errorf("%s, %s: shows infinity: %s", query.Panel, query.Legend, query.Expr)
			}
		}
	}
}

func TestEveryLegendIdentifiesItsSeries(t *testing.T) {
	for query, matrix := range queryPanels(t, healthy(t)) {
		for _, one := range matrix {
			for _, name := range board.LegendLabels(query.Legend) {
				if !one.Metric.Has(name) {
					t.Errorf("%s: the series of the legend %s has not all its labels: %s", query.Panel, query.Legend, one.Metric)
				}
			}
			if len(board.LegendLabels(query.Legend)) != one.Metric.Len() {
				t.Errorf("%s: the legend %s does not identify the series %s", query.Panel, query.Legend, one.Metric)
			}
		}
	}
}

func TestEveryPanelHasTheUnitOfItsMetrics(t *testing.T) {
	for _, query := range queries(t) {
		expr, err := parser.NewParser(parser.Options{}).ParseExpr(query.Expr)
		if err != nil {
			t.Errorf("%s: %v", query.Panel, err)
			continue
		}
		if allowed := units(expr); !slices.Contains(allowed, query.Unit) {
			t.Errorf("%s: unit %q, want one of %q: %s", query.Panel, query.Unit, allowed, query.Expr)
		}
	}
}

// queryPanels returns the results of all panel queries for the given series. A warning of Prometheus fails the test.
func queryPanels(t *testing.T, system map[string]string) map[board.Query]promql.Matrix {
	t.Helper()
	engine := newEngine(t)
	store := storageOf(t, system)
	results := make(map[board.Query]promql.Matrix)
	for _, query := range queries(t) {
		rangeQuery, err := engine.NewRangeQuery(context.Background(), store, nil, query.Expr, start, start.Add(duration), scrapeInterval)
		if err != nil {
			t.Fatalf("%s: %v", query.Panel, err)
		}
		result := rangeQuery.Exec(context.Background())
		results[query] = matrixOf(t, query, result)
	}
	return results
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
