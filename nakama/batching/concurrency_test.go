package batching

import (
	"context"
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"google.golang.org/grpc/codes"

	"setmatch/nakama/pb"
)

const (
	callers        = 24 // concurrent callers
	callsPerCaller = 40 // sequential calls of each caller
)

// failRandomly makes batches fail at random, with every kind of failure.
func (s *service) failRandomly() {
	var mu sync.Mutex
	random := rand.New(rand.NewPCG(8, 64))
	failures := []codes.Code{codes.Unavailable, codes.Internal, codes.ResourceExhausted}
	s.onBatch(func(context.Context, *pb.MatchBatchRequest) (*pb.MatchBatchResponse, error) {
		mu.Lock()
		defer mu.Unlock()
		switch chance := random.IntN(8); {
		case chance < len(failures):
			return nil, scriptedError(failures[chance])
		case chance == len(failures):
			return &pb.MatchBatchResponse{}, nil
		default:
			return nil, nil
		}
	})
}

func TestAllCallsEndWhenBatchesFailRandomly(t *testing.T) {
	f := newIdleFixture(t)
	f.batcher = New(time.Millisecond, f.host)
	f.service.failRandomly()
	var group sync.WaitGroup
	for caller := range callers {
		group.Go(func() {
			for number := range callsPerCaller {
				id := fmt.Sprint(caller, ".", number)
				got := resultText(f.loop(context.Background(), loopOf(id)))
				if got != id && got != "Unavailable scripted" {
					t.Errorf("%s got %q", id, got)
				}
			}
		})
	}
	group.Wait()
	f.waitInFlight(0)
	if len(f.host.shared) == 0 {
		t.Error("no batch was sent")
	}
}
