package main

import (
	"context"
	"fmt"
	"sync"
	"time"

	"setmatch/nakama/pb"
)

const (
	players        = 2
	tickMs         = 50
	startUnixMs    = 1_796_126_400_000 // the wall clock at MatchInit
	claimIntervalS = 1                 // of the match clock; longer than the locks after a claim
)

// match is one match with its latest state, as the plugin keeps it, and with the view of its players. Its match clock is
// independent of real time, so that locks of the game do not limit the rate of claims.
type match struct {
	mu        sync.Mutex // held during the calls of a claim at a fixed rate
	sizes     sizes      // of the last claim's call
	index     int
	id        string
	presences []*pb.Presence
	state     []byte
	wakeMs    *int64 // wake time; nil: none
	nowMs     int64  // match clock
	claims    int
	board     board
	ended     bool // the game has ended
	over      bool // the match has ended
}

// openMatch creates a match, and its players join.
func openMatch(s *service, index int) (*match, error) {
	m := &match{index: index, id: fmt.Sprintf("%08x-5e70-4be2-bc47-0123456789ab.node1", index), board: board{}}
	for seat := range players {
		name := fmt.Sprintf("player-%d", seat)
		m.presences = append(m.presences, &pb.Presence{
			UserId:    fmt.Sprintf("%08x-%04x-4be2-a0a0-0123456789ab", index, seat),
			SessionId: fmt.Sprintf("%08x-%04x-4be2-a1a1-ba9876543210", index, seat),
			Node:      "node1", Username: name,
		})
	}
	ctx, cancel := context.WithTimeout(context.Background(), callTimeout)
	defer cancel()
	return m, m.open(ctx, s.client(index))
}

func (m *match) open(ctx context.Context, client pb.MatchHandlerServiceClient) error {
	created, err := client.MatchInit(ctx, &pb.MatchInitRequest{MatchId: m.id, Node: "node1", UnixTimeMs: startUnixMs})
	if err != nil {
		return err
	}
	if err := m.applyStep(created.GetStep()); err != nil {
		return err
	}
	for _, presence := range m.presences {
		if err := m.join(ctx, client, presence); err != nil {
			return err
		}
	}
	return m.makeReady(func(request *pb.MatchLoopRequest) (*pb.MatchLoopResponse, error) {
		return client.MatchLoop(ctx, request)
	})
}

func (m *match) join(ctx context.Context, client pb.MatchHandlerServiceClient, presence *pb.Presence) error {
	attempt, err := client.MatchJoinAttempt(ctx, &pb.MatchJoinAttemptRequest{
		MatchId: m.id, Node: "node1", Tick: m.tick(), NowMs: m.nowMs, UnixTimeMs: m.unixMs(), State: m.state, Presence: presence,
	})
	if err != nil {
		return err
	}
	if !attempt.Allow {
		return fmt.Errorf("match %s rejected a join attempt: %s", m.id, attempt.Reason)
	}
	if err := m.applyStep(attempt.GetStep()); err != nil {
		return err
	}
	joined, err := client.MatchJoin(ctx, &pb.MatchJoinRequest{
		MatchId: m.id, Node: "node1", Tick: m.tick(), NowMs: m.nowMs, UnixTimeMs: m.unixMs(), State: m.state,
		Presences: []*pb.Presence{presence},
	})
	if err != nil {
		return err
	}
	return m.applyStep(joined.GetStep())
}

func (m *match) tick() int64   { return m.nowMs / tickMs }
func (m *match) unixMs() int64 { return startUnixMs + m.nowMs }

// loopCall makes one MatchLoop call.
type loopCall func(*pb.MatchLoopRequest) (*pb.MatchLoopResponse, error)

// claim returns the request that claims a Set of the board. The match must be ready (see makeReady).
func (m *match) claim() (*pb.MatchLoopRequest, error) {
	cards, found := m.board.findSet()
	if !found {
		return nil, fmt.Errorf("match %s shows no Set and has no wake time", m.id)
	}
	m.nowMs += claimIntervalS * int64(time.Second/time.Millisecond)
	m.claims++
	data := fmt.Sprintf(`{"claimId":%q,"cardIds":[%d,%d,%d]}`, m.claimID(), cards[0], cards[1], cards[2])
	return m.request(m.input(m.presences[m.claims%players], opClaim, data)), nil
}

func (m *match) claimID() string { return fmt.Sprintf("claim-%d", m.claims) }

func (m *match) request(inputs ...*pb.Input) *pb.MatchLoopRequest {
	return &pb.MatchLoopRequest{
		MatchId: m.id, Node: "node1", Tick: m.tick(), NowMs: m.nowMs, UnixTimeMs: m.unixMs(), State: m.state, Inputs: inputs,
	}
}

func (m *match) input(by *pb.Presence, opCode int64, data string) *pb.Input {
	return &pb.Input{
		Tick: m.tick(), ReceivedMs: m.nowMs - 1, ReceivedUnixMs: m.unixMs() - 1,
		UserId: by.UserId, SessionId: by.SessionId, OpCode: opCode, Data: []byte(data),
	}
}

// applyClaim applies the response to a claim. It returns an error if the claim was not valid.
func (m *match) applyClaim(response *pb.MatchLoopResponse) error {
	valid := false
	for _, b := range response.GetStep().GetBroadcasts() {
		if b.GetMessage().GetOpCode() == opClaimResult {
			message, err := board{}.apply(opClaimResult, b.Message.Data)
			valid = err == nil && message.Valid && message.ClaimID == m.claimID()
		}
	}
	if !valid {
		return fmt.Errorf("match %s: %s was not accepted: %v", m.id, m.claimID(), response.GetStep().GetBroadcasts())
	}
	return m.applyStep(response.GetStep())
}

// applyStep applies a step to the match.
func (m *match) applyStep(step *pb.Step) error {
	m.state, m.wakeMs = step.GetState(), step.WakeAtMs
	m.over = m.over || step.GetEnd()
	for _, b := range step.GetBroadcasts() {
		if _, err := m.board.apply(b.GetMessage().GetOpCode(), b.GetMessage().GetData()); err != nil {
			return fmt.Errorf("match %s: %w", m.id, err)
		}
		switch b.GetMessage().GetOpCode() {
		case opMatchEnded:
			m.ended = true
		case opMatchStarted:
			m.ended = false
		}
	}
	return nil
}

// makeReady makes the calls that are necessary before the next claim: for an expansion of the board, or for a rematch.
func (m *match) makeReady(call loopCall) error {
	for {
		request, necessary := m.nextRequest()
		if !necessary {
			return nil
		}
		response, err := call(request)
		if err != nil {
			return err
		}
		if err := m.applyStep(response.GetStep()); err != nil {
			return err
		}
		if m.over {
			return fmt.Errorf("match %s is over", m.id)
		}
	}
}

// nextRequest returns the request that is necessary before the next claim, and false if none is.
func (m *match) nextRequest() (*pb.MatchLoopRequest, bool) {
	if m.ended {
		m.nowMs += tickMs
		var votes []*pb.Input
		for _, presence := range m.presences {
			votes = append(votes, m.input(presence, opRematch, "{}"))
		}
		return m.request(votes...), true
	}
	if _, found := m.board.findSet(); found || m.wakeMs == nil {
		return nil, false
	}
	m.nowMs = max(m.nowMs, *m.wakeMs)
	return m.request(), true
}
