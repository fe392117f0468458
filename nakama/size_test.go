package main

import (
	"strings"
	"testing"

	"setmatch/nakama/pb"
)

// Hundreds of connections that all ask for a snapshot in one tick make an answer that is larger than what gRPC takes
// by default; refused, it would be asked for again and again until the match is closed.
func TestALargeAnswerIsTaken(t *testing.T) {
	r := newMatch(t)
	r.shim.timing.loopDeadline = hung
	r.join("ann")
	large := strings.Repeat("x", 5<<20)
	r.service.loopReply(func(s *pb.Step) {
		s.Broadcasts = []*pb.Broadcast{{Message: notice(large), Everyone: true}}
	})
	r.loop(r.input("ann", "x"))
	if did := r.out.took(); len(did) != 1 || did[0] != large+" to all" {
		t.Errorf("%d messages were sent", len(did))
	}
	if r.match.outage.down || r.match.queue.size() > 0 {
		t.Error("the match stands")
	}
}
