package links

import (
	"fmt"
	"hash/fnv"
	"slices"
)

// Key selects the link that a match prefers. Equal keys prefer the same link while the links stay the same.
type Key uint64

// KeyOf returns the key of a match.
func KeyOf(matchID string) Key {
	return Key(hash(matchID))
}

func seedOf(address string, index int) uint64 {
	return mix(hash(fmt.Sprint(address, "#", index)))
}

func hash(text string) uint64 {
	h := fnv.New64a()
	_, _ = h.Write([]byte(text))
	return h.Sum64()
}

// mix is the last step of splitmix64. It makes the scores of one key on different links independent.
func mix(x uint64) uint64 {
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

// Pick returns the link for a call: of the best links, the one with the highest score for the key (rendezvous hashing). An
// added link thus receives only its share of the matches, and those of a removed link are spread evenly. Links that the caller
// has already tried are used last. `alone` means that the link is on trial, so the call must not be in a batch. Without any
// link, it returns nil.
func (p *Pool) Pick(key Key, tried []*Link) (link *Link, alone bool) {
	for {
		best := p.best(key, tried)
		if best == nil || best.health.level() != onTrial || !best.Ready() {
			return best, false
		}
		if best.health.takeTrial() {
			return best, true
		}
	}
}

func (p *Pool) best(key Key, tried []*Link) *Link {
	var best *Link
	var bestRank int
	var bestScore uint64
	for _, link := range p.list() {
		rank, score := link.rank(tried), mix(uint64(key)^link.seed)
		if best == nil || rank < bestRank || rank == bestRank && score > bestScore {
			best, bestRank, bestScore = link, rank, score
		}
	}
	return best
}

// rank returns how suitable a link is for a call, lower is better. Health counts more than earlier attempts: a link that has
// hung would delay the call again. A failed link is therefore only used again if all healthy ones have failed too.
func (l *Link) rank(tried []*Link) int {
	const notReady, perLevel = 1000, 10
	rank := perLevel * int(max(l.health.level(), onTrial))
	switch {
	case slices.Contains(tried, l):
		rank += 2
	case slices.ContainsFunc(tried, func(t *Link) bool { return t.address == l.address }):
		rank++
	}
	if !l.Ready() {
		rank += notReady
	}
	return rank
}

// HasOther reports whether there is another link that is ready and not avoided.
func (p *Pool) HasOther(link *Link) bool {
	return slices.ContainsFunc(p.list(), func(other *Link) bool {
		return other != link && other.Ready() && other.health.level() < failing
	})
}
