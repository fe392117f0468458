package main

import (
	"slices"
	"time"
)

// spread summarizes the durations of calls, in microseconds.
type spread struct {
	P50Us float64 `json:"p50_us"`
	P99Us float64 `json:"p99_us"`
	MaxUs float64 `json:"max_us"`
}

func spreadOf(durations []time.Duration) spread {
	sorted := slices.Sorted(slices.Values(durations))
	return spread{quantileUs(sorted, 0.5), quantileUs(sorted, 0.99), quantileUs(sorted, 1)}
}

// quantileUs returns the smallest value v, in microseconds, such that the given share (0 to 1) of the values is at most v.
func quantileUs(sorted []time.Duration, share float64) float64 {
	if len(sorted) == 0 {
		return 0
	}
	rank := int(share*float64(len(sorted))+0.999999) - 1
	return float64(sorted[max(rank, 0)].Nanoseconds()) / 1000
}

// median returns the median of the values; of two middle values it returns the higher one.
func median(values []float64) float64 {
	sorted := slices.Sorted(slices.Values(values))
	return sorted[len(sorted)/2]
}
