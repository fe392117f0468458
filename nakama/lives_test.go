package main

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

// life is one match through which chance leads: players come, send and go, the service fails and recovers.
type life struct {
	*rig
	chance  *rand.Rand
	next    int
	sent    []string
	left    []string // leaves, in their order
	judged  []string // inputs and joins of answered calls, in their order
	gone    []string // leaves of answered calls, in their order
	present []string
	state   string // of the last answer
	nowMs   int64
	wrong   []string
}

func newLife(t *testing.T, seed uint64) *life {
	l := &life{rig: newMatch(t), chance: rand.New(rand.NewPCG(seed, 1)), state: "state 1"}
	for method, answer := range map[string]func(*pb.Step) any{
		"MatchLoop":        func(s *pb.Step) any { return &pb.MatchLoopResponse{Step: s} },
		"MatchJoin":        func(s *pb.Step) any { return &pb.MatchJoinResponse{Step: s} },
		"MatchJoinAttempt": func(s *pb.Step) any { return &pb.MatchJoinAttemptResponse{Step: s, Allow: true} },
	} {
		l.service.on(method, func(_ context.Context, req any) (any, error) {
			return l.answer(method, req.(looked), answer)
		})
	}
	return l
}

// looked is what every call about a match says.
type looked interface {
	GetState() []byte
	GetNowMs() int64
}

func (l *life) answer(method string, req looked, wrap func(*pb.Step) any) (any, error) {
	if string(req.GetState()) != l.state {
		l.wrong = append(l.wrong, fmt.Sprintf("%s with %s after %s", method, req.GetState(), l.state))
	}
	if req.GetNowMs() < l.nowMs {
		l.wrong = append(l.wrong, fmt.Sprintf("%s at %d after %d", method, req.GetNowMs(), l.nowMs))
	}
	if l.chance.IntN(4) == 0 {
		failures := []codes.Code{codes.Unavailable, codes.DeadlineExceeded, codes.FailedPrecondition, codes.ResourceExhausted}
		return nil, scriptedError(failures[l.chance.IntN(len(failures))])
	}
	l.nowMs = req.GetNowMs()
	if method != "MatchJoinAttempt" {
		words := strings.Fields(seen([]serviceCall{{method: method, req: req}})[0])
		for _, word := range words[1:] {
			if name, isLeave := strings.CutPrefix(word, "-"); isLeave {
				l.gone = append(l.gone, name)
			} else {
				l.judged = append(l.judged, method+" "+word)
			}
		}
	}
	step := l.service.step()
	l.state = string(step.State)
	return wrap(step), nil
}

func (l *life) name() string {
	l.next++
	return fmt.Sprint("n", l.next)
}

func (l *life) live() {
	l.pass(l.chance.Int64N(120))
	switch l.chance.IntN(8) {
	case 0:
		name := l.name()
		if _, allow, _ := l.attempt(name); allow {
			l.present = append(l.present, name)
			l.sent = append(l.sent, "MatchJoin "+name)
			l.join(name)
		}
	case 1:
		if len(l.present) > 0 {
			name := l.present[0]
			l.present = l.present[1:]
			l.left = append(l.left, name)
			l.leave(runtime.PresenceReasonDisconnect, name)
		}
	case 2:
		l.unplug()
	case 3:
		l.plug()
	default:
		var inputs []runtime.MatchData
		for range l.chance.IntN(3) {
			data := l.name()
			l.sent = append(l.sent, "MatchLoop "+data)
			inputs = append(inputs, l.input("p", data))
		}
		l.loop(inputs...)
	}
}

func TestWhateverHappensEverythingIsJudgedOnceAndInOrder(t *testing.T) {
	for seed := range uint64(10) {
		l := newLife(t, seed)
		for range 200 {
			l.live()
		}
		l.plug()
		l.loops(1)
		for i := 0; l.match.queue.size() > 0 && i < 1000; i++ {
			l.loops(1)
		}
		if got, want := strings.Join(l.judged, ","), strings.Join(l.sent, ","); got != want || len(l.wrong) > 0 {
			t.Fatalf("life %d: judged\n%s\nsent\n%s\nwrong: %q", seed, got, want, l.wrong)
		}
		if got, want := strings.Join(l.gone, ","), strings.Join(l.left, ","); got != want {
			t.Fatalf("life %d: leaves\n%s\nwant\n%s", seed, got, want)
		}
	}
}
