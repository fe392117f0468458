package setmatch

import (
	"strings"
	"testing"

	"setmatch/nakama/pb"
)

// If hundreds of connections request a snapshot in one tick, the response exceeds gRPC's default limit. With that limit, the
// call would be retried until the match is closed.
func TestLargeResponseIsAccepted(t *testing.T) {
	r := newMatch(t)
	r.shim.timing.loopDeadline = testTimeout
	r.join("ann")
	large := strings.Repeat("x", 5<<20)
	r.service.loopReply(func(s *pb.Step) {
		s.Broadcasts = []*pb.Broadcast{{Message: notice(large), Everyone: true}}
	})
	r.loop(r.input("ann", "x"))
	if actions := r.out.takeActions(); len(actions) != 1 || actions[0] != large+" to all" {
		t.Errorf("%d messages were sent", len(actions))
	}
	if r.match.outage.Down || r.match.queue.size() > 0 {
		t.Error("an outage was started")
	}
}
