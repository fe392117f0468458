package match

import (
	"context"
	"testing"

	"google.golang.org/grpc/codes"
	"google.golang.org/protobuf/proto"

	"setmatch/nakama/pb"
)

const reserveForAnn = reserveCommand + `[{"userId":"user of ann","username":"name of ann"}]`

func TestReservationIsForwarded(t *testing.T) {
	r := newMatch(t)
	r.advance(20)
	if _, reply := r.signal(reserveForAnn); reply != `{"granted":true}` {
		t.Errorf("got %s", reply)
	}
	want := &pb.MatchReserveRequest{
		MatchId: "match.node", Node: "node", NowMs: 20, UnixTimeMs: r.clock.Now().UnixMilli(), State: []byte("state 1"),
		Users: []*pb.Presence{{UserId: "user of ann", Username: "name of ann"}},
	}
	if got := r.service.TakeCalls()[0].Req.(*pb.MatchReserveRequest); !proto.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	if got := r.shared.Members.Matches("user of ann"); len(got) != 1 {
		t.Errorf("ann is in %q", got)
	}
}

func TestDeniedReservationHasReason(t *testing.T) {
	r := newMatch(t)
	r.service.Handle("MatchReserve", func(context.Context, any) (any, error) {
		return &pb.MatchReserveResponse{Step: r.service.Step(), Reason: "match full"}, nil
	})
	if _, reply := r.signal(reserveForAnn); reply != `{"granted":false,"reason":"match full"}` {
		t.Errorf("got %s", reply)
	}
	if got := r.shared.Members.Matches("user of ann"); len(got) != 0 {
		t.Errorf("ann is in %q", got)
	}
}

func TestReservationInOutageChangesNothing(t *testing.T) {
	r := newMatch(t)
	r.service.FailWith(codes.Unavailable, "MatchReserve")
	if _, reply := r.signal(reserveForAnn); reply != `{"granted":false,"unavailable":true}` {
		t.Errorf("got %s", reply)
	}
	if string(r.match.service.state) != "state 1" {
		t.Error("the state has changed")
	}
}
