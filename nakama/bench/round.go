package main

import (
	"time"

	"setmatch/nakama/pb"
)

// shape is how calls are made: by how many callers at once, and with how many claims in each.
type shape struct{ callers, size int }

// round is one claim, or the echo of one, for each match. What calls need is made ready before their time is taken
// and answers are read after it, so that echoes and claims keep the service equally busy.
type round struct {
	service *service
	matches []*match
	shape
	requests  []*pb.MatchLoopRequest
	responses []*pb.MatchLoopResponse
	like      []sizes // of each call of the last round of claims
}

// tally collects rounds of one kind of call.
type tally struct {
	took  []time.Duration
	rates []float64
	ran   time.Duration // of the service's processor
}

func (r *round) kind() string {
	if r.size == 1 {
		return kindLoop
	}
	return kindBatch
}

func (r *round) calls() int { return len(r.matches) / r.size }

// echoes makes the round's calls as echoes.
func (r *round) echoes(into *tally) error {
	return r.timed(into, func(i int) error { return r.service.echo(i, r.like[i]) })
}

// claims makes the round's calls with a claim for each match, which must count.
func (r *round) claims(into *tally) error {
	if err := r.prepare(); err != nil {
		return err
	}
	if err := r.timed(into, r.call); err != nil {
		return err
	}
	return r.digest()
}

func (r *round) prepare() error {
	r.requests = make([]*pb.MatchLoopRequest, r.calls()*r.size)
	r.responses = make([]*pb.MatchLoopResponse, len(r.requests))
	r.like = make([]sizes, r.calls())
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
		r.responses[i], r.like[i], err = r.service.loop(i, r.requests[i])
		return err
	}
	responses, like, err := r.service.batch(i, r.requests[first:last])
	copy(r.responses[first:last], responses)
	r.like[i] = like
	return err
}

func (r *round) digest() error {
	for i, response := range r.responses {
		if err := r.matches[i].answered(response); err != nil {
			return err
		}
		if err := r.matches[i].makeReady(r.service.alone(i)); err != nil {
			return err
		}
	}
	return nil
}

// timed makes the round's calls, with so many callers at once.
func (r *round) timed(into *tally, call func(int) error) error {
	took := make([]time.Duration, r.calls())
	ranBefore, err := processorTime(r.service.pid)
	if err != nil {
		return err
	}
	begun := time.Now()
	err = inParallel(len(took), r.callers, func(i int) error {
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
	into.rates = append(into.rates, float64(len(took)*r.size)/elapsed.Seconds())
	into.ran += ranAfter - ranBefore
	return err
}

func meanSizes(all []sizes) (request, answer int) {
	for _, one := range all {
		request += one.request
		answer += one.answer
	}
	return request / len(all), answer / len(all)
}
