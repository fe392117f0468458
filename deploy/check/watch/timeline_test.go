// Package watch tests the alarms and the dashboard with the parser, the engine and the rule evaluation of Prometheus.
package watch

import (
	"context"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/prometheus/model/labels"
	"github.com/prometheus/prometheus/promql"
	"github.com/prometheus/prometheus/promql/promqltest"
	"github.com/prometheus/prometheus/rules"
	"github.com/prometheus/prometheus/storage"
)

const (
	rulesFile      = "../../grafana/rules.yml"
	scrapeInterval = 15 * time.Second // also the interval of rule evaluations
	duration       = 40 * time.Minute // of the simulated time
	lookback       = 5 * time.Minute  // default of Prometheus
	maxPoints      = 100_000
)

var start = time.Unix(0, 0)

// span is a period in which an alarm fired, from the first to the last evaluation.
type span struct {
	alarm       string
	first, last time.Duration
	summary     string // at the first evaluation
}

// String returns the span without its summary. An open end means that the alarm fired until the last evaluation.
func (s span) String() string {
	if s.last == duration {
		return fmt.Sprintf("%s %s-", s.alarm, s.first)
	}
	return fmt.Sprintf("%s %s-%s", s.alarm, s.first, s.last)
}

func spanTexts(spans []span) []string {
	texts := make([]string, 0, len(spans))
	for _, one := range spans {
		texts = append(texts, one.String())
	}
	return texts
}

// alarms loads the alert rules.
func alarms(t *testing.T, query rules.QueryFunc) []*rules.AlertingRule {
	t.Helper()
	manager := rules.NewManager(&rules.ManagerOptions{QueryFunc: query, Context: context.Background()})
	groups, errs := manager.LoadGroups(scrapeInterval, labels.EmptyLabels(), "", nil, false, rulesFile)
	if errs != nil {
		t.Fatal(errs)
	}
	var loaded []*rules.AlertingRule
	for _, group := range groups {
		for _, rule := range group.Rules() {
			loaded = append(loaded, rule.(*rules.AlertingRule))
		}
	}
	return loaded
}

// firings evaluates all alarms after each scrape of the series.
func firings(t *testing.T, series map[string]string) []span {
	t.Helper()
	query := cachedQueries(promqltest.NewTestEngine(t, false, lookback, maxPoints), promqltest.LoadedStorage(t, loadScript(series)))
	var spans []span
	for _, alarm := range alarms(t, query) {
		spans = append(spans, firingsOf(t, alarm, query)...)
	}
	return spans
}

func firingsOf(t *testing.T, alarm *rules.AlertingRule, query rules.QueryFunc) []span {
	t.Helper()
	var spans []span
	for at := time.Duration(0); at <= duration; at += scrapeInterval {
		if _, err := alarm.Eval(context.Background(), 0, start.Add(at), query, &url.URL{}, 0); err != nil {
			t.Fatalf("%s at %s: %v", alarm.Name(), at, err)
		}
		if summary, fires := firingSummary(alarm); fires {
			spans = extend(spans, span{alarm.Name(), at, at, summary})
		}
	}
	return spans
}

// cachedQueries runs each expression once for all times. This is many times faster than one query for each time.
func cachedQueries(engine *promql.Engine, store storage.Queryable) rules.QueryFunc {
	results := make(map[string]promql.Matrix)
	return func(ctx context.Context, expr string, at time.Time) (promql.Vector, error) {
		if _, cached := results[expr]; !cached {
			matrix, err := rangeQuery(ctx, engine, store, expr)
			if err != nil {
				return nil, err
			}
			results[expr] = matrix
		}
		return vectorAt(results[expr], at), nil
	}
}

func rangeQuery(ctx context.Context, engine *promql.Engine, store storage.Queryable, expr string) (promql.Matrix, error) {
	query, err := engine.NewRangeQuery(ctx, store, nil, expr, start, start.Add(duration), scrapeInterval)
	if err != nil {
		return nil, err
	}
	return query.Exec(ctx).Matrix()
}

func vectorAt(matrix promql.Matrix, at time.Time) promql.Vector {
	var vector promql.Vector
	for _, series := range matrix {
		for _, point := range series.Floats {
			if point.T == at.UnixMilli() {
				vector = append(vector, promql.Sample{T: point.T, F: point.F, Metric: series.Metric})
			}
		}
	}
	return vector
}

func extend(spans []span, now span) []span {
	if last := len(spans) - 1; last >= 0 && spans[last].last == now.first-scrapeInterval {
		spans[last].last = now.last
		return spans
	}
	return append(spans, now)
}

// firingSummary returns the summaries of the firing alerts, and false if no alert is firing.
func firingSummary(alarm *rules.AlertingRule) (string, bool) {
	var texts []string
	alarm.ForEachActiveAlert(func(alert *rules.Alert) {
		if alert.State == rules.StateFiring {
			texts = append(texts, alert.Annotations.Get("summary"))
		}
	})
	slices.Sort(texts)
	return strings.Join(texts, "; "), len(texts) > 0
}
