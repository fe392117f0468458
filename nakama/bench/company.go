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

// company joins calls of one connection by the plugin's rule (docs/decisions.md, E50): a call that finds none on its way
// goes out alone at once, one that finds others waits up to a millisecond for more.
type company struct {
	service *service
	place   int

	mu      sync.Mutex
	onWay   int
	waiting []waitingCall
	sent    int // RPCs
}

type waitingCall struct {
	request *pb.MatchLoopRequest
	answer  chan<- loopAnswer
}

type loopAnswer struct {
	response *pb.MatchLoopResponse
	err      error
}

// call makes one MatchLoop call, alone or with others.
func (c *company) call(request *pb.MatchLoopRequest) (*pb.MatchLoopResponse, error) {
	answer := make(chan loopAnswer, 1)
	if group := c.enter(waitingCall{request, answer}); group != nil {
		c.send(group)
	}
	got := <-answer
	return got.response, got.err
}

// enter returns the group that is to be sent by the caller now, if any is.
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

// timeIsUp sends the group that a call began, unless it has left.
func (c *company) timeIsUp(first waitingCall) {
	c.mu.Lock()
	var group []waitingCall
	if len(c.waiting) > 0 && c.waiting[0] == first {
		group = c.depart()
	}
	c.mu.Unlock()
	if group != nil {
		c.send(group)
	}
}

func (c *company) depart() []waitingCall {
	group := c.waiting
	c.waiting = nil
	c.onWay++
	c.sent++
	return group
}

func (c *company) send(group []waitingCall) {
	responses, err := c.make(group)
	c.mu.Lock()
	c.onWay--
	c.mu.Unlock()
	for i, one := range group {
		got := loopAnswer{err: err}
		if err == nil {
			got.response = responses[i]
		}
		one.answer <- got
	}
}

func (c *company) make(group []waitingCall) ([]*pb.MatchLoopResponse, error) {
	if len(group) == 1 {
		response, err := c.service.alone(c.place)(group[0].request)
		return []*pb.MatchLoopResponse{response}, err
	}
	requests := make([]*pb.MatchLoopRequest, len(group))
	for i, one := range group {
		requests[i] = one.request
	}
	responses, _, err := c.service.batch(c.place, requests)
	return responses, err
}
