package main

import (
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"
)

// openRow is the result of an open loop, in which claims are made at a fixed rate, independent of the responses.
type openRow struct {
	Matches        int     `json:"matches"` // each claims once a second
	Kind           string  `json:"kind"`
	Claims         int     `json:"claims"`
	Calls          int     `json:"calls"` // claims, expansions and rematches
	RPCs           int     `json:"rpcs"`
	Refused        int     `json:"refused"` // calls that the service rejected because of its load; they were retried
	spread                 // from the scheduled time of a claim to its response
	TurnP99Us      float64 `json:"turn_p99_us"` // median of the p99 of all turns; a pause of the machine affects one turn only
	LateP99Us      float64 `json:"late_p99_us"` // delay of a claim after its scheduled time
	ServiceUs      float64 `json:"service_us"`  // processor time of the service per claim
	ServicePercent float64 `json:"service_percent"`
	ClientPercent  float64 `json:"client_percent"`
}

// kneeUs is the median duration that shows an overload. A kind of call above it is not measured with more matches.
const kneeUs = 200_000

// openLoops measures increasing numbers of matches at one claim a second: echoes, single calls and batched calls, in turn.
func openLoops(s *service, p plan) (any, error) {
	rows := []openRow{}
	var matches []*match
	kinds := s.openKinds()
	for _, step := range p.steps {
		var err error
		if matches, err = openMatches(s, matches, step); err != nil {
			return nil, err
		}
		stepRows, err := openStep(s, p, matches, kinds)
		if err != nil {
			return nil, err
		}
		rows = append(rows, stepRows...)
		for _, row := range stepRows {
			if row.P50Us > kneeUs {
				delete(kinds, row.Kind)
			}
		}
	}
	return rows, nil
}

// openKinds returns a constructor for each kind of call.
func (s *service) openKinds() map[string]func() variant {
	return map[string]func() variant{kindEcho: s.echoes, kindLoop: s.singleCalls, kindBatch: s.batchedCalls}
}

func openStep(s *service, p plan, matches []*match, kinds map[string]func() variant) ([]openRow, error) {
	names := slices.Sorted(maps.Keys(kinds))
	measurements := map[string]*measurement{}
	for _, name := range names {
		measurements[name] = &measurement{kind: name}
	}
	for number := range p.rounds {
		for turn := range names {
			name := names[(number+turn)%len(names)]
			if err := measurements[name].play(s.pid, kinds[name](), matches, p.seconds); err != nil {
				return nil, err
			}
		}
	}
	rows := []openRow{}
	for _, name := range names {
		rows = append(rows, measurements[name].row(len(matches)))
	}
	return rows, nil
}

// measurement collects the results of one kind of call at a fixed rate, over several turns.
type measurement struct {
	kind                 string
	durations            []time.Duration // from the scheduled time of a claim to its response
	delays               []time.Duration // from the scheduled time of a claim to its call
	turnP99s             []float64       // in microseconds
	calls, rpcs, refused int
	service              time.Duration // processor time of the service
	client               time.Duration // processor time of this process
	elapsed              time.Duration
}

// play makes claims in all matches, on average one a second in each, and waits for the last response.
func (m *measurement) play(pid int, v variant, matches []*match, seconds float64) error {
	before, err := readCPUTimes(pid)
	if err != nil {
		return err
	}
	if err := m.claims(v, matches, int(float64(len(matches))*seconds)); err != nil {
		return fmt.Errorf("%s at %d claims/s: %w", m.kind, len(matches), err)
	}
	after, err := readCPUTimes(pid)
	m.calls += int(v.calls.Load())
	m.rpcs += v.rpcs()
	m.refused += int(v.refused.Load())
	m.service += after.service - before.service
	m.client += after.client - before.client
	m.elapsed += after.at.Sub(before.at)
	return err
}

func (m *measurement) claims(v variant, matches []*match, count int) error {
	durations, delays, errs := make([]time.Duration, count), make([]time.Duration, count), make([]error, count)
	var group sync.WaitGroup
	for i, at := range arrivals(count, float64(len(matches))) {
		delays[i] = time.Since(at)
		group.Go(func() {
			answered, err := matches[i%len(matches)].locked(v.claim)
			durations[i], errs[i] = answered.Sub(at), err
		})
	}
	group.Wait()
	m.turnP99s = append(m.turnP99s, spreadOf(durations).P99Us)
	m.durations, m.delays = append(m.durations, durations...), append(m.delays, delays...)
	return firstError(errs)
}

func firstError(errs []error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// locked makes a claim after the previous claim of the match has ended.
func (m *match) locked(claim func(*match) (time.Time, error)) (time.Time, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return claim(m)
}

func (m *measurement) row(matches int) openRow {
	return openRow{
		Matches: matches, Kind: m.kind, Claims: len(m.durations), Calls: m.calls, RPCs: m.rpcs, Refused: m.refused,
		spread: spreadOf(m.durations), TurnP99Us: median(m.turnP99s), LateP99Us: spreadOf(m.delays).P99Us,
		ServiceUs:      float64(m.service.Nanoseconds()) / 1000 / float64(len(m.durations)),
		ServicePercent: 100 * m.service.Seconds() / m.elapsed.Seconds(),
		ClientPercent:  100 * m.client.Seconds() / m.elapsed.Seconds(),
	}
}
