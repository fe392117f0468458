package main

import (
	"fmt"
	"strings"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/common/model"
	"github.com/prometheus/common/promslog"
	"github.com/prometheus/prometheus/config"
	"github.com/prometheus/prometheus/discovery/targetgroup"
	"github.com/prometheus/prometheus/scrape"
	"github.com/prometheus/prometheus/storage"
)

const job = "set"

// scrapeAll scrapes the targets until it is stopped.
func scrapeAll(targets []string, into storage.AppendableV2) (*scrape.Manager, error) {
	text := fmt.Sprintf("scrape_configs: [{job_name: %s, scrape_interval: %s, scrape_timeout: %[2]s}]", job, interval)
	settings, err := config.Load(text, promslog.NewNopLogger())
	if err != nil {
		return nil, err
	}
	options := &scrape.Options{DiscoveryReloadInterval: model.Duration(interval)}
	manager, err := scrape.NewManager(options, nil, nil, nil, into, prometheus.NewRegistry())
	if err != nil {
		return nil, err
	}
	if err := manager.ApplyConfig(settings); err != nil {
		return nil, err
	}
	groups := make(chan map[string][]*targetgroup.Group, 1)
	groups <- map[string][]*targetgroup.Group{job: {groupOf(targets)}}
	go func() { _ = manager.Run(groups) }()
	return manager, nil
}

func groupOf(targets []string) *targetgroup.Group {
	group := &targetgroup.Group{Source: strings.Join(targets, " ")}
	for _, target := range targets {
		group.Targets = append(group.Targets, model.LabelSet{model.AddressLabel: model.LabelValue(target)})
	}
	return group
}
