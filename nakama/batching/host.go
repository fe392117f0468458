package batching

import "time"

// Host is the program that a batcher makes calls for. Its methods are called from several goroutines at once.
type Host interface {
	// Shared is told of every RPC that several calls shared, with how many they were, from 2 to MaxCalls, how long it
	// took and gRPC's error, nil if it was answered. The outcome of each call is its caller's to count (decision E50).
	Shared(calls int, took time.Duration, err error)

	// Malformed makes the error of a call whose part of an answer says what a service never says. The problem names what
	// is wrong and quotes nothing of the answer.
	Malformed(problem string) error

	// Panicked is told the value of a panic while a batch was sent; its calls are made alone.
	Panicked(value any)
}
