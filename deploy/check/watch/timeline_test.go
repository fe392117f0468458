// Package watch proves the alarms and the dashboard with Prometheus's own parser, engine and rule evaluation.
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
	rulesFile = "../../grafana/rules.yml"
	scraped   = 15 * time.Second // between two samples of a series, and between two looks at the rules
	horizon   = 40 * time.Minute
	lookback  = 5 * time.Minute // Prometheus's own default
	maxPoints = 100_000
)

var start = time.Unix(0, 0)

// span is a time in which an alarm fired, from its first to its last evaluation, and what it said first.
type span struct {
	alarm       string
	first, last time.Duration
	says        string
}

// String tells the span without what it says; an open end means that it fired to the last.
func (s span) String() string {
	if s.last == horizon {
		return fmt.Sprintf("%s %s-", s.alarm, brief(s.first))
	}
	return fmt.Sprintf("%s %s-%s", s.alarm, brief(s.first), brief(s.last))
}

func brief(d time.Duration) string {
	return d.String()
}

func told(spans []span) []string {
	texts := make([]string, 0, len(spans))
	for _, one := range spans {
		texts = append(texts, one.String())
	}
	return texts
}

// alarms loads the rules as Prometheus does.
func alarms(t *testing.T, query rules.QueryFunc) []*rules.AlertingRule {
	t.Helper()
	manager := rules.NewManager(&rules.ManagerOptions{QueryFunc: query, Context: context.Background()})
	groups, errs := manager.LoadGroups(scraped, labels.EmptyLabels(), "", nil, false, rulesFile)
	if errs != nil {
		t.Fatal(errs)
	}
	var found []*rules.AlertingRule
	for _, group := range groups {
		for _, rule := range group.Rules() {
			found = append(found, rule.(*rules.AlertingRule))
		}
	}
	return found
}

// firings evaluates every alarm at each scrape over these series.
func firings(t *testing.T, series map[string]string) []span {
	t.Helper()
	query := answers(promqltest.NewTestEngine(t, false, lookback, maxPoints), promqltest.LoadedStorage(t, loading(series)))
	var spans []span
	for _, alarm := range alarms(t, query) {
		spans = append(spans, firingsOf(t, alarm, query)...)
	}
	return spans
}

func firingsOf(t *testing.T, alarm *rules.AlertingRule, query rules.QueryFunc) []span {
	t.Helper()
	var spans []span
	for at := time.Duration(0); at <= horizon; at += scraped {
		if _, err := alarm.Eval(context.Background(), 0, start.Add(at), query, &url.URL{}, 0); err != nil {
			t.Fatalf("%s at %s: %v", alarm.Name(), at, err)
		}
		if says, fires := saying(alarm); fires {
			spans = extend(spans, span{alarm.Name(), at, at, says})
		}
	}
	return spans
}

// answers asks the engine once for all times, which is many times faster than once for each.
func answers(engine *promql.Engine, from storage.Queryable) rules.QueryFunc {
	known := make(map[string]promql.Matrix)
	return func(ctx context.Context, expr string, at time.Time) (promql.Vector, error) {
		if _, asked := known[expr]; !asked {
			matrix, err := ranged(ctx, engine, from, expr)
			if err != nil {
				return nil, err
			}
			known[expr] = matrix
		}
		return vectorAt(known[expr], at), nil
	}
}

func ranged(ctx context.Context, engine *promql.Engine, from storage.Queryable, expr string) (promql.Matrix, error) {
	query, err := engine.NewRangeQuery(ctx, from, nil, expr, start, start.Add(horizon), scraped)
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
	if last := len(spans) - 1; last >= 0 && spans[last].last == now.first-scraped {
		spans[last].last = now.last
		return spans
	}
	return append(spans, now)
}

func saying(alarm *rules.AlertingRule) (string, bool) {
	var texts []string
	alarm.ForEachActiveAlert(func(alert *rules.Alert) {
		if alert.State == rules.StateFiring {
			texts = append(texts, alert.Annotations.Get("summary"))
		}
	})
	slices.Sort(texts)
	return strings.Join(texts, "; "), len(texts) > 0
}
