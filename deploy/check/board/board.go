// Package board reads a Grafana dashboard and lists the queries of its panels.
package board

import (
	"encoding/json"
	"fmt"
	"os"
	"regexp"
	"slices"
)

// Board has the parts of a dashboard that affect its queries.
type Board struct {
	Panels     []Panel `json:"panels"`
	Templating struct {
		List []Variable `json:"list"`
	} `json:"templating"`
}

// Variable is a variable that users select at the top of the dashboard.
type Variable struct {
	Name  string `json:"name"`
	Type  string `json:"type"`
	Query string `json:"query"`
}

// Panel is a graph, a number, or a row title without queries.
type Panel struct {
	ID          int      `json:"id"`
	Type        string   `json:"type"`
	Title       string   `json:"title"`
	Datasource  Source   `json:"datasource"`
	Targets     []Target `json:"targets"`
	FieldConfig struct {
		Defaults struct {
			Unit string `json:"unit"`
		} `json:"defaults"`
	} `json:"fieldConfig"`
}

// Source is a data source.
type Source struct {
	Type string `json:"type"`
	UID  string `json:"uid"`
}

// Target is one query of a panel, with variables.
type Target struct {
	RefID        string `json:"refId"`
	Expr         string `json:"expr"`
	LegendFormat string `json:"legendFormat"`
	Datasource   Source `json:"datasource"`
}

// Query is one query of a panel after the replacement of variables.
type Query struct {
	Panel  string `json:"panel"`  // title of the panel
	Unit   string `json:"unit"`   // in Grafana's notation
	Legend string `json:"legend"` // with placeholders
	Expr   string `json:"expr"`   // PromQL
}

var variable = regexp.MustCompile(`\$\{?([A-Za-z_]\w*)\}?`)

// Read reads a dashboard file.
func Read(path string) (*Board, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var dashboard Board
	if err := json.Unmarshal(text, &dashboard); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return &dashboard, nil
}

// Queries returns the queries of all panels. It replaces $__rate_interval with the given duration, which in Grafana is at least
// four scrape intervals. Another variable in an expression is an error.
func (b *Board) Queries(rateInterval string) ([]Query, error) {
	var queries []Query
	for _, panel := range b.Panels {
		for _, target := range panel.Targets {
			expr, err := replaceVariables(target.Expr, rateInterval)
			if err != nil {
				return nil, fmt.Errorf("panel %q, target %s: %w", panel.Title, target.RefID, err)
			}
			unit := panel.FieldConfig.Defaults.Unit
			queries = append(queries, Query{panel.Title, unit, target.LegendFormat, expr})
		}
	}
	return queries, nil
}

// Sources returns the data sources of all panels and targets, without duplicates.
func (b *Board) Sources() []Source {
	var sources []Source
	for _, panel := range b.Panels {
		for _, target := range panel.Targets {
			sources = append(sources, panel.Datasource, target.Datasource)
		}
	}
	slices.SortFunc(sources, func(a, b Source) int { return slices.Compare([]string{a.Type, a.UID}, []string{b.Type, b.UID}) })
	return slices.Compact(sources)
}

func replaceVariables(expr, rateInterval string) (string, error) {
	var unknown []string
	text := variable.ReplaceAllStringFunc(expr, func(match string) string {
		if name := variable.FindStringSubmatch(match)[1]; name != "__rate_interval" {
			unknown = append(unknown, name)
		}
		return rateInterval
	})
	if len(unknown) > 0 {
		return "", fmt.Errorf("%q has unknown variables: %q", expr, unknown)
	}
	return text, nil
}

var placeholder = regexp.MustCompile(`\{\{\s*(\w+)\s*\}\}`)

// LegendLabels returns the labels that a legend shows.
func LegendLabels(legend string) []string {
	var names []string
	for _, match := range placeholder.FindAllStringSubmatch(legend, -1) {
		names = append(names, match[1])
	}
	return names
}
