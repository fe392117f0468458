package registry

import (
	"container/list"
	"sync"
)

// OpenMatches lists the public open matches by options key, the oldest first. Nakama's own list has a delay of a second, so with
// that list concurrent calls of set_find_match would each create a match. Every method takes constant time.
type OpenMatches struct {
	mu      sync.Mutex
	byKey   map[string]*list.List // of match ids
	matches map[string]listing
}

// listing is the entry of a match.
type listing struct {
	key     string
	element *list.Element // nil: the match is not open
}

// NewOpenMatches returns an empty list.
func NewOpenMatches() *OpenMatches {
	return &OpenMatches{byKey: make(map[string]*list.List), matches: make(map[string]listing)}
}

// Add registers a new match, which is not open.
func (o *OpenMatches) Add(match string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.matches[match] = listing{}
}

// Update adds an open match to the list of its key, or removes a match that is not open from it. A match that is open again
// becomes the last one. Update ignores a removed match, because a callback of a match can outlive the match.
func (o *OpenMatches) Update(match, key string, open bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	listed, known := o.matches[match]
	if !known || listed.key == key && (listed.element != nil) == open {
		return
	}
	o.unlist(match)
	listed = listing{key: key}
	if open {
		if o.byKey[key] == nil {
			o.byKey[key] = list.New()
		}
		listed.element = o.byKey[key].PushBack(match)
	}
	o.matches[match] = listed
}

// Remove deletes a match.
func (o *OpenMatches) Remove(match string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.unlist(match)
	delete(o.matches, match)
}

// Oldest returns the matches of a key that have been open for the longest time, at most `most`.
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

// Key returns the options key of a match, or an empty text for an unknown match.
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
