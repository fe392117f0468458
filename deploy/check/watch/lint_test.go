package watch

import (
	"context"
	"errors"
	"testing"

	"github.com/prometheus/common/model"
	"github.com/prometheus/common/promslog"
	"github.com/prometheus/prometheus/model/rulefmt"
	"github.com/prometheus/prometheus/promql/parser"
	"github.com/prometheus/prometheus/promql/promqltest"
	"github.com/prometheus/prometheus/util/annotations"
)

func TestPrometheusAcceptsTheRules(t *testing.T) {
	groups, errs := rulefmt.ParseFile(rulesFile, false, model.UTF8Validation, parser.NewParser(parser.Options{}), promslog.NewNopLogger())
	for _, err := range errs {
		t.Error(err)
	}
	if groups == nil || len(groups.Groups) != 1 || len(groups.Groups[0].Rules) == 0 {
		t.Errorf("groups %+v", groups)
	}
}

func TestPrometheusHasNoWarningForRules(t *testing.T) {
	engine := promqltest.NewTestEngine(t, false, lookback, maxPoints)
	store := promqltest.LoadedStorage(t, loadScript(healthy(t)))
	for _, alarm := range alarms(t, nil) {
		expr := alarm.Query().String()
		query, err := engine.NewRangeQuery(context.Background(), store, nil, expr, start, start.Add(duration), scrapeInterval)
		if err != nil {
			t.Fatal(err)
		}
		for _, warning := range query.Exec(context.Background()).Warnings.AsErrors() {
			if errors.Is(warning, annotations.PromQLWarning) {
				t.Errorf("%s: %v", alarm.Name(), warning)
			}
		}
	}
}
