package main

import (
	"sync/atomic"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"

	"setmatch/nakama/pb"
)

// way is one way to make a claim: it returns when the answer was there, after all that must follow it.
type way struct {
	claim func(*match) (time.Time, error)
	rpcs  func() int
	*counts
}

// counts is what was done on a way.
type counts struct{ calls, refused atomic.Int64 }

func (s *service) echoes() way {
	n := &counts{}
	claim := func(m *match) (time.Time, error) {
		err := n.persist(func() error { return s.echo(m.place, m.like) })
		return time.Now(), err
	}
	return way{claim, n.each, n}
}

func (s *service) loneCalls() way {
	n := &counts{}
	claim := func(m *match) (time.Time, error) { return m.claimBy(n.persistent(s.alone(m.place))) }
	return way{claim, n.each, n}
}

// sharedCalls lets calls wait for company.
func (s *service) sharedCalls() way {
	n := &counts{}
	all := newSharing(n)
	claim := func(m *match) (time.Time, error) { return m.claimBy(n.persistent(all.calls(s.client(m.place)))) }
	return way{claim, func() int { return int(all.rpcs.Load()) }, n}
}

// each is the number of RPCs where every call is one.
func (n *counts) each() int { return int(n.calls.Load() + n.refused.Load()) }

// persist counts a call, and makes one that was turned away again a tick later, as the plugin does.
func (n *counts) persist(call func() error) error {
	n.calls.Add(1)
	for {
		err := call()
		if code := status.Code(err); code != codes.Canceled && code != codes.ResourceExhausted {
			return err
		}
		n.refused.Add(1)
		time.Sleep(tickMs * time.Millisecond)
	}
}

func (n *counts) persistent(call loopCall) loopCall {
	return func(request *pb.MatchLoopRequest) (response *pb.MatchLoopResponse, err error) {
		err = n.persist(func() error {
			response, err = call(request)
			return err
		})
		return response, err
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
