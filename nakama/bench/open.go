package main

import (
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"google.golang.org/protobuf/proto"

	"setmatch/nakama/pb"
)

// openRow is what claims found that come at a given rate, whatever the answers take.
type openRow struct {
	Matches        int     `json:"matches"` // each claims once a second
	Kind           string  `json:"kind"`
	Claims         int     `json:"claims"`
	Calls          int     `json:"calls"` // with those between claims: the board grows by itself, a game follows another
	RPCs           int     `json:"rpcs"`
	spread                 // from when a claim is due to its answer
	LateP99Us      float64 `json:"late_p99_us"` // how much later than due a claim was sent
	ServiceUs      float64 `json:"service_us"`  // the service's processor time for each claim
	ServicePercent float64 `json:"service_percent"`
	ClientPercent  float64 `json:"client_percent"`
}

// openLoops measures more and more matches at one claim a second: echoes, calls alone and calls in company, in turn.
func openLoops(s *service, p plan) (any, error) {
	rows := []openRow{}
	var matches []*match
	for _, step := range p.steps {
		var err error
		if matches, err = openMatches(s, matches, step); err != nil {
			return nil, err
		}
		found, err := openStep(s, p, matches)
		if err != nil {
			return nil, err
		}
		rows = append(rows, found...)
	}
	return rows, nil
}

func openStep(s *service, p plan, matches []*match) ([]openRow, error) {
	kinds := []*crossing{
		{kind: kindEcho, start: s.echoes}, {kind: kindLoop, start: s.loneCalls}, {kind: kindBatch, start: s.sharedCalls},
	}
	if err := warmUp(s, matches); err != nil {
		return nil, err
	}
	for number := range p.rounds {
		for turn := range kinds {
			if err := kinds[(number+turn)%len(kinds)].play(s.pid, matches, p.seconds); err != nil {
				return nil, err
			}
		}
	}
	rows := []openRow{}
	for _, one := range kinds {
		rows = append(rows, one.row(len(matches)))
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

// way is one way to make a claim: it returns when the answer was there, after all that must follow it.
type way struct {
	claim func(*match) (time.Time, error)
	calls *atomic.Int64
	rpcs  func() int
}

func (s *service) echoes() way {
	var calls atomic.Int64
	return way{func(m *match) (time.Time, error) {
		calls.Add(1)
		err := s.echo(m.place, m.like)
		return time.Now(), err
	}, &calls, func() int { return int(calls.Load()) }}
}

func (s *service) loneCalls() way {
	var calls atomic.Int64
	return way{func(m *match) (time.Time, error) {
		return m.claimBy(counted(&calls, s.alone(m.place)))
	}, &calls, func() int { return int(calls.Load()) }}
}

func (s *service) sharedCalls() way {
	var calls atomic.Int64
	companies := make([]*company, len(s.conns))
	for i := range companies {
		companies[i] = &company{service: s, place: i}
	}
	claim := func(m *match) (time.Time, error) {
		return m.claimBy(counted(&calls, companies[m.place%len(companies)].call))
	}
	return way{claim, &calls, func() int {
		sum := 0
		for _, one := range companies {
			sum += one.sent
		}
		return sum
	}}
}

func counted(calls *atomic.Int64, call loopCall) loopCall {
	return func(request *pb.MatchLoopRequest) (*pb.MatchLoopResponse, error) {
		calls.Add(1)
		return call(request)
	}
}

// claimBy claims a Set, and makes what must come before the next claim. The time is that of the claim's answer.
func (m *match) claimBy(call loopCall) (time.Time, error) {
	request, err := m.claim()
	if err != nil {
		return time.Time{}, err
	}
	response, err := call(request)
	at := time.Now()
	if err != nil {
		return at, err
	}
	m.like = sizes{proto.Size(request), proto.Size(response)}
	if err := m.answered(response); err != nil {
		return at, err
	}
	return at, m.makeReady(call)
}

// crossing is one kind of call at a rate, over several turns.
type crossing struct {
	kind        string
	start       func() way
	took, late  []time.Duration
	calls, rpcs int
	service     time.Duration
	client      time.Duration
	elapsed     time.Duration
}

// play lets the matches claim in turn, each once a second on average, and waits for the last answer.
func (c *crossing) play(pid int, matches []*match, seconds float64) error {
	claims := int(float64(len(matches)) * seconds)
	took, late, errs := make([]time.Duration, claims), make([]time.Duration, claims), make([]error, claims)
	by := c.start()
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
	c.service += after.service - before.service
	c.client += after.client - before.client
	c.elapsed += after.at.Sub(before.at)
	return nil
}

func (c *crossing) row(matches int) openRow {
	return openRow{
		Matches: matches, Kind: c.kind, Claims: len(c.took), Calls: c.calls, RPCs: c.rpcs,
		spread: spreadOf(c.took), LateP99Us: spreadOf(c.late).P99Us,
		ServiceUs:      float64(c.service.Nanoseconds()) / 1000 / float64(len(c.took)),
		ServicePercent: 100 * c.service.Seconds() / c.elapsed.Seconds(),
		ClientPercent:  100 * c.client.Seconds() / c.elapsed.Seconds(),
	}
}
