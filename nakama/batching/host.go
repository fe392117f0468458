package batching

import "time"

// Host receives the events of a batcher. Its methods are called from several goroutines at the same time.
type Host interface {
	// Shared is called after every MatchBatch RPC, with the number of its calls (2 to MaxCalls), its duration and its gRPC
	// error (nil on success). The caller of each call counts the outcome of that call (decision E50).
	Shared(calls int, took time.Duration, err error)

	// Malformed returns the error of a call whose part of the response is invalid. The text `problem` describes the mistake
	// and contains no data of the response.
	Malformed(problem string) error

	// Panicked is called with the value of a panic during a flush. The calls of the batch are then made as single RPCs.
	Panicked(value any)
}
