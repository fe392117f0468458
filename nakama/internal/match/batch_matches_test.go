package match

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/heroiclabs/nakama-common/runtime"
	"google.golang.org/grpc/codes"

	"setmatch/nakama/internal/fake"
	"setmatch/nakama/internal/rules"
	"setmatch/nakama/internal/telemetry"
	"setmatch/nakama/pb"
)

const (
	matchCount = 24
	tickCount  = 40
)

// collectInputs scripts MatchLoop to append its inputs to the state.
func collectInputs(f *fake.Service) {
	f.Handle("MatchLoop", func(_ context.Context, req any) (any, error) {
		loop := req.(*pb.MatchLoopRequest)
		state := string(loop.State)
		for _, input := range loop.Inputs {
			state += " " + string(input.Data)
		}
		return &pb.MatchLoopResponse{Step: &pb.Step{State: []byte(state)}}, nil
	})
}

// failRandomly scripts MatchBatch to fail randomly in different ways.
func failRandomly(f *fake.Service) {
	var mu sync.Mutex
	random := rand.New(rand.NewPCG(8, 64))
	f.Handle("MatchBatch", func(context.Context, any) (any, error) {
		mu.Lock()
		defer mu.Unlock()
		switch random.IntN(8) {
		case 0:
			return nil, fake.ScriptedError(codes.Unavailable)
		case 1:
			return nil, fake.ScriptedError(codes.Internal)
		case 2:
			return nil, fake.ScriptedError(codes.ResourceExhausted)
		case 3:
			return &pb.MatchBatchResponse{}, nil
		default:
			return nil, nil
		}
	})
}

// runMatch runs a match with one input in each tick, and returns its last state.
func (r *fixture) runMatch(number int) string {
	ctx, cancel := fake.MatchContext(fmt.Sprintf("match-%d.node", number))
	defer cancel()
	state, _, _ := r.adapter.MatchInit(ctx, r.logger, nil, r.nakama, nil)
	out := &fake.Dispatcher{}
	m := state.(*matchState)
	for tick := int64(0); tick < tickCount || m.queue.size() > 0 && tick < 100*tickCount; tick++ {
		var messages []runtime.MatchData
		if tick < tickCount {
			messages = append(messages, r.input("ann", fmt.Sprint(number, ".", tick)))
		}
		r.adapter.MatchLoop(ctx, r.logger, nil, r.nakama, out, tick, m, messages)
		r.advance(5)
		time.Sleep(time.Millisecond / 2)
	}
	return string(m.service.state)
}

func wantEveryInputOnce(t *testing.T, number int, state string) {
	t.Helper()
	var want []string
	for tick := range tickCount {
		want = append(want, fmt.Sprint(number, ".", tick))
	}
	if got := strings.Join(strings.Fields(state)[2:], " "); got != strings.Join(want, " ") {
		t.Errorf("match %d received %q", number, got)
	}
}

func TestFailingBatchesLoseNoInputAndKeepOrder(t *testing.T) {
	r := newFixture(t)
	r.shared.Batcher = rules.NewBatcher(time.Millisecond, r.shared.Meters, fake.FailOnPanic(t))
	collectInputs(r.service)
	failRandomly(r.service)
	states := make([]string, matchCount)
	var running sync.WaitGroup
	for number := range matchCount {
		running.Add(1)
		go func() {
			defer running.Done()
			states[number] = r.runMatch(number)
		}()
	}
	running.Wait()
	for number, state := range states {
		wantEveryInputOnce(t, number, state)
	}
	if r.nakama.Counter("set_rules_calls code=OK method=MatchBatch") == 0 {
		t.Error("no batch succeeded")
	}
	if got := r.nakama.Counter(telemetry.RecoveredPanics) + r.nakama.Counter(telemetry.PoisonedInputs); got > 0 {
		t.Errorf("%d panics and dropped inputs", got)
	}
}
