package watch

import (
	"maps"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/prometheus/prometheus/promql/parser"
)

const (
	missing = "_"
	stale   = "stale"
	eventAt = 40 // index of the sample ten minutes after the start
)

// faultless has systems without a current fault.
var faultless = map[string]func(t *testing.T) map[string]string{
	"healthy":                             healthy,
	"faults long before the first scrape": withOldFaults,
	"no players":                          func(t *testing.T) map[string]string { return each(t, withOldFaults(t), constant) },
	"just started":                        func(t *testing.T) map[string]string { return each(t, healthy(t), startedAfterTwoMinutes) },
	"all processes restarted":             func(t *testing.T) map[string]string { return each(t, withOldFaults(t), restarted) },
	"all processes restarted, no players": func(t *testing.T) map[string]string { return each(t, withOldFaults(t), restartedEmpty) },
	"all replicas replaced":               replaced,
}

func TestNoAlarmFiresWithoutFault(t *testing.T) {
	for name, system := range faultless {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if spans := firings(t, system(t)); len(spans) > 0 {
				t.Errorf("fires %q: %s", spanTexts(spans), spans[0].summary)
			}
		})
	}
}

func TestMissingSeriesFireOnlySetNotWatched(t *testing.T) {
	spans := firings(t, map[string]string{"up": "1x160"})
	if got := spanTexts(spans); !slices.Equal(got, []string{"SetNotWatched 5m0s-"}) {
		t.Errorf("fires %q", got)
	}
	if text := spans[0].summary; !strings.Contains(text, "Nakama") || !strings.Contains(text, "rules service") {
		t.Errorf("summary %q", text)
	}
}

// withOldFaults returns a system with every kind of fault long before the first scrape.
func withOldFaults(t *testing.T) map[string]string {
	t.Helper()
	system := healthy(t)
	maps.Copy(system, series(t, `
		nakama_custom_set_refused_inputs{} 7x160
		nakama_custom_set_refused_calls{limit="joins_per_user"} 7x160
		nakama_custom_set_poisoned_inputs{} 7x160
		nakama_custom_set_malformed_replies{} 7x160
		nakama_custom_set_recovered_panics{} 7x160
		nakama_custom_set_closed_matches{} 7x160
		nakama_custom_set_aside_effects{reason="rejected"} 7x160
		set_match_calls_total{method="MatchLoop",code="INTERNAL"} 7x160
		set_match_input_faults_total{} 7x160`))
	return system
}

// replaced ends all series of one instance and starts them for another instance, as a rolling upgrade does.
func replaced(t *testing.T) map[string]string {
	t.Helper()
	system := each(t, withOldFaults(t), ended)
	for name, values := range each(t, healthy(t), startedLater) {
		system[strings.NewReplacer("-0:", "-9:", `node_name="nakama-0"`, `node_name="nakama-9"`).Replace(name)] = values
	}
	return system
}

// each applies a change to the values of all series.
func each(t *testing.T, system map[string]string, change func([]string) []string) map[string]string {
	t.Helper()
	changed := make(map[string]string, len(system))
	for name, values := range system {
		changed[name] = strings.Join(change(samples(t, name, values)), " ")
	}
	return changed
}

// samples returns the values of a series, one text for each.
func samples(t *testing.T, name, values string) []string {
	t.Helper()
	_, sequence, err := parser.NewParser(parser.Options{}).ParseSeriesDesc(name + " " + values)
	if err != nil {
		t.Fatalf("%s %s: %v", name, values, err)
	}
	texts := make([]string, 0, len(sequence))
	for _, one := range sequence {
		texts = append(texts, sampleText(one))
	}
	return texts
}

func sampleText(sample parser.SequenceValue) string {
	if sample.Omitted {
		return missing
	}
	return strconv.FormatFloat(sample.Value, 'g', -1, 64)
}

// constant repeats the first value.
func constant(values []string) []string {
	return slices.Repeat(values[:1], len(values))
}

// startedAfterTwoMinutes has no values for two minutes.
func startedAfterTwoMinutes(values []string) []string {
	return append(slices.Repeat([]string{missing}, 8), values[:len(values)-8]...)
}

// startedLater has no values for ten minutes.
func startedLater(values []string) []string {
	return append(slices.Repeat([]string{missing}, eventAt), values[:len(values)-eventAt]...)
}

// ended ends after ten minutes.
func ended(values []string) []string {
	return append(slices.Clone(values[:eventAt]), stale)
}

// restarted restarts after ten minutes with a gap. Counters restart at 0.
func restarted(values []string) []string {
	return append(append(slices.Clone(values[:eventAt]), stale, missing), zeroed(values)[:len(values)-eventAt-2]...)
}

// restartedEmpty restarts after ten minutes and then has constant values.
func restartedEmpty(values []string) []string {
	return append(slices.Clone(values[:eventAt]), constant(zeroed(values)[:len(values)-eventAt])...)
}

// zeroed replaces the constant values of old faults (7) with 0. All other series start at 0.
func zeroed(values []string) []string {
	if values[0] != "7" {
		return values
	}
	return slices.Repeat([]string{"0"}, len(values))
}
