package main

import (
	"sync"
	"sync/atomic"
)

// openWorkers is the number of matches that are opened in parallel.
const openWorkers = 16

// claimsPerGame is the approximate number of claims in a game. A new match makes 1 to claimsPerGame claims; without that, the
// games of all matches would end in the same second.
const claimsPerGame = 24

// openMatches opens matches until there are `wanted` matches.
func openMatches(s *service, matches []*match, wanted int) ([]*match, error) {
	first := len(matches)
	matches = append(matches, make([]*match, wanted-first)...)
	err := inParallel(wanted-first, openWorkers, func(i int) error {
		m, err := openMatch(s, first+i)
		for range 1 + i%claimsPerGame {
			if err == nil {
				_, err = m.claimBy(s.single(i))
			}
		}
		matches[first+i] = m
		return err
	})
	return matches, err
}

// inParallel calls work(0) to work(count-1) in several goroutines and returns one of the errors, or nil.
func inParallel(count, workers int, work func(int) error) error {
	var next atomic.Int64
	var group sync.WaitGroup
	failed := make(chan error, workers)
	for range workers {
		group.Go(func() {
			for i := int(next.Add(1)) - 1; i < count; i = int(next.Add(1)) - 1 {
				if err := work(i); err != nil {
					failed <- err
					return
				}
			}
		})
	}
	group.Wait()
	close(failed)
	return <-failed
}
