package main

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

	"setmatch/nakama/pb"
)

const (
	crowd      = 24 // matches
	crowdTicks = 40
)

// remembering scripts MatchLoop to answer a state that tells every input that it ever took.
func (f *fakeService) remembering() {
	f.on("MatchLoop", func(_ context.Context, req any) (any, error) {
		loop := req.(*pb.MatchLoopRequest)
		state := string(loop.State)
		for _, input := range loop.Inputs {
			state += " " + string(input.Data)
		}
		return &pb.MatchLoopResponse{Step: &pb.Step{State: []byte(state)}}, nil
	})
}

// flaky scripts batches to fail in every way, now and then.
func (f *fakeService) flaky() {
	var mu sync.Mutex
	random := rand.New(rand.NewPCG(8, 64))
	f.on("MatchBatch", func(context.Context, any) (any, error) {
		mu.Lock()
		defer mu.Unlock()
		switch random.IntN(8) {
		case 0:
			return nil, scriptedError(codes.Unavailable)
		case 1:
			return nil, scriptedError(codes.Internal)
		case 2:
			return nil, scriptedError(codes.ResourceExhausted)
		case 3:
			return &pb.MatchBatchResponse{}, nil
		default:
			return nil, nil
		}
	})
}

// runOfMatch plays one match that somebody says something into in every tick, and returns its last state.
func (r *rig) runOfMatch(number int) string {
	ctx, cancel := matchContext(fmt.Sprintf("match-%d.node", number))
	defer cancel()
	state, _, _ := r.adapter.MatchInit(ctx, r.logger, nil, r.nakama, nil)
	out := &fakeDispatcher{}
	m := state.(*matchState)
	for tick := int64(0); tick < crowdTicks || m.queue.size() > 0 && tick < 100*crowdTicks; tick++ {
		var said []runtime.MatchData
		if tick < crowdTicks {
			said = append(said, r.input("ann", fmt.Sprint(number, ".", tick)))
		}
		r.adapter.MatchLoop(ctx, r.logger, nil, r.nakama, out, tick, m, said)
		r.pass(5)
		time.Sleep(time.Millisecond / 2)
	}
	return string(m.state)
}

func wantEveryInputOnce(t *testing.T, number int, state string) {
	t.Helper()
	var want []string
	for tick := range crowdTicks {
		want = append(want, fmt.Sprint(number, ".", tick))
	}
	if got := strings.Join(strings.Fields(state)[2:], " "); got != strings.Join(want, " ") {
		t.Errorf("match %d took %q", number, got)
	}
}

func TestManyMatchesWhoseBatchesFailInEveryWayLoseNothingAndKeepTheirOrder(t *testing.T) {
	r := newRig(t)
	r.shim.rules.batcher = newBatcher(time.Millisecond, r.shim.meters, t.Error)
	r.service.remembering()
	r.service.flaky()
	states := make([]string, crowd)
	var playing sync.WaitGroup
	for number := range crowd {
		playing.Add(1)
		go func() {
			defer playing.Done()
			states[number] = r.runOfMatch(number)
		}()
	}
	playing.Wait()
	for number, state := range states {
		wantEveryInputOnce(t, number, state)
	}
	if r.nakama.counter("set_rules_calls code=OK method=MatchBatch") == 0 {
		t.Error("no batch was answered")
	}
	if got := r.nakama.counter(recoveredPanics) + r.nakama.counter(poisonedInputs); got > 0 {
		t.Errorf("%d panics and dropped inputs", got)
	}
}
