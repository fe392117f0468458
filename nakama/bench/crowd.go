package main

import (
	"sync"
	"sync/atomic"
)

// openers is how many matches are opened at once.
const openers = 16

// gameClaims is about how many claims a game has. New matches are given from one to so many, else all their games would
// end in the same second.
const gameClaims = 24

// openMatches adds matches until there are so many.
func openMatches(s *service, matches []*match, wanted int) ([]*match, error) {
	first := len(matches)
	matches = append(matches, make([]*match, wanted-first)...)
	err := inParallel(wanted-first, openers, func(i int) error {
		m, err := openMatch(s, first+i)
		for range 1 + i%gameClaims {
			if err == nil {
				_, err = m.claimBy(s.alone(i))
			}
		}
		matches[first+i] = m
		return err
	})
	return matches, err
}

// inParallel does so many pieces of work on so many goroutines and returns one of the errors, if there are any.
func inParallel(pieces, workers int, work func(int) error) error {
	var next atomic.Int64
	var group sync.WaitGroup
	failed := make(chan error, workers)
	for range workers {
		group.Go(func() {
			for i := int(next.Add(1)) - 1; i < pieces; i = int(next.Add(1)) - 1 {
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
