package watch

import (
	"maps"
	"slices"
	"strings"
	"testing"
)

// alarmCase is a system with an event, usually ten minutes after the start, and the alarms that fire because of it.
type alarmCase struct {
	name    string
	series  string   // added to the series of a healthy system; a series with the same name and labels is replaced
	fires   []string // alarms with the times of the first and the last evaluation in which they fire
	summary string   // summary of the first alarm at its first evaluation
}

func TestAlarms(t *testing.T) {
	for alarm, cases := range allCases() {
		for _, c := range cases {
			t.Run(alarm+"/"+c.name, func(t *testing.T) {
				t.Parallel()
				check(t, c)
			})
		}
	}
}

func TestEveryAlarmHasFiringAndSilentCases(t *testing.T) {
	cases := allCases()
	for _, alarm := range alarms(t, nil) {
		fires := func(c alarmCase) bool { return slices.ContainsFunc(c.fires, isFiringOf(alarm.Alert)) }
		silent := func(c alarmCase) bool { return !fires(c) }
		own := cases[alarm.Alert]
		if !slices.ContainsFunc(own, fires) || !slices.ContainsFunc(own, silent) {
			t.Errorf("%s has no case in which it fires, or no case in which it is silent", alarm.Alert)
		}
	}
}

func allCases() map[string][]alarmCase {
	all := maps.Clone(nakamaCases)
	maps.Copy(all, serviceCases)
	return all
}

func isFiringOf(alarm string) func(string) bool {
	return func(firing string) bool { return strings.HasPrefix(firing, alarm+" ") }
}

func check(t *testing.T, c alarmCase) {
	t.Helper()
	merged := healthy(t)
	maps.Copy(merged, series(t, c.series))
	spans := firings(t, merged)
	if got := spanTexts(spans); !slices.Equal(got, c.fires) {
		t.Errorf("fires %q, want %q", got, c.fires)
	}
	if len(spans) > 0 && spans[0].summary != c.summary {
		t.Errorf("summary %q, want %q", spans[0].summary, c.summary)
	}
}
