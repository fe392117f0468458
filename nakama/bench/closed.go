package main

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"google.golang.org/protobuf/proto"

	"setmatch/nakama/pb"
)

const (
	kindEcho = "echo"
	kindLoop = "MatchLoop"
)

// closedRow is what callers found that each wait for an answer before the next call.
type closedRow struct {
	Callers int    `json:"callers"`
	Kind    string `json:"kind"`
	Calls   int    `json:"calls"`
	spread
	CallsPerS    float64 `json:"calls_per_s"` // the median of the rounds
	ServiceUs    float64 `json:"service_us"`  // the service's processor time for each call
	RequestBytes int     `json:"request_bytes"`
	AnswerBytes  int     `json:"answer_bytes"`
}

// tally collects rounds of one kind of call.
type tally struct {
	took  []time.Duration
	rates []float64
	ran   time.Duration
}

// closedLoops measures echo and MatchLoop with one caller and with many, in turn.
func closedLoops(s *service, p plan) (any, error) {
	matches, err := openMatches(s, nil, p.matches)
	if err != nil {
		return nil, err
	}
	rows := []closedRow{}
	for _, callers := range []int{1, 64} {
		found, err := closedLoop(s, p, matches, callers)
		if err != nil {
			return nil, err
		}
		rows = append(rows, found...)
	}
	return rows, nil
}

// closedLoop plays rounds of one call for each match. What a call needs is made ready before the round and its answer
// read after it, so that the service is kept equally busy by both kinds.
func closedLoop(s *service, p plan, matches []*match, callers int) ([]closedRow, error) {
	r := &round{service: s, matches: matches, callers: callers}
	tallies := map[string]*tally{kindEcho: {}, kindLoop: {}}
	if err := r.play(&tally{}, &tally{}, true); err != nil { // warms up, and tells the sizes
		return nil, err
	}
	for number := range p.rounds {
		if err := r.play(tallies[kindEcho], tallies[kindLoop], number%2 == 0); err != nil {
			return nil, err
		}
	}
	return []closedRow{r.row(kindEcho, tallies[kindEcho]), r.row(kindLoop, tallies[kindLoop])}, nil
}

// round is one call for each match, of either kind.
type round struct {
	service   *service
	matches   []*match
	callers   int
	requests  []*pb.MatchLoopRequest
	responses []*pb.MatchLoopResponse
	like      []sizes
}

func (r *round) play(echo, loop *tally, echoFirst bool) error {
	if r.like != nil && echoFirst {
		if err := r.timed(echo, r.echo); err != nil {
			return err
		}
	}
	if err := r.prepare(); err != nil {
		return err
	}
	if err := r.timed(loop, r.loop); err != nil {
		return err
	}
	if err := r.digest(); err != nil {
		return err
	}
	if echoFirst {
		return nil
	}
	return r.timed(echo, r.echo)
}

func (r *round) prepare() error {
	r.requests = make([]*pb.MatchLoopRequest, len(r.matches))
	r.responses = make([]*pb.MatchLoopResponse, len(r.matches))
	for i, m := range r.matches {
		var err error
		if r.requests[i], err = m.claim(); err != nil {
			return err
		}
	}
	return nil
}

func (r *round) digest() error {
	r.like = make([]sizes, len(r.matches))
	for i, m := range r.matches {
		r.like[i] = sizes{proto.Size(r.requests[i]), proto.Size(r.responses[i])}
		if err := m.answered(r.responses[i]); err != nil {
			return err
		}
		if err := m.makeReady(r.service.alone(m.place)); err != nil {
			return err
		}
	}
	return nil
}

func (r *round) echo(i int) error { return r.service.echo(r.matches[i].place, r.like[i]) }

func (r *round) loop(i int) error {
	var err error
	r.responses[i], err = r.service.alone(r.matches[i].place)(r.requests[i])
	return err
}

// timed makes one call for each match, with so many callers at once.
func (r *round) timed(into *tally, call func(int) error) error {
	took := make([]time.Duration, len(r.matches))
	ranBefore, err := processorTime(r.service.pid)
	if err != nil {
		return err
	}
	begun := time.Now()
	err = inParallel(len(r.matches), r.callers, func(i int) error {
		sent := time.Now()
		err := call(i)
		took[i] = time.Since(sent)
		return err
	})
	elapsed := time.Since(begun)
	if err != nil {
		return err
	}
	ranAfter, err := processorTime(r.service.pid)
	into.took = append(into.took, took...)
	into.rates = append(into.rates, float64(len(took))/elapsed.Seconds())
	into.ran += ranAfter - ranBefore
	return err
}

func (r *round) row(kind string, t *tally) closedRow {
	row := closedRow{Callers: r.callers, Kind: kind, Calls: len(t.took), spread: spreadOf(t.took)}
	row.CallsPerS = median(t.rates)
	row.ServiceUs = float64(t.ran.Nanoseconds()) / 1000 / float64(len(t.took))
	row.RequestBytes, row.AnswerBytes = meanSizes(r.like)
	return row
}

func meanSizes(all []sizes) (request, answer int) {
	for _, one := range all {
		request += one.request
		answer += one.answer
	}
	return request / len(all), answer / len(all)
}

// alone makes calls by themselves, on the match's own connection.
func (s *service) alone(place int) loopCall {
	return func(request *pb.MatchLoopRequest) (*pb.MatchLoopResponse, error) {
		ctx, cancel := context.WithTimeout(context.Background(), callTimeout)
		defer cancel()
		return s.client(place).MatchLoop(ctx, request)
	}
}

// openMatches adds matches until there are so many.
func openMatches(s *service, matches []*match, wanted int) ([]*match, error) {
	first := len(matches)
	matches = append(matches, make([]*match, wanted-first)...)
	err := inParallel(wanted-first, 16, func(i int) error {
		var err error
		matches[first+i], err = openMatch(s, first+i)
		return err
	})
	return matches, err
}

// inParallel does so many pieces of work on so many goroutines and returns one of the errors, if there are any.
func inParallel(pieces, workers int, work func(int) error) error {
	var next atomic.Int64
	var group sync.WaitGroup
	failed := make(chan error, workers)
	for range workers {
		group.Go(func() {
			for i := int(next.Add(1)) - 1; i < pieces; i = int(next.Add(1)) - 1 {
				if err := work(i); err != nil {
					failed <- err
					return
				}
			}
		})
	}
	group.Wait()
	close(failed)
	return <-failed
}
