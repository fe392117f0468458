package arrival

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/heroiclabs/nakama-common/runtime"
)

// simulation is a match as Nakama runs it: one goroutine takes callbacks from several queues, in an undefined order of the queues.
// A queue of signals that is full makes the match busy. Sessions join, send and leave on goroutines of their own.
type simulation struct {
	*fixture
	attempts chan func()
	calls    chan func()
	signals  chan func()

	entries map[string][]string // what the match received, by session: "join", messages, "leave"
	last    time.Time           // time of receipt of the last message that was not kept for a join
	refused int
}

const signalQueue = 2 // smaller than Nakama's, so that it is often full

func newSimulation(t *testing.T) *simulation {
	s := &simulation{
		fixture: newFixture(t), attempts: make(chan func(), 128), calls: make(chan func(), 1024),
		signals: make(chan func(), signalQueue), entries: make(map[string][]string),
	}
	s.nakama.signal = func(context.Context) error {
		return s.queueSignal(func() { s.receive(s.inbox.Woken(), true) })
	}
	go s.loop(s.inbox.ctx)
	go s.otherSignals(s.inbox.ctx)
	return s
}

func (s *simulation) loop(ctx context.Context) {
	ticks := time.NewTicker(time.Second)
	defer ticks.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticks.C:
			s.receive(s.inbox.Drain(), true)
		case callback := <-s.attempts:
			callback()
		case callback := <-s.calls:
			callback()
		case callback := <-s.signals:
			callback()
		}
		time.Sleep(time.Duration(rand.IntN(3)) * time.Millisecond) // the call to the rules service
	}
}

// otherSignals keeps the queue of signals full for short times.
func (s *simulation) otherSignals(ctx context.Context) {
	for ctx.Err() == nil {
		go func() { _ = s.queueSignal(func() { s.receive(s.inbox.Drain(), true) }) }()
		time.Sleep(time.Duration(rand.IntN(4)) * time.Millisecond)
	}
}

func (s *simulation) queueSignal(callback func()) error {
	handled := make(chan bool, 1)
	select {
	case s.signals <- func() { callback(); handled <- true }:
	default:
		return runtime.ErrMatchBusy
	}
	select {
	case <-handled:
		return nil
	case <-s.inbox.ctx.Done():
		return runtime.ErrMatchBusy
	}
}

func (s *simulation) receive(arrivals Arrivals, ordered bool) {
	for _, m := range arrivals.Messages {
		s.entries[m.SessionID] = append(s.entries[m.SessionID], string(m.Data))
		if ordered && m.Received.Before(s.last) {
			s.t.Errorf("a message of %s was received before an earlier one", m.SessionID)
		}
		s.last = latest(s.last, m.Received)
	}
	for _, r := range arrivals.Refusals {
		s.refused += r.Count
	}
}

// runSession joins, sends and leaves without a pause, and expects that the match receives all of it in this order.
func (s *simulation) runSession(session string, messages int) (expected []string) {
	s.queueJoin(session)
	expected = append(expected, "join")
	for n := range messages {
		s.send(session, 1, strconv.Itoa(n))
		expected = append(expected, strconv.Itoa(n))
		if rand.IntN(4) == 0 {
			time.Sleep(time.Duration(rand.IntN(8)) * time.Millisecond)
		}
	}
	s.nakama.setMember(session, false)
	s.calls <- func() {
		s.receive(s.inbox.Leave(session), true)
		s.entries[session] = append(s.entries[session], "leave")
	}
	return append(expected, "leave")
}

// queueJoin returns when the join was allowed. The match's own join is still in its queue then.
func (s *simulation) queueJoin(session string) {
	allowed := make(chan bool)
	s.attempts <- func() {
		s.receive(s.inbox.Drain(), true)
		s.inbox.Admit(session)
		s.calls <- func() {
			s.receive(s.inbox.Drain(), true)
			s.entries[session] = append(s.entries[session], "join")
			s.receive(s.inbox.Join(session), false)
		}
		close(allowed)
	}
	<-allowed
	s.nakama.setMember(session, true)
}

func TestRandomSessionsLoseAndReorderNothing(t *testing.T) {
	for round := range 20 {
		synctest.Test(t, func(t *testing.T) {
			s := newSimulation(t)
			const sessions, maxMessages = 30, 60
			expected := make([][]string, sessions)
			var running sync.WaitGroup
			for n := range sessions {
				running.Go(func() {
					time.Sleep(time.Duration(rand.IntN(200)) * time.Millisecond)
					expected[n] = s.runSession(fmt.Sprint(n), rand.IntN(maxMessages))
					if rand.IntN(2) == 0 {
						time.Sleep(time.Second) // Nakama admits a session again only after its leave
						expected[n] = append(expected[n], s.runSession(fmt.Sprint(n), rand.IntN(maxMessages))...)
					}
				})
			}
			running.Wait()
			pass(5 * time.Second)
			s.stop()
			pass(time.Second)
			for n := range sessions {
				if got := s.entries[fmt.Sprint(n)]; !slices.Equal(got, expected[n]) {
					t.Errorf("round %d: the match received %v from session %d, want %v", round, got, n, expected[n])
				}
			}
			wantCount(t, "refused messages", s.refused, 0)
		})
	}
}
