// Package main is the client of `python -m tests.bench.core`: it plays matches against a running service as the plugin
// would, and measures what its calls take beside an echo's. It is built by `make bench-core` only and is part of nothing that
// is shipped.
package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"strconv"
	"strings"
)

// plan is what to measure and for how long.
type plan struct {
	addr        string
	pid         int
	connections int
	matches     int
	rounds      int
	seconds     float64
	steps       []int
}

func main() {
	var p plan
	flag.StringVar(&p.addr, "addr", "", "host:port of the service")
	flag.IntVar(&p.pid, "pid", 0, "process id of the service, whose processor time is read")
	flag.IntVar(&p.connections, "connections", 4, "connections to the service; the plugin's default is 4")
	flag.IntVar(&p.matches, "matches", 512, "matches that take turns")
	flag.IntVar(&p.rounds, "rounds", 12, "rounds for each kind of call")
	flag.Float64Var(&p.seconds, "seconds", 2, "seconds of a round at a fixed rate")
	flag.Func("steps", "numbers of matches that claim once a second each, separated by commas", p.readSteps)
	flag.Parse()
	found, err := measure(flag.Arg(0), p)
	if err == nil {
		err = json.NewEncoder(os.Stdout).Encode(found)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

func (p *plan) readSteps(text string) error {
	for _, word := range strings.Split(text, ",") {
		matches, err := strconv.Atoi(word)
		if err != nil || matches < 1 {
			return fmt.Errorf("%q is no number of matches, allowed are whole numbers from 1", word)
		}
		p.steps = append(p.steps, matches)
	}
	return nil
}

func measure(part string, p plan) (any, error) {
	measures := map[string]func(*service, plan) (any, error){"closed": closedLoops, "batch": batchLoops, "open": openLoops}
	run, known := measures[part]
	if !known {
		return nil, fmt.Errorf("part is %q, allowed are closed, batch and open", part)
	}
	s, err := dial(p)
	if err != nil {
		return nil, err
	}
	defer s.close()
	return run(s, p)
}
