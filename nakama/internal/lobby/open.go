// Package lobby knows which matches of this node take more players, and in which of them a user is.
package lobby

import (
	"container/list"
	"sync"
)

// OpenMatches lists the public matches that take more players, by options key, the oldest first. Nakama's own list is a second
// behind, so that several callers of set_find_match would create a match each. Every method takes constant time.
type OpenMatches struct {
	mu      sync.Mutex
	byKey   map[string]*list.List // of match ids
	matches map[string]place
}

// place is where a match is listed.
type place struct {
	key     string
	element *list.Element // nil: the match takes no more players
}

// NewOpenMatches returns an empty list.
func NewOpenMatches() *OpenMatches {
	return &OpenMatches{byKey: make(map[string]*list.List), matches: make(map[string]place)}
}

// Update lists a match under its key, or removes it from the list if it takes no more players. A match that takes players
// again is listed last.
func (o *OpenMatches) Update(match, key string, open bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if listed, known := o.matches[match]; known && (listed.element != nil) == open {
		return
	}
	o.unlist(match)
	listed := place{key: key}
	if open {
		if o.byKey[key] == nil {
			o.byKey[key] = list.New()
		}
		listed.element = o.byKey[key].PushBack(match)
	}
	o.matches[match] = listed
}

// Remove forgets a match.
func (o *OpenMatches) Remove(match string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.unlist(match)
	delete(o.matches, match)
}

// Oldest returns the matches with a key that have taken players for the longest time, at most so many.
func (o *OpenMatches) Oldest(key string, most int) []string {
	o.mu.Lock()
	defer o.mu.Unlock()
	var oldest []string
	if o.byKey[key] != nil {
		for e := o.byKey[key].Front(); e != nil && len(oldest) < most; e = e.Next() {
			oldest = append(oldest, e.Value.(string))
		}
	}
	return oldest
}

// Key returns the options key of a match, empty for a match that is not known.
func (o *OpenMatches) Key(match string) string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.matches[match].key
}

func (o *OpenMatches) unlist(match string) {
	listed := o.matches[match]
	if listed.element == nil {
		return
	}
	matches := o.byKey[listed.key]
	if matches.Remove(listed.element); matches.Len() == 0 {
		delete(o.byKey, listed.key)
	}
}
