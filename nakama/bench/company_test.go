package main

import (
	"errors"
	"fmt"
	"reflect"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"setmatch/nakama/pb"
)

const roadMs = 10

// road answers RPCs after ten milliseconds and remembers how many calls each had and where it went.
type road struct {
	mu   sync.Mutex
	went []string
	err  error
}

func (r *road) travel(place int, requests []*pb.MatchLoopRequest) ([]*pb.MatchLoopResponse, error) {
	r.mu.Lock()
	r.went = append(r.went, fmt.Sprintf("%d on %d", len(requests), place))
	r.mu.Unlock()
	time.Sleep(roadMs * time.Millisecond)
	var responses []*pb.MatchLoopResponse
	for _, request := range requests {
		responses = append(responses, &pb.MatchLoopResponse{Step: &pb.Step{State: []byte(request.MatchId)}})
	}
	return responses, r.err
}

// calls makes calls one after the other, so long apart, and fails unless each gets its own answer.
func calls(t *testing.T, c *company, count int, apart time.Duration) {
	var group sync.WaitGroup
	for i := range count {
		id := fmt.Sprint(i)
		group.Go(func() {
			response, err := c.call(i, &pb.MatchLoopRequest{MatchId: id})
			if got := string(response.GetStep().GetState()); err != nil || got != id {
				t.Errorf("call %s got %q, %v", id, got, err)
			}
		})
		time.Sleep(apart)
	}
	group.Wait()
}

func TestCallsGoTogetherOnlyWhereOthersAreOnTheirWay(t *testing.T) {
	for _, one := range []struct {
		name  string
		count int
		apart time.Duration
		want  []string
	}{
		{"apart", 3, (roadMs + 1) * time.Millisecond, []string{"1 on 0", "1 on 1", "1 on 2"}},
		{"within a moment", 4, 300 * time.Microsecond, []string{"1 on 0", "3 on 1"}},
		{"a moment apart", 3, 2 * time.Millisecond, []string{"1 on 0", "1 on 1", "1 on 2"}},
		{"many", 1 + companyMax + 2, time.Nanosecond, []string{"1 on 0", "64 on 1", "2 on 65"}},
	} {
		t.Run(one.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := &road{}
				c := &company{travel: r.travel}
				calls(t, c, one.count, one.apart)
				if !reflect.DeepEqual(r.went, one.want) || c.sent != len(one.want) {
					t.Errorf("went %q (%d), want %q", r.went, c.sent, one.want)
				}
			})
		})
	}
}

func TestWhatFailsTogetherFailsForEach(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := &road{err: errors.New("no road")}
		c := &company{travel: r.travel}
		var group sync.WaitGroup
		for i := range 3 {
			group.Go(func() {
				if _, err := c.call(i, &pb.MatchLoopRequest{}); !errors.Is(err, r.err) {
					t.Errorf("the error is %v", err)
				}
			})
		}
		group.Wait()
	})
}
