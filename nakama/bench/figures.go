package main

import (
	"slices"
	"time"
)

// spread is how long calls took, in microseconds.
type spread struct {
	P50Us float64 `json:"p50_us"`
	P99Us float64 `json:"p99_us"`
	MaxUs float64 `json:"max_us"`
}

func spreadOf(took []time.Duration) spread {
	sorted := slices.Sorted(slices.Values(took))
	return spread{quantileUs(sorted, 0.5), quantileUs(sorted, 0.99), quantileUs(sorted, 1)}
}

// quantileUs returns the smallest value that a share of the sorted values does not exceed.
func quantileUs(sorted []time.Duration, share float64) float64 {
	if len(sorted) == 0 {
		return 0
	}
	place := int(share*float64(len(sorted))+0.999999) - 1
	return float64(sorted[max(place, 0)].Nanoseconds()) / 1000
}

// median returns the middle one of the values, or the higher of the two in the middle.
func median(values []float64) float64 {
	sorted := slices.Sorted(slices.Values(values))
	return sorted[len(sorted)/2]
}
