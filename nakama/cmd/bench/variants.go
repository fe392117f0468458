package main

import (
	"sync/atomic"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"

	"setmatch/nakama/pb"
)

// variant is one way to make claims: as echoes, single calls or batched calls.
type variant struct {
	// claim makes a claim and all calls before the next claim. It returns the time of the claim's response.
	claim func(*match) (time.Time, error)
	rpcs  func() int // number of RPCs so far
	*counts
}

// counts has the numbers of calls and of calls that the service rejected because of its load.
type counts struct{ calls, refused atomic.Int64 }

func (s *service) echoes() variant {
	c := &counts{}
	claim := func(m *match) (time.Time, error) {
		err := c.retry(func() error { return s.echo(m.index, m.sizes) })
		return time.Now(), err
	}
	return variant{claim, c.attempts, c}
}

func (s *service) singleCalls() variant {
	c := &counts{}
	claim := func(m *match) (time.Time, error) { return m.claimBy(c.retrying(s.single(m.index))) }
	return variant{claim, c.attempts, c}
}

func (s *service) batchedCalls() variant {
	c := &counts{}
	batched := newBatchedCalls(c)
	claim := func(m *match) (time.Time, error) { return m.claimBy(c.retrying(batched.caller(s.client(m.index)))) }
	return variant{claim, func() int { return int(batched.rpcs.Load()) }, c}
}

// attempts returns the number of RPCs if each call is a single RPC.
func (c *counts) attempts() int { return int(c.calls.Load() + c.refused.Load()) }

// retry counts a call and, as the plugin does, repeats it after one tick while the service rejects it.
func (c *counts) retry(call func() error) error {
	c.calls.Add(1)
	for {
		err := call()
		if code := status.Code(err); code != codes.Canceled && code != codes.ResourceExhausted {
			return err
		}
		c.refused.Add(1)
		time.Sleep(tickMs * time.Millisecond)
	}
}

func (c *counts) retrying(call loopCall) loopCall {
	return func(request *pb.MatchLoopRequest) (response *pb.MatchLoopResponse, err error) {
		err = c.retry(func() error {
			response, err = call(request)
			return err
		})
		return response, err
	}
}

// claimBy claims a Set and makes the calls before the next claim. It returns the time of the claim's response.
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
	m.sizes = sizes{proto.Size(request), proto.Size(response)}
	if err := m.applyClaim(response); err != nil {
		return at, err
	}
	return at, m.makeReady(call)
}
