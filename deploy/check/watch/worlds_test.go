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
	gone    = "stale"
	later   = 40 // samples, ten minutes
)

// worlds are systems that have nothing wrong with them, whatever happens to their series.
var worlds = map[string]func(t *testing.T) map[string]string{
	"healthy":                        healthy,
	"with faults that are long past": scarred,
	"without players":                func(t *testing.T) map[string]string { return each(t, scarred(t), still) },
	"at its very start":              func(t *testing.T) map[string]string { return each(t, healthy(t), born) },
	"everything restarted":           func(t *testing.T) map[string]string { return each(t, scarred(t), restarted) },
	"restarted, and nobody came":     func(t *testing.T) map[string]string { return each(t, scarred(t), emptied) },
	"every replica replaced":         replaced,
}

func TestNothingFiresWhereNothingIsWrong(t *testing.T) {
	for name, world := range worlds {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if spans := firings(t, world(t)); len(spans) > 0 {
				t.Errorf("fires %q: %s", told(spans), spans[0].says)
			}
		})
	}
}

func TestOfNothingOnlyItsAbsenceIsAnAlarm(t *testing.T) {
	spans := firings(t, map[string]string{"up": "1x160"})
	if got := told(spans); !slices.Equal(got, []string{"SetNotWatched 5m0s-"}) {
		t.Errorf("fires %q", got)
	}
	if says := spans[0].says; !strings.Contains(says, "Nakama") || !strings.Contains(says, "rules service") {
		t.Errorf("says %q", says)
	}
}

// scarred has seen every fault there is, long before Prometheus looked first.
func scarred(t *testing.T) map[string]string {
	t.Helper()
	world := healthy(t)
	maps.Copy(world, series(t, `
		nakama_custom_set_refused_inputs{} 7x160
		nakama_custom_set_refused_calls{limit="joins_per_user"} 7x160
		nakama_custom_set_poisoned_inputs{} 7x160
		nakama_custom_set_malformed_replies{} 7x160
		nakama_custom_set_recovered_panics{} 7x160
		nakama_custom_set_closed_matches{} 7x160
		nakama_custom_set_aside_effects{reason="rejected"} 7x160
		set_match_calls_total{method="MatchLoop",code="INTERNAL"} 7x160
		set_match_input_faults_total{} 7x160`))
	return world
}

// replaced ends every series of one instance and begins it anew at another, as a rolling upgrade does.
func replaced(t *testing.T) map[string]string {
	t.Helper()
	world := each(t, scarred(t), ended)
	for name, values := range each(t, healthy(t), bornLater) {
		world[strings.NewReplacer("-0:", "-9:", `node_name="nakama-0"`, `node_name="nakama-9"`).Replace(name)] = values
	}
	return world
}

func each(t *testing.T, world map[string]string, change func([]string) []string) map[string]string {
	t.Helper()
	changed := make(map[string]string, len(world))
	for name, values := range world {
		changed[name] = strings.Join(change(samples(t, name, values)), " ")
	}
	return changed
}

// samples writes the values of a series out, one by one.
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

func still(values []string) []string {
	return slices.Repeat(values[:1], len(values))
}

// born is absent for two minutes.
func born(values []string) []string {
	return append(slices.Repeat([]string{missing}, 8), values[:len(values)-8]...)
}

func bornLater(values []string) []string {
	return append(slices.Repeat([]string{missing}, later), values[:len(values)-later]...)
}

func ended(values []string) []string {
	return append(slices.Clone(values[:later]), gone)
}

// restarted begins anew: counters at nothing. A process that is down for a moment leaves a gap.
func restarted(values []string) []string {
	return append(append(slices.Clone(values[:later]), gone, missing), zeroed(values)[:len(values)-later-2]...)
}

// emptied begins anew and stays as it is then.
func emptied(values []string) []string {
	return append(slices.Clone(values[:later]), still(zeroed(values)[:len(values)-later])...)
}

// zeroed takes constant series of the past back to nothing; all others begin at nothing by themselves.
func zeroed(values []string) []string {
	if values[0] != "7" {
		return values
	}
	return slices.Repeat([]string{"0"}, len(values))
}
