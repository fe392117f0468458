package watch

import (
	"maps"
	"slices"
	"strings"
	"testing"
)

// row is a system in which something happens, mostly ten minutes after the start, and which alarms fire because of it.
type row struct {
	when   string
	series string   // replace those of a healthy system that have the same name and labels, or come to them
	fires  []string // alarms, with the times of the first and the last evaluation at which they fire
	says   string   // what the first of them says at first
}

func TestAlarms(t *testing.T) {
	for alarm, rows := range table() {
		for _, row := range rows {
			t.Run(alarm+"/"+row.when, func(t *testing.T) {
				t.Parallel()
				check(t, row)
			})
		}
	}
}

func TestTheTableShowsEveryAlarmFiringAndSilent(t *testing.T) {
	tabled := table()
	for _, alarm := range alarms(t, nil) {
		fires := func(row row) bool { return slices.ContainsFunc(row.fires, named(alarm.Name())) }
		silent := func(row row) bool { return !fires(row) }
		rows := tabled[alarm.Name()]
		if !slices.ContainsFunc(rows, fires) || !slices.ContainsFunc(rows, silent) {
			t.Errorf("%s has no row in which it fires, or none in which it is silent", alarm.Name())
		}
	}
}

func table() map[string][]row {
	both := maps.Clone(nakamaTable)
	maps.Copy(both, serviceTable)
	return both
}

func named(alarm string) func(string) bool {
	return func(firing string) bool { return strings.HasPrefix(firing, alarm+" ") }
}

func check(t *testing.T, row row) {
	t.Helper()
	merged := healthy(t)
	maps.Copy(merged, series(t, row.series))
	spans := firings(t, merged)
	if got := told(spans); !slices.Equal(got, row.fires) {
		t.Errorf("fires %q, not %q", got, row.fires)
	}
	if len(spans) > 0 && spans[0].says != row.says {
		t.Errorf("says %q, not %q", spans[0].says, row.says)
	}
}
