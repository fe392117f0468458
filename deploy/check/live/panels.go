package main

import (
	"context"
	"fmt"
	"math"

	"setmatch/deploy/check/board"

	"github.com/prometheus/prometheus/promql"
)

const rateInterval = "1m"

// shown is what a panel shows for one of its questions.
type shown struct {
	board.Query
	Values []float64 `json:"values"`
}

// show asks every question of the dashboard.
func show(ctx context.Context, dashboard string, from *store) ([]shown, error) {
	read, err := board.Read(dashboard)
	if err != nil {
		return nil, err
	}
	queries, err := read.Queries(rateInterval)
	if err != nil {
		return nil, err
	}
	panels := make([]shown, 0, len(queries))
	for _, query := range queries {
		vector, err := from.ask(ctx, query.Expr)
		if err != nil {
			return nil, fmt.Errorf("panel %q: %w", query.Panel, err)
		}
		panels = append(panels, shown{query, numbers(vector)})
	}
	return panels, nil
}

// numbers leaves out what is none: JSON has no word for it.
func numbers(vector promql.Vector) []float64 {
	values := []float64{}
	for _, sample := range vector {
		if !math.IsNaN(sample.F) && !math.IsInf(sample.F, 0) {
			values = append(values, sample.F)
		}
	}
	return values
}
