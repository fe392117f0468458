package batching

import (
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"setmatch/nakama/pb"
)

// outcome is the result of one call of a batch.
type outcome struct {
	resp   *pb.MatchLoopResponse
	err    error
	single bool // the call has no result yet and must be made as a single RPC
}

// outcomes returns the outcome of each call of a batch. If the service could not be reached, each call has the error of the
// batch. If the content of the batch caused the error, one call may be the reason, so each call is made as a single RPC.
func (br *Batcher) outcomes(count int, resp *pb.MatchBatchResponse, err error) []outcome {
	list := make([]outcome, count)
	switch {
	case err == nil && len(resp.GetResults()) == count:
		for i, result := range resp.Results {
			list[i] = br.outcomeOf(result)
		}
	case isUnreachable(err):
		for i := range list {
			list[i] = outcome{err: err}
		}
	default:
		for i := range list {
			list[i] = outcome{single: true}
		}
	}
	return list
}

// outcomeOf converts the part of a response that belongs to one call. A part without response and failure becomes a response
// without a step, which the match rejects as malformed.
func (br *Batcher) outcomeOf(result *pb.MatchBatchResult) outcome {
	failure := result.GetFailure()
	switch {
	case failure == nil:
		return outcome{resp: result.GetResponse()}
	case failure.Code == int32(codes.OK):
		return outcome{err: br.host.Malformed("a failure without a code")}
	default:
		return outcome{err: status.Error(knownCode(failure.Code), failure.Message)}
	}
}

// knownCode converts a number to a gRPC code. An undefined number becomes Unknown, because codes are labels of metrics.
func knownCode(number int32) codes.Code {
	if number < 0 || number > int32(codes.Unauthenticated) {
		return codes.Unknown
	}
	return codes.Code(number)
}

// isUnreachable reports whether a batch failed before the service read its content.
func isUnreachable(err error) bool {
	switch status.Code(err) {
	case codes.Unavailable, codes.DeadlineExceeded, codes.Canceled, codes.Unauthenticated, codes.PermissionDenied:
		return true
	default:
		return false
	}
}
