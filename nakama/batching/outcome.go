package batching

import (
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"setmatch/nakama/pb"
)

// outcome is what became of a member: an answer, an error, or the word to make the call alone.
type outcome struct {
	resp  *pb.MatchLoopResponse
	err   error
	alone bool
}

// outcomes shares the answer to a batch out. If the service could not be reached, none of the calls was answered, as if
// each had been alone. If the batch failed by its content, one call may be to blame, so each is made alone.
func (br *Batcher) outcomes(count int, resp *pb.MatchBatchResponse, err error) []outcome {
	list := make([]outcome, count)
	switch {
	case err == nil && len(resp.GetResults()) == count:
		for i, result := range resp.Results {
			list[i] = br.outcomeOf(result)
		}
	case isAway(err):
		for i := range list {
			list[i] = outcome{err: err}
		}
	default:
		for i := range list {
			list[i] = outcome{alone: true}
		}
	}
	return list
}

// outcomeOf reads the part of an answer that belongs to one call. A part that is neither an answer nor a failure is an
// answer without a step, which the match refuses like any malformed reply.
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

// knownCode reads a status code. What gRPC does not know is Unknown, as codes are names of metrics.
func knownCode(number int32) codes.Code {
	if number < 0 || number > int32(codes.Unauthenticated) {
		return codes.Unknown
	}
	return codes.Code(number)
}

// isAway reports whether a call failed without having been looked at: whatever was in it, it would have failed.
func isAway(err error) bool {
	switch status.Code(err) {
	case codes.Unavailable, codes.DeadlineExceeded, codes.Canceled, codes.Unauthenticated, codes.PermissionDenied:
		return true
	default:
		return false
	}
}
