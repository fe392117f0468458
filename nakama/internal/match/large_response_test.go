package match

import (
	"strings"
	"testing"

	"setmatch/nakama/internal/fake"
	"setmatch/nakama/pb"
)

// If hundreds of connections request a snapshot in one tick, the response exceeds gRPC's default limit. With that limit, the
// call would be retried until the match is closed.
func TestLargeResponseIsAccepted(t *testing.T) {
	r := newMatch(t)
	r.shared.timing.loopDeadline = fake.Timeout
	r.join("ann")
	large := strings.Repeat("x", 5<<20)
	r.service.LoopReply(func(s *pb.Step) {
		s.Broadcasts = []*pb.Broadcast{{Message: fake.Notice(large), Everyone: true}}
	})
	r.loop(r.input("ann", "x"))
	if actions := r.out.TakeActions(); len(actions) != 1 || actions[0] != large+" to all" {
		t.Errorf("%d messages were sent", len(actions))
	}
	if r.match.outage.Down || r.match.queue.size() > 0 {
		t.Error("an outage was started")
	}
}
