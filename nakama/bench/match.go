package main

import (
	"context"
	"fmt"
	"sync"
	"time"

	"setmatch/nakama/pb"
)

const (
	players  = 2
	tickMs   = 50
	noonMs   = 1_796_126_400_000 // a time of day for MatchInit
	betweenS = 1                 // seconds of the match's clock from claim to claim: no animation locks the next one
)

// match is one match as the plugin keeps it: the latest state and what its players see. Its clock is its own, so that
// a fast bench meets no lock of the game's.
type match struct {
	mu     sync.Mutex // held while a call is on its way, where calls of one match could meet
	like   sizes      // of the last claim's call
	place  int
	id     string
	people []*pb.Presence
	state  []byte
	wakeMs *int64
	nowMs  int64
	claims int
	board  board
	ended  bool
	over   bool
}

// openMatch creates a match and seats its players.
func openMatch(s *service, place int) (*match, error) {
	m := &match{place: place, id: fmt.Sprintf("%08x-5e70-4be2-bc47-0123456789ab.node1", place), board: board{}}
	for seat := range players {
		name := fmt.Sprintf("player-%d", seat)
		m.people = append(m.people, &pb.Presence{
			UserId:    fmt.Sprintf("%08x-%04x-4be2-a0a0-0123456789ab", place, seat),
			SessionId: fmt.Sprintf("%08x-%04x-4be2-a1a1-ba9876543210", place, seat),
			Node:      "node1", Username: name,
		})
	}
	ctx, cancel := context.WithTimeout(context.Background(), callTimeout)
	defer cancel()
	return m, m.open(ctx, s.client(place))
}

func (m *match) open(ctx context.Context, client pb.MatchHandlerServiceClient) error {
	created, err := client.MatchInit(ctx, &pb.MatchInitRequest{MatchId: m.id, Node: "node1", UnixTimeMs: noonMs})
	if err != nil {
		return err
	}
	if err := m.take(created.GetStep()); err != nil {
		return err
	}
	for _, who := range m.people {
		if err := m.seat(ctx, client, who); err != nil {
			return err
		}
	}
	return m.makeReady(func(request *pb.MatchLoopRequest) (*pb.MatchLoopResponse, error) {
		return client.MatchLoop(ctx, request)
	})
}

func (m *match) seat(ctx context.Context, client pb.MatchHandlerServiceClient, who *pb.Presence) error {
	asked, err := client.MatchJoinAttempt(ctx, &pb.MatchJoinAttemptRequest{
		MatchId: m.id, Node: "node1", Tick: m.tick(), NowMs: m.nowMs, UnixTimeMs: m.unixMs(), State: m.state, Presence: who,
	})
	if err != nil {
		return err
	}
	if !asked.Allow {
		return fmt.Errorf("match %s lets nobody in: %s", m.id, asked.Reason)
	}
	if err := m.take(asked.GetStep()); err != nil {
		return err
	}
	came, err := client.MatchJoin(ctx, &pb.MatchJoinRequest{
		MatchId: m.id, Node: "node1", Tick: m.tick(), NowMs: m.nowMs, UnixTimeMs: m.unixMs(), State: m.state, Presences: []*pb.Presence{who},
	})
	if err != nil {
		return err
	}
	return m.take(came.GetStep())
}

func (m *match) tick() int64   { return m.nowMs / tickMs }
func (m *match) unixMs() int64 { return noonMs + m.nowMs }

// loopCall makes one MatchLoop call, alone or in company.
type loopCall func(*pb.MatchLoopRequest) (*pb.MatchLoopResponse, error)

// claim returns the request that claims a Set of the board; the match must be ready.
func (m *match) claim() (*pb.MatchLoopRequest, error) {
	cards, found := m.board.findSet()
	if !found {
		return nil, fmt.Errorf("match %s shows no Set although nothing is due", m.id)
	}
	m.nowMs += betweenS * int64(time.Second/time.Millisecond)
	m.claims++
	data := fmt.Sprintf(`{"claimId":%q,"cardIds":[%d,%d,%d]}`, m.claimID(), cards[0], cards[1], cards[2])
	return m.request(m.input(m.people[m.claims%players], opClaim, data)), nil
}

func (m *match) claimID() string { return fmt.Sprintf("claim-%d", m.claims) }

func (m *match) request(inputs ...*pb.Input) *pb.MatchLoopRequest {
	return &pb.MatchLoopRequest{
		MatchId: m.id, Node: "node1", Tick: m.tick(), NowMs: m.nowMs, UnixTimeMs: m.unixMs(), State: m.state, Inputs: inputs,
	}
}

func (m *match) input(who *pb.Presence, opCode int64, data string) *pb.Input {
	return &pb.Input{
		Tick: m.tick(), ReceivedMs: m.nowMs - 1, ReceivedUnixMs: m.unixMs() - 1,
		UserId: who.UserId, SessionId: who.SessionId, OpCode: opCode, Data: []byte(data),
	}
}

// answered takes the answer to a claim over, which must have counted.
func (m *match) answered(response *pb.MatchLoopResponse) error {
	counted := false
	for _, b := range response.GetStep().GetBroadcasts() {
		if b.GetMessage().GetOpCode() == opClaimResult {
			h, err := board{}.follow(opClaimResult, b.Message.Data)
			counted = err == nil && h.Valid && h.ClaimID == m.claimID()
		}
	}
	if !counted {
		return fmt.Errorf("match %s: %s did not count: %v", m.id, m.claimID(), response.GetStep().GetBroadcasts())
	}
	return m.take(response.GetStep())
}

// take takes a step over.
func (m *match) take(step *pb.Step) error {
	m.state, m.wakeMs = step.GetState(), step.WakeAtMs
	m.over = m.over || step.GetEnd()
	for _, b := range step.GetBroadcasts() {
		if _, err := m.board.follow(b.GetMessage().GetOpCode(), b.GetMessage().GetData()); err != nil {
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

// makeReady makes the calls that must come before the next claim: the board grows by itself, an ended game is followed
// by another.
func (m *match) makeReady(call loopCall) error {
	for {
		request, needed := m.due()
		if !needed {
			return nil
		}
		response, err := call(request)
		if err != nil {
			return err
		}
		if err := m.take(response.GetStep()); err != nil {
			return err
		}
		if m.over {
			return fmt.Errorf("match %s is over", m.id)
		}
	}
}

// due returns the request that is needed before the next claim, if one is.
func (m *match) due() (*pb.MatchLoopRequest, bool) {
	if m.ended {
		m.nowMs += tickMs
		var votes []*pb.Input
		for _, who := range m.people {
			votes = append(votes, m.input(who, opRematch, "{}"))
		}
		return m.request(votes...), true
	}
	if _, found := m.board.findSet(); found || m.wakeMs == nil {
		return nil, false
	}
	m.nowMs = max(m.nowMs, *m.wakeMs)
	return m.request(), true
}
