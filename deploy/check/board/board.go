// Package board reads a dashboard of Grafana and asks what its panels ask.
package board

import (
	"encoding/json"
	"fmt"
	"os"
	"regexp"
	"slices"
)

// Board is what of a dashboard concerns its numbers.
type Board struct {
	Panels     []Panel `json:"panels"`
	Templating struct {
		List []Variable `json:"list"`
	} `json:"templating"`
}

// Variable is what users choose at the top of the dashboard.
type Variable struct {
	Name  string `json:"name"`
	Type  string `json:"type"`
	Query string `json:"query"`
}

// Panel is one graph or number, or a row's title, which asks nothing.
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

// Source is whom a panel asks.
type Source struct {
	Type string `json:"type"`
	UID  string `json:"uid"`
}

// Target is one question of a panel, with variables.
type Target struct {
	RefID        string `json:"refId"`
	Expr         string `json:"expr"`
	LegendFormat string `json:"legendFormat"`
	Datasource   Source `json:"datasource"`
}

// Query is one question of a panel as Prometheus gets it.
type Query struct {
	Panel  string `json:"panel"`
	Unit   string `json:"unit"`
	Legend string `json:"legend"`
	Expr   string `json:"expr"`
}

var variable = regexp.MustCompile(`\$\{?([A-Za-z_]\w*)\}?`)

// Read reads a dashboard from its file.
func Read(path string) (*Board, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var read Board
	if err := json.Unmarshal(text, &read); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return &read, nil
}

// Queries lists what the panels ask. Grafana's $__rate_interval becomes the given duration, of which Grafana itself takes
// at least four scrapes; no other variable has a place in an expression here.
func (b *Board) Queries(rateInterval string) ([]Query, error) {
	var queries []Query
	for _, panel := range b.Panels {
		for _, target := range panel.Targets {
			expr, err := filled(target.Expr, rateInterval)
			if err != nil {
				return nil, fmt.Errorf("panel %q, target %s: %w", panel.Title, target.RefID, err)
			}
			unit := panel.FieldConfig.Defaults.Unit
			queries = append(queries, Query{panel.Title, unit, target.LegendFormat, expr})
		}
	}
	return queries, nil
}

// Sources lists whom panels and targets ask, each once.
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

func filled(expr, rateInterval string) (string, error) {
	var unknown []string
	text := variable.ReplaceAllStringFunc(expr, func(found string) string {
		if name := variable.FindStringSubmatch(found)[1]; name != "__rate_interval" {
			unknown = append(unknown, name)
		}
		return rateInterval
	})
	if len(unknown) > 0 {
		return "", fmt.Errorf("%q has variables that nothing fills: %q", expr, unknown)
	}
	return text, nil
}

var placeholder = regexp.MustCompile(`\{\{\s*(\w+)\s*\}\}`)

// LegendLabels lists the labels that a legend shows.
func LegendLabels(legend string) []string {
	var names []string
	for _, found := range placeholder.FindAllStringSubmatch(legend, -1) {
		names = append(names, found[1])
	}
	return names
}
