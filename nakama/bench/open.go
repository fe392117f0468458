package main

import (
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"
)

// openRow is what claims found that come at a given rate, whatever the answers take.
type openRow struct {
	Matches        int     `json:"matches"` // each claims once a second
	Kind           string  `json:"kind"`
	Claims         int     `json:"claims"`
	Calls          int     `json:"calls"` // with those between claims: the board grows by itself, a game follows another
	RPCs           int     `json:"rpcs"`
	Refused        int     `json:"refused"` // calls that a service with too many waiting turned away; they were made again
	spread                 // from when a claim is due to its answer
	TurnP99Us      float64 `json:"turn_p99_us"` // the median of the turns' own p99: a stall of the machine spoils one turn
	LateP99Us      float64 `json:"late_p99_us"` // how much later than due a claim was sent
	ServiceUs      float64 `json:"service_us"`  // the service's processor time for each claim
	ServicePercent float64 `json:"service_percent"`
	ClientPercent  float64 `json:"client_percent"`
}

// kneeUs is the median wait from which on a kind of call is not tried with still more matches: it has more to do than it can.
const kneeUs = 200_000

// openLoops measures more and more matches at one claim a second: echoes, calls alone and calls in company, in turn.
func openLoops(s *service, p plan) (any, error) {
	rows := []openRow{}
	var matches []*match
	kinds := s.openKinds()
	for _, step := range p.steps {
		var err error
		if matches, err = openMatches(s, matches, step); err != nil {
			return nil, err
		}
		found, err := openStep(s, p, matches, kinds)
		if err != nil {
			return nil, err
		}
		rows = append(rows, found...)
		for _, row := range found {
			if row.P50Us > kneeUs {
				delete(kinds, row.Kind)
			}
		}
	}
	return rows, nil
}

// openKinds are the ways to make calls.
func (s *service) openKinds() map[string]func() way {
	return map[string]func() way{kindEcho: s.echoes, kindLoop: s.loneCalls, kindBatch: s.sharedCalls}
}

func openStep(s *service, p plan, matches []*match, kinds map[string]func() way) ([]openRow, error) {
	names := slices.Sorted(maps.Keys(kinds))
	found := map[string]*crossing{}
	for _, name := range names {
		found[name] = &crossing{kind: name}
	}
	for number := range p.rounds {
		for turn := range names {
			name := names[(number+turn)%len(names)]
			if err := found[name].play(s.pid, kinds[name](), matches, p.seconds); err != nil {
				return nil, err
			}
		}
	}
	rows := []openRow{}
	for _, name := range names {
		rows = append(rows, found[name].row(len(matches)))
	}
	return rows, nil
}

// crossing is one kind of call at a rate, over several turns.
type crossing struct {
	kind                 string
	took, late           []time.Duration
	turnP99s             []float64
	calls, rpcs, refused int
	service              time.Duration
	client               time.Duration
	elapsed              time.Duration
}

// play lets the matches claim in turn, each once a second on average, and waits for the last answer.
func (c *crossing) play(pid int, by way, matches []*match, seconds float64) error {
	before, err := readUse(pid)
	if err != nil {
		return err
	}
	if err := c.claims(by, matches, int(float64(len(matches))*seconds)); err != nil {
		return fmt.Errorf("%s at %d claims/s: %w", c.kind, len(matches), err)
	}
	after, err := readUse(pid)
	c.calls += int(by.calls.Load())
	c.rpcs += by.rpcs()
	c.refused += int(by.refused.Load())
	c.service += after.service - before.service
	c.client += after.client - before.client
	c.elapsed += after.at.Sub(before.at)
	return err
}

func (c *crossing) claims(by way, matches []*match, count int) error {
	took, late, errs := make([]time.Duration, count), make([]time.Duration, count), make([]error, count)
	var group sync.WaitGroup
	for i, due := range arrivals(count, float64(len(matches))) {
		late[i] = time.Since(due)
		group.Go(func() {
			at, err := matches[i%len(matches)].inTurn(by.claim)
			took[i], errs[i] = at.Sub(due), err
		})
	}
	group.Wait()
	c.turnP99s = append(c.turnP99s, spreadOf(took).P99Us)
	c.took, c.late = append(c.took, took...), append(c.late, late...)
	return firstOf(errs)
}

func firstOf(errs []error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// inTurn makes a claim when the match's claim before it is through.
func (m *match) inTurn(claim func(*match) (time.Time, error)) (time.Time, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return claim(m)
}

func (c *crossing) row(matches int) openRow {
	return openRow{
		Matches: matches, Kind: c.kind, Claims: len(c.took), Calls: c.calls, RPCs: c.rpcs, Refused: c.refused,
		spread: spreadOf(c.took), TurnP99Us: median(c.turnP99s), LateP99Us: spreadOf(c.late).P99Us,
		ServiceUs:      float64(c.service.Nanoseconds()) / 1000 / float64(len(c.took)),
		ServicePercent: 100 * c.service.Seconds() / c.elapsed.Seconds(),
		ClientPercent:  100 * c.client.Seconds() / c.elapsed.Seconds(),
	}
}
