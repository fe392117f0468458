package registry

import (
	"fmt"
	"slices"
	"testing"
)

func wantOldest(t *testing.T, o *OpenMatches, key string, want ...string) {
	t.Helper()
	if got := o.Oldest(key, 10); !slices.Equal(got, want) {
		t.Errorf("open matches with key %q: %q, want %q", key, got, want)
	}
}

func newOpenMatches(matches ...string) *OpenMatches {
	o := NewOpenMatches()
	for _, match := range matches {
		o.Add(match)
	}
	return o
}

func TestOldestReturnsOnlyOpenMatchesOfTheKey(t *testing.T) {
	o := newOpenMatches("a", "b", "c")
	o.Update("a", "k", true)
	o.Update("b", "other", true)
	o.Update("c", "k", false)
	wantOldest(t, o, "k", "a")
	wantOldest(t, o, "unknown")
}

func TestOldestMatchIsFirst(t *testing.T) {
	o := NewOpenMatches()
	for i := range 12 {
		o.Add(fmt.Sprint(i))
		o.Update(fmt.Sprint(i), "k", true)
	}
	o.Update("0", "k", true)
	if got := o.Oldest("k", 3); !slices.Equal(got, []string{"0", "1", "2"}) {
		t.Errorf("got %q", got)
	}
}

func TestFullMatchIsNotListed(t *testing.T) {
	o := newOpenMatches("a", "b")
	o.Update("a", "k", true)
	o.Update("b", "k", true)
	o.Update("a", "k", false)
	wantOldest(t, o, "k", "b")
	o.Update("a", "k", true)
	wantOldest(t, o, "k", "b", "a")
}

func TestMatchWithNewKeyIsListedWithThatKey(t *testing.T) {
	o := newOpenMatches("a")
	o.Update("a", "k", true)
	o.Update("a", "other", true)
	wantOldest(t, o, "k")
	wantOldest(t, o, "other", "a")
}

func TestKeyOfFullMatchIsKnownUntilRemoval(t *testing.T) {
	o := newOpenMatches("a")
	o.Update("a", "k", false)
	if got := o.Key("a"); got != "k" {
		t.Errorf("key %q", got)
	}
	o.Remove("a")
	if got := o.Key("a"); got != "" {
		t.Errorf("key %q after the removal", got)
	}
}

func TestRemovedMatchesUseNoMemory(t *testing.T) {
	o := newOpenMatches("a")
	o.Update("a", "k", true)
	o.Remove("a")
	o.Update("a", "k", true)
	o.Remove("unknown")
	if len(o.byKey)+len(o.matches) > 0 {
		t.Errorf("kept %v and %v", o.byKey, o.matches)
	}
}

// The cost of one call must not grow with the number of matches. The test compares allocations with 1,000 and 100,000 matches.
func TestCostDoesNotDependOnTheNumberOfMatches(t *testing.T) {
	cost := func(matches int) float64 {
		o := NewOpenMatches()
		for i := range matches {
			o.Add(fmt.Sprint(i))
			o.Update(fmt.Sprint(i), fmt.Sprint("k", i%7), true)
		}
		return testing.AllocsPerRun(100, func() { o.Oldest("k3", 1) })
	}
	if few, many := cost(1_000), cost(100_000); few != many {
		t.Errorf("%v allocations with 1,000 matches, %v with 100,000", few, many)
	}
}
