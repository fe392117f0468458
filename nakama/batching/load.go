package batching

import (
	"google.golang.org/protobuf/proto"

	"setmatch/nakama/pb"
)

// What one batch may hold (decision E50). The calls of a batch wait for each other in the service and their answers come in
// one message, which gRPC bounds at 4 MiB. A call that is larger by itself goes alone.
const (
	MaxCalls  = 64      // the service takes no more
	MaxInputs = 256     // players' inputs in all its calls
	MaxBytes  = 1 << 20 // of its calls as they are sent
)

// load is what calls weigh in a batch.
type load struct {
	calls, inputs, bytes int
}

func loadOf(req *pb.MatchLoopRequest) load {
	return load{calls: 1, inputs: len(req.Inputs), bytes: proto.Size(req)}
}

func (l load) plus(other load) load {
	return load{l.calls + other.calls, l.inputs + other.inputs, l.bytes + other.bytes}
}

// fits reports whether so much may go in one batch.
func (l load) fits() bool {
	return l.calls <= MaxCalls && l.inputs <= MaxInputs && l.bytes <= MaxBytes
}
