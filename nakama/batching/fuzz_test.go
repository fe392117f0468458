package batching

import (
	"errors"
	"testing"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"

	"setmatch/nakama/pb"
)

func marshal(message proto.Message) []byte {
	data, err := proto.Marshal(message)
	if err != nil {
		panic(err)
	}
	return data
}

// FuzzBatch converts arbitrary responses to outcomes. Each call must have one outcome: a response, an error or a retry as a
// single RPC.
func FuzzBatch(f *testing.F) {
	step := &pb.Step{State: []byte("state"), End: true, Log: [][]byte{[]byte(`{}`)}}
	good := &pb.MatchBatchResult{Result: &pb.MatchBatchResult_Response{Response: &pb.MatchLoopResponse{Step: step}}}
	failed := &pb.MatchBatchResult{Result: &pb.MatchBatchResult_Failure{Failure: &pb.CallFailure{Code: 13, Message: "x"}}}
	f.Add(marshal(&pb.MatchBatchResponse{Results: []*pb.MatchBatchResult{good, failed}}), uint8(2))
	f.Add(marshal(&pb.MatchBatchResponse{Results: []*pb.MatchBatchResult{good}}), uint8(2))
	f.Add(marshal(&pb.MatchBatchResponse{Results: []*pb.MatchBatchResult{{}, {}, {}}}), uint8(3))
	f.Add(marshal(&pb.MatchBatchResponse{Results: []*pb.MatchBatchResult{good, good, good}}), uint8(2))
	f.Add([]byte{}, uint8(1))
	br := New(0, &fakeHost{})
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
			if o.single != (len(resp.Results) != int(count)) {
				t.Errorf("single %t with %d results for %d calls", o.single, len(resp.Results), count)
			}
			if !o.single {
				wantOutcome(t, resp.Results[i], o)
			}
			if o.single && (o.resp != nil || o.err != nil) {
				t.Errorf("a retry with a result: %+v", o)
			}
		}
	})
}

// wantOutcome checks that an outcome fits a result of the response.
func wantOutcome(t *testing.T, result *pb.MatchBatchResult, o outcome) {
	t.Helper()
	if result.GetFailure() == nil {
		if o.err != nil || o.resp != result.GetResponse() {
			t.Errorf("%v became %+v", result, o)
		}
		return
	}
	code := status.Code(o.err)
	known := code != codes.OK && code <= codes.Unauthenticated
	if o.resp != nil || !known || (result.GetFailure().Code == 0) != errors.Is(o.err, errMalformed) {
		t.Errorf("%v became %+v", result, o)
	}
}
