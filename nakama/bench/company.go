package main

import (
	"sync"
	"time"

	"setmatch/nakama/pb"
)

const (
	companyWait = time.Millisecond
	companyMax  = 64
)

// company joins calls by the plugin's rule (docs/decisions.md, E50): a call that finds none on its way goes out alone at
// once, one that finds others waits up to a millisecond for more. They take the connection of the first among them.
type company struct {
	travel func(place int, requests []*pb.MatchLoopRequest) ([]*pb.MatchLoopResponse, error) // makes one RPC

	mu      sync.Mutex
	onWay   int
	waiting []waitingCall
	sent    int // RPCs
}

type waitingCall struct {
	place   int
	request *pb.MatchLoopRequest
	answer  chan<- loopAnswer
}

type loopAnswer struct {
	response *pb.MatchLoopResponse
	err      error
}

// call makes one MatchLoop call, alone or with others.
func (c *company) call(place int, request *pb.MatchLoopRequest) (*pb.MatchLoopResponse, error) {
	answer := make(chan loopAnswer, 1)
	if group := c.enter(waitingCall{place, request, answer}); group != nil {
		c.send(group)
	}
	got := <-answer
	return got.response, got.err
}

// enter returns the calls that the caller is to send now, if there are any.
func (c *company) enter(one waitingCall) []waitingCall {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.waiting = append(c.waiting, one)
	if c.onWay == 0 && len(c.waiting) == 1 || len(c.waiting) == companyMax {
		return c.depart()
	}
	if len(c.waiting) == 1 {
		time.AfterFunc(companyWait, func() { c.timeIsUp(one) })
	}
	return nil
}

// timeIsUp sends the calls that one has waited with, unless they have left.
func (c *company) timeIsUp(first waitingCall) {
	if group := c.leftBehind(first); group != nil {
		c.send(group)
	}
}

func (c *company) leftBehind(first waitingCall) []waitingCall {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.waiting) == 0 || c.waiting[0] != first {
		return nil
	}
	return c.depart()
}

func (c *company) depart() []waitingCall {
	group := c.waiting
	c.waiting = nil
	c.onWay++
	c.sent++
	return group
}

func (c *company) send(group []waitingCall) {
	requests := make([]*pb.MatchLoopRequest, len(group))
	for i, one := range group {
		requests[i] = one.request
	}
	responses, err := c.travel(group[0].place, requests)
	c.land()
	for i, one := range group {
		got := loopAnswer{err: err}
		if err == nil {
			got.response = responses[i]
		}
		one.answer <- got
	}
}

func (c *company) land() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.onWay--
}

// together makes MatchLoop calls in one RPC.
func (s *service) together(place int, requests []*pb.MatchLoopRequest) ([]*pb.MatchLoopResponse, error) {
	if len(requests) == 1 {
		response, err := s.alone(place)(requests[0])
		return []*pb.MatchLoopResponse{response}, err
	}
	responses, _, err := s.batch(place, requests)
	return responses, err
}
