// Package main is the client of `python -m tests.perf.core`. It plays matches against a running rules service in the same way
// as the plugin, and compares the duration of its calls with that of echoes. It is not part of a release.
package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"strconv"
	"strings"
)

// plan has the settings of a measurement.
type plan struct {
	addr        string  // host:port of the service
	pid         int     // process id of the service
	connections int     // gRPC connections
	matches     int     // matches of closed loops
	rounds      int     // rounds for each kind of call
	seconds     float64 // duration of a round at a fixed rate
	steps       []int   // numbers of matches at a fixed rate
}

func main() {
	var p plan
	flag.StringVar(&p.addr, "addr", "", "host:port of the service")
	flag.IntVar(&p.pid, "pid", 0, "process id of the service, to read its processor time")
	flag.IntVar(&p.connections, "connections", 4, "connections to the service; the plugin's default is 4")
	flag.IntVar(&p.matches, "matches", 512, "number of matches")
	flag.IntVar(&p.rounds, "rounds", 12, "rounds for each kind of call")
	flag.Float64Var(&p.seconds, "seconds", 2, "duration of a round at a fixed rate, in seconds")
	flag.Func("steps", "numbers of matches, separated by commas; each match claims once a second", p.readSteps)
	flag.Parse()
	report, err := measure(flag.Arg(0), p)
	if err == nil {
		err = json.NewEncoder(os.Stdout).Encode(report)
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
			return fmt.Errorf("%q is not a number of matches; allowed are integers from 1", word)
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
