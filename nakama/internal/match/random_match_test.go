package match

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/heroiclabs/nakama-common/runtime"
	"google.golang.org/grpc/codes"

	"setmatch/nakama/internal/fake"
	"setmatch/nakama/pb"
)

// randomMatch is a match with random events: joins, inputs, leaves, failures of calls and lost connections.
type randomMatch struct {
	*fixture
	random   *rand.Rand
	lastName int
	sent     []string // inputs and joins, in order
	changes  []string // joins and leaves, in order
	left     []string // leaves of the current tick, which follow its joins
	present  []string // players in the match
	problems []string // calls with a wrong state or time

	// From successful calls
	received        []string // inputs and joins, in order
	receivedChanges []string // joins and leaves, in order
	state           string   // last state
	nowMs           int64    // last time on the match clock
}

func newRandomMatch(t *testing.T, create func(testing.TB) *fixture, seed uint64) *randomMatch {
	l := &randomMatch{fixture: create(t), random: rand.New(rand.NewPCG(seed, 1)), state: "state 1"}
	l.shared.timing.loopDeadline, l.shared.timing.otherDeadline = fake.Timeout, fake.Timeout // a handled call must not be repeated
	l.shared.timing.attemptDeadline, l.shared.timing.deadlineCeiling = fake.Timeout, fake.Timeout
	for method, answer := range map[string]func(*pb.Step) any{
		"MatchLoop":        func(s *pb.Step) any { return &pb.MatchLoopResponse{Step: s} },
		"MatchJoin":        func(s *pb.Step) any { return &pb.MatchJoinResponse{Step: s} },
		"MatchJoinAttempt": func(s *pb.Step) any { return &pb.MatchJoinAttemptResponse{Step: s, Allow: true} },
	} {
		l.service.Handle(method, func(_ context.Context, req any) (any, error) {
			return l.answer(method, req.(timedCall), answer)
		})
	}
	return l
}

// timedCall is implemented by every request about a match.
type timedCall interface {
	GetState() []byte
	GetNowMs() int64
}

func (l *randomMatch) answer(method string, req timedCall, wrap func(*pb.Step) any) (any, error) {
	if string(req.GetState()) != l.state {
		l.problems = append(l.problems, fmt.Sprintf("%s with %s after %s", method, req.GetState(), l.state))
	}
	if req.GetNowMs() < l.nowMs {
		l.problems = append(l.problems, fmt.Sprintf("%s at %d after %d", method, req.GetNowMs(), l.nowMs))
	}
	if l.random.IntN(4) == 0 {
		failures := []codes.Code{codes.Unavailable, codes.DeadlineExceeded, codes.FailedPrecondition, codes.ResourceExhausted}
		return nil, fake.ScriptedError(failures[l.random.IntN(len(failures))])
	}
	l.nowMs = req.GetNowMs()
	if method != "MatchJoinAttempt" {
		words := strings.Fields(callSummaries([]fake.ServiceCall{{Method: method, Req: req}})[0])
		for _, word := range words[1:] {
			isLeave := strings.HasPrefix(word, "-")
			if !isLeave {
				l.received = append(l.received, method+" "+word)
			}
			if isLeave || method == "MatchJoin" {
				l.receivedChanges = append(l.receivedChanges, word)
			}
		}
	}
	step := l.service.Step()
	l.state = string(step.State)
	return wrap(step), nil
}

func (l *randomMatch) name() string {
	l.lastName++
	return fmt.Sprint("n", l.lastName)
}

func (l *randomMatch) randomStep() {
	l.advance(l.random.Int64N(120))
	switch l.random.IntN(8) {
	case 0:
		l.randomJoin()
	case 1:
		l.randomLeave()
	case 2:
		l.disconnect()
	case 3:
		l.reconnect()
	default:
		l.randomInputs()
	}
}

// randomJoin lets a new connection join. It may send a message before the match knows of its join.
func (l *randomMatch) randomJoin() {
	name := l.name()
	if _, allow, _ := l.attempt(name); !allow {
		return
	}
	early, data := l.random.IntN(2) == 0, l.name()
	if early && l.match.inbox != nil {
		l.arrive(name, data)
	} else if early {
		l.endTick()
		l.loop(l.input(name, data))
	}
	l.sent, l.changes = append(l.sent, "MatchJoin "+name), append(l.changes, name)
	if early {
		l.sent = append(l.sent, "MatchLoop "+data)
	}
	l.present = append(l.present, name)
	l.join(name)
}

// randomLeave removes the oldest connection. Without an inbox its leave follows the inputs of the next tick.
func (l *randomMatch) randomLeave() {
	if len(l.present) == 0 {
		return
	}
	name := l.present[0]
	l.present = l.present[1:]
	l.left = append(l.left, "-"+name)
	if l.match.inbox != nil {
		l.endTick()
	}
	l.leave(runtime.PresenceReasonDisconnect, name)
}

// randomInputs sends inputs, and lets the match handle them: with the tick, or with an inbox mostly by a wake-up, or later.
func (l *randomMatch) randomInputs() {
	if l.match.inbox == nil {
		var inputs []runtime.MatchData
		for range l.random.IntN(3) {
			data := l.name()
			l.sent = append(l.sent, "MatchLoop "+data)
			inputs = append(inputs, l.input("p", data))
		}
		l.endTick()
		l.loop(inputs...)
		return
	}
	for range min(len(l.present), l.random.IntN(3)) {
		l.arriveFrom(l.present[l.random.IntN(len(l.present))])
	}
	switch l.random.IntN(4) {
	case 0:
	case 1:
		l.loop()
	default:
		l.wake()
	}
}

// arriveFrom sends a message to the inbox.
func (l *randomMatch) arriveFrom(name string) {
	data := l.name()
	l.sent = append(l.sent, "MatchLoop "+data)
	l.arrive(name, data)
}

func (l *randomMatch) endTick() {
	l.changes = append(l.changes, l.left...)
	l.left = nil
}

func TestRandomMatchSendsEverythingOnceAndInOrder(t *testing.T) {
	for name, create := range map[string]func(testing.TB) *fixture{"TICK": newMatch, "ARRIVAL": newArrivalMatch} {
		for seed := range uint64(10) {
			t.Run(fmt.Sprint(name, seed), func(t *testing.T) {
				l := newRandomMatch(t, create, seed)
				for range 200 {
					l.randomStep()
				}
				l.reconnect()
				l.endTick()
				l.loops(1)
				for i := 0; l.match.queue.size() > 0 && i < 1000; i++ {
					l.loops(1)
				}
				if got, want := strings.Join(l.received, ","), strings.Join(l.sent, ","); got != want || len(l.problems) > 0 {
					t.Fatalf("received\n%s\nsent\n%s\nproblems: %q", got, want, l.problems)
				}
				if got, want := strings.Join(l.receivedChanges, ","), strings.Join(l.changes, ","); got != want {
					t.Fatalf("joins and leaves\n%s\nwant\n%s", got, want)
				}
			})
		}
	}
}
