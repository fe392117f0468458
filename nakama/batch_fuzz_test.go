package main

import (
	"testing"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"

	"setmatch/nakama/pb"
)

// FuzzBatch shares any answer out among calls, and wants one outcome for each: an answer, an error or the word to call
// alone. What a match then applies is whole, or nothing.
func FuzzBatch(f *testing.F) {
	good := &pb.MatchBatchResult{Result: &pb.MatchBatchResult_Response{Response: &pb.MatchLoopResponse{Step: wholeStep()}}}
	failed := &pb.MatchBatchResult{Result: &pb.MatchBatchResult_Failure{Failure: &pb.CallFailure{Code: 13, Message: "x"}}}
	f.Add(wire(&pb.MatchBatchResponse{Results: []*pb.MatchBatchResult{good, failed}}), uint8(2))
	f.Add(wire(&pb.MatchBatchResponse{Results: []*pb.MatchBatchResult{good}}), uint8(2))
	f.Add(wire(&pb.MatchBatchResponse{Results: []*pb.MatchBatchResult{{}, {}, {}}}), uint8(3))
	f.Add([]byte{}, uint8(1))
	f.Fuzz(func(t *testing.T, data []byte, count uint8) {
		resp := &pb.MatchBatchResponse{}
		if proto.Unmarshal(data, resp) != nil {
			return
		}
		list := outcomes(int(count), resp, nil)
		if len(list) != int(count) {
			t.Fatalf("%d outcomes for %d calls", len(list), count)
		}
		for _, o := range list {
			if o.alone != (len(resp.Results) != int(count)) {
				t.Errorf("alone %t with %d parts for %d calls", o.alone, len(resp.Results), count)
			}
			wantOutcomeWhole(t, o)
		}
	})
}

func wantOutcomeWhole(t *testing.T, o outcome) {
	t.Helper()
	if o.alone && (o.resp != nil || o.err != nil) || o.err != nil && o.resp != nil {
		t.Errorf("both answered and not: %+v", o)
	}
	if code := status.Code(o.err); code > codes.Unauthenticated || o.err != nil && code == codes.OK {
		t.Errorf("an error with the code %v", code)
	}
	step, err := checked(o.resp.GetStep(), o.err)
	if o.alone || err != nil {
		return
	}
	m, _, out := fuzzedMatch(t)
	m.apply(step, out, seating{})
	wantWhole(t, m, step, out)
}
