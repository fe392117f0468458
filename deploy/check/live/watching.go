package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/prometheus/common/model"
	"github.com/prometheus/common/promslog"
	"github.com/prometheus/prometheus/model/labels"
	"github.com/prometheus/prometheus/model/rulefmt"
	"github.com/prometheus/prometheus/promql/parser"
	"github.com/prometheus/prometheus/rules"
	"go.yaml.in/yaml/v3"
)

// watchAlarms lets Prometheus's own rule manager evaluate the alarms, each second, until it is stopped.
func watchAlarms(rulesFile string, hold time.Duration, from *store, out *lines) (*rules.Manager, error) {
	hastened, err := hasten(rulesFile, hold, from.folder)
	if err != nil {
		return nil, err
	}
	manager := rules.NewManager(&rules.ManagerOptions{
		QueryFunc:   rules.EngineQueryFunc(from.engine, from.db),
		NotifyFunc:  func(_ context.Context, _ string, alerts ...*rules.Alert) { tell(alerts, out) },
		Context:     context.Background(),
		Appendable:  from.db,
		Queryable:   from.db,
		ResendDelay: interval,
	})
	if err := manager.Update(interval, []string{hastened}, labels.EmptyLabels(), "", nil); err != nil {
		return nil, err
	}
	go manager.Run()
	return manager, nil
}

// hasten writes the rules to the folder with another time for all alarms that have one.
func hasten(rulesFile string, hold time.Duration, folder string) (string, error) {
	groups, errs := rulefmt.ParseFile(
		rulesFile, false, model.UTF8Validation, parser.NewParser(parser.Options{}), promslog.NewNopLogger())
	if len(errs) > 0 {
		return "", fmt.Errorf("%s: %w", rulesFile, errs[0])
	}
	for _, group := range groups.Groups {
		for i := range group.Rules {
			group.Rules[i].For = min(group.Rules[i].For, model.Duration(hold))
		}
	}
	text, err := yaml.Marshal(groups)
	if err != nil {
		return "", err
	}
	path := filepath.Join(folder, "hastened.yml")
	return path, os.WriteFile(path, text, 0o600)
}

func tell(alerts []*rules.Alert, out *lines) {
	for _, alert := range alerts {
		firing := alert.State == rules.StateFiring
		out.write(map[string]any{"alarm": alert.Labels.Get(labels.AlertName), "firing": firing})
	}
}
