package main

import (
	"context"
	"testing"

	"google.golang.org/grpc/codes"
	"google.golang.org/protobuf/proto"

	"setmatch/nakama/pb"
)

const annSeeks = reserveCommand + `[{"userId":"user of ann","username":"name of ann"}]`

func TestAReservationIsForwarded(t *testing.T) {
	r := newMatch(t)
	r.pass(20)
	if _, reply := r.signal(annSeeks); reply != `{"granted":true}` {
		t.Errorf("got %s", reply)
	}
	want := &pb.MatchReserveRequest{
		MatchId: "match.node", Node: "node", NowMs: 20, UnixTimeMs: r.clock.now().UnixMilli(), State: []byte("state 1"),
		Users: []*pb.Presence{{UserId: "user of ann", Username: "name of ann"}},
	}
	if got := r.service.take()[0].req.(*pb.MatchReserveRequest); !proto.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	if got := r.shim.members.Matches("user of ann"); len(got) != 1 {
		t.Errorf("ann is in %q", got)
	}
}

func TestARefusedReservationHasItsReason(t *testing.T) {
	r := newMatch(t)
	r.service.on("MatchReserve", func(context.Context, any) (any, error) {
		return &pb.MatchReserveResponse{Step: r.service.step(), Reason: "match full"}, nil
	})
	if _, reply := r.signal(annSeeks); reply != `{"granted":false,"reason":"match full"}` {
		t.Errorf("got %s", reply)
	}
	if got := r.shim.members.Matches("user of ann"); len(got) != 0 {
		t.Errorf("ann is in %q", got)
	}
}

func TestAReservationDuringAnOutageChangesNothing(t *testing.T) {
	r := newMatch(t)
	r.service.failing(codes.Unavailable, "MatchReserve")
	if _, reply := r.signal(annSeeks); reply != `{"granted":false,"away":true}` {
		t.Errorf("got %s", reply)
	}
	if string(r.match.state) != "state 1" {
		t.Error("the state has changed")
	}
}
