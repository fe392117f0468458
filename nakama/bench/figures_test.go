package main

import (
	"testing"
	"time"
)

func TestQuantilesAreValuesThatWereMeasured(t *testing.T) {
	var took []time.Duration
	for i := 200; i > 0; i-- {
		took = append(took, time.Duration(i)*time.Microsecond)
	}
	if got, want := spreadOf(took), (spread{100, 198, 200}); got != want {
		t.Errorf("the spread is %v, want %v", got, want)
	}
	if got := spreadOf(took[199:]); got != (spread{1, 1, 1}) {
		t.Errorf("the spread of one value is %v", got)
	}
	if got := median([]float64{9, 1, 4}); got != 4 {
		t.Errorf("the median is %v", got)
	}
}

func TestArrivalsComeInOrderAndNeverEarly(t *testing.T) {
	last, seen := time.Time{}, 0
	for i, due := range arrivals(50, 10_000) {
		if i != seen || due.Before(last) || time.Now().Before(due) {
			t.Fatalf("arrival %d of %v came after %v, at %v", i, due, last, time.Now())
		}
		last, seen = due, seen+1
	}
	if seen != 50 {
		t.Errorf("%d arrivals", seen)
	}
}

func TestStepsAreWholeNumbers(t *testing.T) {
	p := plan{}
	if err := p.readSteps("250,4000"); err != nil || len(p.steps) != 2 || p.steps[1] != 4000 {
		t.Errorf("read %v, %v", p.steps, err)
	}
	for _, bad := range []string{"", "0", "1,x"} {
		if err := (&plan{}).readSteps(bad); err == nil {
			t.Errorf("%q was taken", bad)
		}
	}
}
