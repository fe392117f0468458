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

// company joins calls by the plugin's rule (docs/decisions.md, E50): a call that finds none on its way
// goes out alone at once, one that finds others waits up to a millisecond for more.
type company struct {
	travel func(place int, requests []*pb.MatchLoopRequest) ([]*pb.MatchLoopResponse, error) // makes one RPC
	places []int                                                                             // of the connections that RPCs take in turn

	mu      sync.Mutex
	onWay   int
	waiting []waitingCall
	sent    int // RPCs
}

// party is calls that go together.
type party struct {
	calls []waitingCall
	place int
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
	if group, goes := c.enter(waitingCall{request, answer}); goes {
		c.send(group)
	}
	got := <-answer
	return got.response, got.err
}

// enter returns the party that the caller is to send now, if there is one.
func (c *company) enter(one waitingCall) (party, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.waiting = append(c.waiting, one)
	if c.onWay == 0 && len(c.waiting) == 1 || len(c.waiting) == companyMax {
		return c.depart(), true
	}
	if len(c.waiting) == 1 {
		time.AfterFunc(companyWait, func() { c.timeIsUp(one) })
	}
	return party{}, false
}

// timeIsUp sends the party that a call began, unless it has left.
func (c *company) timeIsUp(first waitingCall) {
	if group, goes := c.leftBehind(first); goes {
		c.send(group)
	}
}

func (c *company) leftBehind(first waitingCall) (party, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.waiting) == 0 || c.waiting[0] != first {
		return party{}, false
	}
	return c.depart(), true
}

func (c *company) depart() party {
	group := party{c.waiting, c.places[c.sent%len(c.places)]}
	c.waiting = nil
	c.onWay++
	c.sent++
	return group
}

func (c *company) send(group party) {
	responses, err := c.travel(group.place, group.requests())
	c.mu.Lock()
	c.onWay--
	c.mu.Unlock()
	for i, one := range group.calls {
		got := loopAnswer{err: err}
		if err == nil {
			got.response = responses[i]
		}
		one.answer <- got
	}
}

func (p party) requests() []*pb.MatchLoopRequest {
	requests := make([]*pb.MatchLoopRequest, len(p.calls))
	for i, one := range p.calls {
		requests[i] = one.request
	}
	return requests
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
