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
	LateP99Us      float64 `json:"late_p99_us"` // how much later than due a claim was sent
	ServiceUs      float64 `json:"service_us"`  // the service's processor time for each claim
	ServicePercent float64 `json:"service_percent"`
	ClientPercent  float64 `json:"client_percent"`
}

// kneeUs is the p99 from which on a kind of call is not tried with still more matches: it has more to do than it can.
const kneeUs = 500_000

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
			if row.P99Us > kneeUs {
				delete(kinds, row.Kind)
			}
		}
	}
	return rows, nil
}

// openKinds are the ways to make calls.
func (s *service) openKinds() map[string]func() way {
	return map[string]func() way{
		kindEcho:                    s.echoes,
		kindLoop:                    s.loneCalls,
		kindBatch:                   s.companyEach,
		kindBatch + ", one batcher": s.companyForAll,
	}
}

func openStep(s *service, p plan, matches []*match, kinds map[string]func() way) ([]openRow, error) {
	if err := warmUp(s, matches); err != nil {
		return nil, err
	}
	names := slices.Sorted(maps.Keys(kinds))
	found := map[string]*crossing{}
	for number := range p.rounds {
		for turn := range names {
			name := names[(number+turn)%len(names)]
			if found[name] == nil {
				found[name] = &crossing{kind: name}
			}
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

// warmUp lets each match claim once, which tells its calls' sizes.
func warmUp(s *service, matches []*match) error {
	way := s.loneCalls()
	return inParallel(len(matches), openers, func(i int) error {
		_, err := way.claim(matches[i])
		return err
	})
}

// crossing is one kind of call at a rate, over several turns.
type crossing struct {
	kind                 string
	took, late           []time.Duration
	calls, rpcs, refused int
	service              time.Duration
	client               time.Duration
	elapsed              time.Duration
}

// play lets the matches claim in turn, each once a second on average, and waits for the last answer.
func (c *crossing) play(pid int, by way, matches []*match, seconds float64) error {
	claims := int(float64(len(matches)) * seconds)
	took, late, errs := make([]time.Duration, claims), make([]time.Duration, claims), make([]error, claims)
	before, err := readUse(pid)
	if err != nil {
		return err
	}
	var group sync.WaitGroup
	for i, due := range arrivals(claims, float64(len(matches))) {
		late[i] = time.Since(due)
		group.Go(func() {
			m := matches[i%len(matches)]
			m.mu.Lock() // a claim waits for the match's call before
			defer m.mu.Unlock()
			var at time.Time
			at, errs[i] = by.claim(m)
			took[i] = at.Sub(due)
		})
	}
	group.Wait()
	after, err := readUse(pid)
	if err != nil {
		return err
	}
	for _, err := range errs {
		if err != nil {
			return fmt.Errorf("%s at %d claims/s: %w", c.kind, len(matches), err)
		}
	}
	c.took, c.late = append(c.took, took...), append(c.late, late...)
	c.calls, c.rpcs = c.calls+int(by.calls.Load()), c.rpcs+by.rpcs()
	c.refused += int(by.refused.Load())
	c.service += after.service - before.service
	c.client += after.client - before.client
	c.elapsed += after.at.Sub(before.at)
	return nil
}

func (c *crossing) row(matches int) openRow {
	return openRow{
		Matches: matches, Kind: c.kind, Claims: len(c.took), Calls: c.calls, RPCs: c.rpcs, Refused: c.refused,
		spread: spreadOf(c.took), LateP99Us: spreadOf(c.late).P99Us,
		ServiceUs:      float64(c.service.Nanoseconds()) / 1000 / float64(len(c.took)),
		ServicePercent: 100 * c.service.Seconds() / c.elapsed.Seconds(),
		ClientPercent:  100 * c.client.Seconds() / c.elapsed.Seconds(),
	}
}
