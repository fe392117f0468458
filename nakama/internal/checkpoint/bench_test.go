package checkpoint

import (
	"crypto/rand"
	"fmt"
	"testing"

	"setmatch/nakama/pb"
)

// heavy is an image whose row has 5 KB.
type heavy struct{ message *pb.Checkpoint }

func (h heavy) Encode() ([]byte, error) { return Encode(h.message) }

func heavyImage(match string) heavy {
	state := make([]byte, 5_000)
	_, _ = rand.Read(state)
	return heavy{&pb.Checkpoint{MatchId: match, State: state}}
}

// BenchmarkUpdate measures one call of Update, without the flusher.
func BenchmarkUpdate(b *testing.B) {
	s := &Store{entries: make(map[string]*Entry)}
	e := s.add(match1, 0, func() {})
	next := heavyImage(match1)
	b.ReportAllocs()
	for b.Loop() {
		e.Update(next)
	}
}

// BenchmarkFlush measures the write of changed rows of 5 KB.
func BenchmarkFlush(b *testing.B) {
	for _, count := range []int{1, 10, 100, 1000} {
		b.Run(fmt.Sprint(count), func(b *testing.B) {
			reset(b)
			p := start(b, "n")
			p.freeze() // the benchmark is the flusher
			entries, images := make([]*Entry, count), make([]heavy, count)
			for i := range count {
				entries[i] = p.add(fmt.Sprint(i))
				images[i] = heavyImage(entries[i].match)
			}
			for b.Loop() {
				for i, e := range entries {
					e.Update(images[i])
				}
				p.store.writeRound()
			}
			b.StopTimer()
			equal(b, "failed writes", p.meters.failures(), 0)
		})
	}
}
