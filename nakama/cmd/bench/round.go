package main

import (
	"time"

	"setmatch/nakama/pb"
)

// shape is the number of concurrent callers and the number of claims in each call.
type shape struct{ callers, size int }

// round makes one claim, or one echo, for each match. Requests are built before the measured time and responses are applied
// after it, so that the client delays echoes and claims equally.
type round struct {
	service *service
	matches []*match
	shape
	requests  []*pb.MatchLoopRequest
	responses []*pb.MatchLoopResponse
	sizes     []sizes // of each call of the last round of claims
}

// samples collects the results of rounds of one kind of call.
type samples struct {
	durations []time.Duration // of each call
	rates     []float64       // claims per second of each round
	cpu       time.Duration   // processor time of the service
}

func (r *round) kind() string {
	if r.size == 1 {
		return kindLoop
	}
	return kindBatch
}

func (r *round) calls() int { return len(r.matches) / r.size }

// echoes makes the round's calls as echoes.
func (r *round) echoes(into *samples) error {
	return r.timed(into, func(i int) error { return r.service.echo(i, r.sizes[i]) })
}

// claims makes the round's calls with a claim for each match. All claims must be valid.
func (r *round) claims(into *samples) error {
	if err := r.prepare(); err != nil {
		return err
	}
	if err := r.timed(into, r.call); err != nil {
		return err
	}
	return r.applyResponses()
}

func (r *round) prepare() error {
	r.requests = make([]*pb.MatchLoopRequest, r.calls()*r.size)
	r.responses = make([]*pb.MatchLoopResponse, len(r.requests))
	r.sizes = make([]sizes, r.calls())
	for i := range r.requests {
		var err error
		if r.requests[i], err = r.matches[i].claim(); err != nil {
			return err
		}
	}
	return nil
}

func (r *round) call(i int) error {
	first, last := i*r.size, (i+1)*r.size
	if r.size == 1 {
		var err error
		r.responses[i], r.sizes[i], err = r.service.loop(i, r.requests[i])
		return err
	}
	responses, size, err := r.service.batch(i, r.requests[first:last])
	copy(r.responses[first:last], responses)
	r.sizes[i] = size
	return err
}

func (r *round) applyResponses() error {
	for i, response := range r.responses {
		if err := r.matches[i].applyClaim(response); err != nil {
			return err
		}
		if err := r.matches[i].makeReady(r.service.single(i)); err != nil {
			return err
		}
	}
	return nil
}

// timed makes the calls of the round with concurrent callers and measures them.
func (r *round) timed(into *samples, call func(int) error) error {
	durations := make([]time.Duration, r.calls())
	before, err := cpuTime(r.service.pid)
	if err != nil {
		return err
	}
	start := time.Now()
	err = inParallel(len(durations), r.callers, func(i int) error {
		sent := time.Now()
		err := call(i)
		durations[i] = time.Since(sent)
		return err
	})
	elapsed := time.Since(start)
	if err != nil {
		return err
	}
	after, err := cpuTime(r.service.pid)
	into.durations = append(into.durations, durations...)
	into.rates = append(into.rates, float64(len(durations)*r.size)/elapsed.Seconds())
	into.cpu += after - before
	return err
}

func meanSizes(all []sizes) (request, response int) {
	for _, one := range all {
		request += one.request
		response += one.response
	}
	return request / len(all), response / len(all)
}
