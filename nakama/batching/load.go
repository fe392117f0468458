package batching

import (
	"google.golang.org/protobuf/proto"

	"setmatch/nakama/pb"
)

// Limits of one batch (decision E50). The service answers all calls of a batch in one message, which gRPC limits to 4 MiB. A
// call that exceeds a limit alone is made as a single RPC.
const (
	MaxCalls  = 64      // calls; the service rejects larger batches
	MaxInputs = 256     // players' inputs in all calls
	MaxBytes  = 1 << 20 // serialized size of all calls
)

// load is the size of one call or of a batch.
type load struct {
	calls, inputs, bytes int
}

func loadOf(req *pb.MatchLoopRequest) load {
	return load{calls: 1, inputs: len(req.Inputs), bytes: proto.Size(req)}
}

func (l load) plus(other load) load {
	return load{l.calls + other.calls, l.inputs + other.inputs, l.bytes + other.bytes}
}

// fits reports whether the load is within the limits of one batch.
func (l load) fits() bool {
	return l.calls <= MaxCalls && l.inputs <= MaxInputs && l.bytes <= MaxBytes
}
