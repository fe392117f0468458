package batching

import (
	"errors"
	"testing"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"

	"setmatch/nakama/pb"
)

func wire(message proto.Message) []byte {
	data, err := proto.Marshal(message)
	if err != nil {
		panic(err)
	}
	return data
}

// FuzzBatch shares any answer out among calls, and wants one outcome for each: its own answer, an error or the word to
// call alone.
func FuzzBatch(f *testing.F) {
	step := &pb.Step{State: []byte("state"), End: true, Log: [][]byte{[]byte(`{}`)}}
	good := &pb.MatchBatchResult{Result: &pb.MatchBatchResult_Response{Response: &pb.MatchLoopResponse{Step: step}}}
	failed := &pb.MatchBatchResult{Result: &pb.MatchBatchResult_Failure{Failure: &pb.CallFailure{Code: 13, Message: "x"}}}
	f.Add(wire(&pb.MatchBatchResponse{Results: []*pb.MatchBatchResult{good, failed}}), uint8(2))
	f.Add(wire(&pb.MatchBatchResponse{Results: []*pb.MatchBatchResult{good}}), uint8(2))
	f.Add(wire(&pb.MatchBatchResponse{Results: []*pb.MatchBatchResult{{}, {}, {}}}), uint8(3))
	f.Add(wire(&pb.MatchBatchResponse{Results: []*pb.MatchBatchResult{good, good, good}}), uint8(2))
	f.Add([]byte{}, uint8(1))
	br := New(0, &host{})
	f.Fuzz(func(t *testing.T, data []byte, count uint8) {
		resp := &pb.MatchBatchResponse{}
		if proto.Unmarshal(data, resp) != nil {
			return
		}
		list := br.outcomes(int(count), resp, nil)
		if len(list) != int(count) {
			t.Fatalf("%d outcomes for %d calls", len(list), count)
		}
		for i, o := range list {
			if o.alone != (len(resp.Results) != int(count)) {
				t.Errorf("alone %t with %d parts for %d calls", o.alone, len(resp.Results), count)
			}
			if !o.alone {
				wantPart(t, resp.Results[i], o)
			}
			if o.alone && (o.resp != nil || o.err != nil) {
				t.Errorf("both answered and not: %+v", o)
			}
		}
	})
}

// wantPart wants the outcome that a part of an answer stands for.
func wantPart(t *testing.T, part *pb.MatchBatchResult, o outcome) {
	t.Helper()
	if part.GetFailure() == nil {
		if o.err != nil || o.resp != part.GetResponse() {
			t.Errorf("%v became %+v", part, o)
		}
		return
	}
	code := status.Code(o.err)
	known := code != codes.OK && code <= codes.Unauthenticated
	if o.resp != nil || !known || (part.GetFailure().Code == 0) != errors.Is(o.err, errMalformed) {
		t.Errorf("%v became %+v", part, o)
	}
}
