package watch

import (
	"context"
	"errors"
	"testing"

	"github.com/prometheus/prometheus/util/annotations"
)

func TestPrometheusAcceptsTheRules(t *testing.T) {
	groups, errs := parseRules()
	for _, err := range errs {
		t.Error(err)
	}
	if groups == nil || len(groups.Groups) != 1 || len(groups.Groups[0].Rules) == 0 {
		t.Errorf("groups %+v", groups)
	}
}

func TestPrometheusHasNoWarningForRules(t *testing.T) {
	engine := newEngine(t)
	store := storageOf(t, healthy(t))
	for _, alarm := range alarms(t, nil) {
		query, err := engine.NewRangeQuery(context.Background(), store, nil, alarm.Expr, start, start.Add(duration), scrapeInterval)
		if err != nil {
			t.Fatal(err)
		}
		for _, warning := range query.Exec(context.Background()).Warnings.AsErrors() {
			if errors.Is(warning, annotations.PromQLWarning) {
				t.Errorf("%s: %v", alarm.Alert, warning)
			}
		}
	}
}
