// Package watch tests the alarms and the dashboard with the parser, the engine and the templates of Prometheus.
package watch

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/prometheus/prometheus/promql"
	"github.com/prometheus/prometheus/storage"
	"github.com/prometheus/prometheus/template"
)

const (
	rulesFile      = "../../grafana/rules.yml"
	scrapeInterval = 15 * time.Second // also the interval of rule evaluations
	duration       = 40 * time.Minute // of the simulated time
	lookback       = 5 * time.Minute  // default of Prometheus
	maxSamples     = 100_000
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

// newEngine returns an engine with the defaults of Prometheus.
func newEngine(t *testing.T) *promql.Engine {
	t.Helper()
	engine := promql.NewEngine(promql.EngineOpts{
		MaxSamples:           maxSamples,
		Timeout:              time.Minute,
		LookbackDelta:        lookback,
		EnableAtModifier:     true,
		EnableNegativeOffset: true,
	})
	t.Cleanup(func() {
		if err := engine.Close(); err != nil {
			t.Error(err)
		}
	})
	return engine
}

// cachedQueries runs each expression once for all times. This is many times faster than one query for each time.
func cachedQueries(engine *promql.Engine, store storage.Queryable) template.QueryFunc {
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
