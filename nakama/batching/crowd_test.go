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
	crowd      = 24 // callers
	crowdCalls = 40 // of each, one after the other
)

// flaky scripts batches to fail in every way, now and then.
func (s *service) flaky() {
	var mu sync.Mutex
	random := rand.New(rand.NewPCG(8, 64))
	failures := []codes.Code{codes.Unavailable, codes.Internal, codes.ResourceExhausted}
	s.onAll(func(context.Context, *pb.MatchBatchRequest) (*pb.MatchBatchResponse, error) {
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

func TestManyCallsWhoseBatchesFailInEveryWayAllEndAndLeaveNothing(t *testing.T) {
	r := newIdleRig(t)
	r.batcher = New(time.Millisecond, r.host)
	r.service.flaky()
	var calling sync.WaitGroup
	for caller := range crowd {
		calling.Go(func() {
			for number := range crowdCalls {
				id := fmt.Sprint(caller, ".", number)
				got := told(r.loop(context.Background(), loopOf(id)))
				if got != id && got != "Unavailable scripted" {
					t.Errorf("%s was told %q", id, got)
				}
			}
		})
	}
	calling.Wait()
	r.onWay(0)
	if len(r.host.shared) == 0 {
		t.Error("no call was shared")
	}
}
