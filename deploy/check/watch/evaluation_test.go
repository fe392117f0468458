package watch

import (
	"context"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/common/model"
	"github.com/prometheus/common/promslog"
	"github.com/prometheus/prometheus/model/labels"
	"github.com/prometheus/prometheus/model/rulefmt"
	"github.com/prometheus/prometheus/promql"
	"github.com/prometheus/prometheus/promql/parser"
	"github.com/prometheus/prometheus/template"
)

// alarm is an alert rule with its active alerts. It evaluates the rule as Prometheus does, without Prometheus's package `rules`,
// which compiles the clients of all cloud providers (decision E53).
type alarm struct {
	rulefmt.Rule
	query       template.QueryFunc
	activeSince map[string]time.Time // by the labels of the alert
}

// variables are the variables that Prometheus defines in the templates of alarms.
const variables = "{{$labels := .Labels}}{{$externalLabels := .ExternalLabels}}{{$externalURL := .ExternalURL}}{{$value := .Value}}"

func parseRules() (*rulefmt.RuleGroups, []error) {
	return rulefmt.ParseFile(rulesFile, false, model.UTF8Validation, parser.NewParser(parser.Options{}), promslog.NewNopLogger())
}

// alarms loads the alert rules. A rule or group with a setting that evaluate does not implement fails the test.
func alarms(t *testing.T, query template.QueryFunc) []*alarm {
	t.Helper()
	parsed, errs := parseRules()
	if errs != nil {
		t.Fatal(errs)
	}
	var loaded []*alarm
	for _, group := range parsed.Groups {
		if group.Interval != 0 || group.QueryOffset != nil || group.Limit != 0 || len(group.Labels) != 0 {
			t.Fatalf("group %s: the tests evaluate no interval, query_offset, limit or labels of a group", group.Name)
		}
		for _, rule := range group.Rules {
			if rule.Alert == "" || rule.KeepFiringFor != 0 {
				t.Fatalf("rule %s%s: the tests evaluate only alarms without keep_firing_for", rule.Record, rule.Alert)
			}
			loaded = append(loaded, &alarm{Rule: rule, query: query})
		}
	}
	return loaded
}

// evaluate returns the summaries of the alerts that fire: those that the expression has returned for the duration `for`.
func (a *alarm) evaluate(at time.Time) ([]string, error) {
	results, err := a.query(context.Background(), a.Expr, at)
	if err != nil {
		return nil, err
	}
	activeSince := make(map[string]time.Time, len(results))
	var summaries []string
	for _, result := range results {
		alert, summary, err := a.alert(result, at)
		if err != nil {
			return nil, err
		}
		if _, duplicate := activeSince[alert]; duplicate {
			return nil, fmt.Errorf("two alerts with the labels %s", alert)
		}
		since, active := a.activeSince[alert]
		if !active {
			since = at
		}
		activeSince[alert] = since
		if at.Sub(since) >= time.Duration(a.For) {
			summaries = append(summaries, summary)
		}
	}
	a.activeSince = activeSince
	slices.Sort(summaries)
	return summaries, nil
}

// alert returns the labels and the summary of the alert for one result of the expression.
func (a *alarm) alert(result promql.Sample, at time.Time) (string, string, error) {
	built := labels.NewBuilder(result.Metric).Del(labels.MetricName)
	for name, text := range a.Labels {
		value, err := a.expand(text, result, at)
		if err != nil {
			return "", "", err
		}
		built.Set(name, value)
	}
	summary, err := a.expand(a.Annotations["summary"], result, at)
	return built.Labels().String(), summary, err
}

func (a *alarm) expand(text string, result promql.Sample, at time.Time) (string, error) {
	data := template.AlertTemplateData(result.Metric.Map(), nil, "", result)
	milliseconds := model.Time(at.UnixMilli())
	return template.NewTemplateExpander(context.Background(), variables+text, a.Alert, data, milliseconds, a.query, &url.URL{}, nil).Expand()
}

// firings evaluates all alarms after each scrape of the series.
func firings(t *testing.T, series map[string]string) []span {
	t.Helper()
	query := cachedQueries(newEngine(t), storageOf(t, series))
	var spans []span
	for _, one := range alarms(t, query) {
		spans = append(spans, firingsOf(t, one)...)
	}
	return spans
}

func firingsOf(t *testing.T, one *alarm) []span {
	t.Helper()
	var spans []span
	for at := time.Duration(0); at <= duration; at += scrapeInterval {
		summaries, err := one.evaluate(start.Add(at))
		if err != nil {
			t.Fatalf("%s at %s: %v", one.Alert, at, err)
		}
		if len(summaries) > 0 {
			spans = extend(spans, span{one.Alert, at, at, strings.Join(summaries, "; ")})
		}
	}
	return spans
}
