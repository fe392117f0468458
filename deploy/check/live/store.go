package main

import (
	"context"
	"fmt"
	"os"
	"time"

	"github.com/prometheus/prometheus/promql"
	"github.com/prometheus/prometheus/promql/parser"
	"github.com/prometheus/prometheus/tsdb"
)

const (
	lookback     = 5 * time.Minute // Prometheus's own default
	askingTakes  = 30 * time.Second
	maxPoints    = 1_000_000
	scrapesWait  = 30 * time.Second
	betweenLooks = 50 * time.Millisecond
)

// store is what was scraped, and the engine that is asked about it.
type store struct {
	folder string
	db     *tsdb.DB
	engine *promql.Engine
}

func openStore() (*store, error) {
	folder, err := os.MkdirTemp("", "live")
	if err != nil {
		return nil, err
	}
	db, err := tsdb.Open(folder, nil, nil, tsdb.DefaultOptions(), nil)
	if err != nil {
		return nil, err
	}
	engine := promql.NewEngine(promql.EngineOpts{
		MaxSamples: maxPoints, Timeout: askingTakes, LookbackDelta: lookback, Parser: parser.NewParser(parser.Options{}),
	})
	return &store{folder, db, engine}, nil
}

func (s *store) close() {
	_ = s.engine.Close()
	_ = s.db.Close()
	_ = os.RemoveAll(s.folder)
}

func (s *store) ask(ctx context.Context, expr string) (promql.Vector, error) {
	query, err := s.engine.NewInstantQuery(ctx, s.db, nil, expr, time.Now())
	if err != nil {
		return nil, err
	}
	return query.Exec(ctx).Vector()
}

// awaitScrapes returns when so many targets have answered.
func (s *store) awaitScrapes(targets int) error {
	for deadline := time.Now().Add(scrapesWait); time.Now().Before(deadline); time.Sleep(betweenLooks) {
		up, err := s.ask(context.Background(), "up == 1")
		if err != nil {
			return err
		}
		if len(up) == targets {
			return nil
		}
	}
	return fmt.Errorf("not all of %d targets answered within %s", targets, scrapesWait)
}
