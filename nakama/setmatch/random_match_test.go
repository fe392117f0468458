package setmatch

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/heroiclabs/nakama-common/runtime"
	"google.golang.org/grpc/codes"

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

func newRandomMatch(t *testing.T, seed uint64) *randomMatch {
	l := &randomMatch{fixture: newMatch(t), random: rand.New(rand.NewPCG(seed, 1)), state: "state 1"}
	for method, answer := range map[string]func(*pb.Step) any{
		"MatchLoop":        func(s *pb.Step) any { return &pb.MatchLoopResponse{Step: s} },
		"MatchJoin":        func(s *pb.Step) any { return &pb.MatchJoinResponse{Step: s} },
		"MatchJoinAttempt": func(s *pb.Step) any { return &pb.MatchJoinAttemptResponse{Step: s, Allow: true} },
	} {
		l.service.handle(method, func(_ context.Context, req any) (any, error) {
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
		return nil, scriptedError(failures[l.random.IntN(len(failures))])
	}
	l.nowMs = req.GetNowMs()
	if method != "MatchJoinAttempt" {
		words := strings.Fields(callSummaries([]serviceCall{{method: method, req: req}})[0])
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
	step := l.service.step()
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
		name := l.name()
		if _, allow, _ := l.attempt(name); allow {
			l.present = append(l.present, name)
			l.sent, l.changes = append(l.sent, "MatchJoin "+name), append(l.changes, name)
			l.join(name)
		}
	case 1:
		if len(l.present) > 0 {
			name := l.present[0]
			l.present = l.present[1:]
			l.left = append(l.left, "-"+name)
			l.leave(runtime.PresenceReasonDisconnect, name)
		}
	case 2:
		l.disconnect()
	case 3:
		l.reconnect()
	default:
		var inputs []runtime.MatchData
		for range l.random.IntN(3) {
			data := l.name()
			l.sent = append(l.sent, "MatchLoop "+data)
			inputs = append(inputs, l.input("p", data))
		}
		l.endTick()
		l.loop(inputs...)
	}
}

func (l *randomMatch) endTick() {
	l.changes = append(l.changes, l.left...)
	l.left = nil
}

func TestRandomMatchSendsEverythingOnceAndInOrder(t *testing.T) {
	for seed := range uint64(10) {
		l := newRandomMatch(t, seed)
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
			t.Fatalf("seed %d: received\n%s\nsent\n%s\nproblems: %q", seed, got, want, l.problems)
		}
		if got, want := strings.Join(l.receivedChanges, ","), strings.Join(l.changes, ","); got != want {
			t.Fatalf("seed %d: joins and leaves\n%s\nwant\n%s", seed, got, want)
		}
	}
}
