package main

import (
	"testing"
	"time"
)

func TestQuantilesAreMeasuredValues(t *testing.T) {
	var durations []time.Duration
	for i := 200; i > 0; i-- {
		durations = append(durations, time.Duration(i)*time.Microsecond)
	}
	if got, want := spreadOf(durations), (spread{100, 198, 200}); got != want {
		t.Errorf("the spread is %v, want %v", got, want)
	}
	if got := spreadOf(durations[199:]); got != (spread{1, 1, 1}) {
		t.Errorf("the spread of one value is %v", got)
	}
	if got := median([]float64{9, 1, 4}); got != 4 {
		t.Errorf("the median is %v", got)
	}
}

func TestArrivalsAreInOrderAndNotEarly(t *testing.T) {
	last, count := time.Time{}, 0
	for i, at := range arrivals(50, 10_000) {
		if i != count || at.Before(last) || time.Now().Before(at) {
			t.Fatalf("arrival %d at %v was yielded after %v, at %v", i, at, last, time.Now())
		}
		last, count = at, count+1
	}
	if count != 50 {
		t.Errorf("%d arrivals", count)
	}
}

func TestStepsMustBePositiveIntegers(t *testing.T) {
	p := plan{}
	if err := p.readSteps("250,4000"); err != nil || len(p.steps) != 2 || p.steps[1] != 4000 {
		t.Errorf("read %v, %v", p.steps, err)
	}
	for _, bad := range []string{"", "0", "1,x"} {
		if err := (&plan{}).readSteps(bad); err == nil {
			t.Errorf("%q was accepted", bad)
		}
	}
}
