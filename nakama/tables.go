package main

import (
	"encoding/json"
	"sync"
	"time"
)

// expectation is how long a match expects the users of matched tickets at most. If it gives up earlier, its label says so.
const expectation = time.Minute

// openTables knows which matches of this node take more players. Nakama's own list lags a second behind, so it would
// make several callers of set_find_match create a match each.
type openTables struct {
	now     func() time.Time
	promise time.Duration

	mu     sync.Mutex
	next   int64
	tables map[string]*openTable
}

// openTable is one match.
type openTable struct {
	id     string
	number int64
	label  tableLabel
	held   map[string]hold // by user: places that the label does not count yet
	seated map[string]bool // by user: came in and has not left
}

// hold is a place kept for a user until they come in or the time is over.
type hold struct {
	until    time.Time
	admitted bool // the match has let them in, so that the place is theirs even if no other is free
}

// seating is who got closer to a seat in a step: their place moves from the held ones into the label.
type seating struct {
	admitted []string // users whose join attempt was allowed
	joined   []string // users who came in
}

// tableLabel is what the shim reads of a match's label.
type tableLabel struct {
	Open    int    `json:"open"`
	Players int    `json:"players"`
	Seats   int    `json:"seats"`
	Key     string `json:"key"`
}

func newOpenTables(now func() time.Time, promise time.Duration) *openTables {
	return &openTables{now: now, promise: promise, tables: make(map[string]*openTable)}
}

// add takes a new match, in which places are kept for some users.
func (t *openTables) add(id, label string, users []string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.next++
	table := &openTable{
		id: id, number: t.next, label: readLabel(label), held: make(map[string]hold), seated: make(map[string]bool),
	}
	for _, user := range users {
		table.held[user] = hold{until: t.now().Add(t.promise)}
	}
	t.tables[id] = table
}

// expect keeps the places of users whom a match expects from its creation on. That is longer than a promise: else their
// places would be given to callers of set_find_match, who would find no seat.
func (t *openTables) expect(id string, users []expectedUser) {
	t.mu.Lock()
	defer t.mu.Unlock()
	table, ok := t.tables[id]
	if !ok {
		return
	}
	for _, user := range users {
		table.hold(user.UserID, t.now().Add(expectation))
	}
}

// update takes a match's label and the seating of the same step, together, so that no place is counted twice or not
// at all in between.
func (t *openTables) update(id, label string, who seating) {
	t.mu.Lock()
	defer t.mu.Unlock()
	table, ok := t.tables[id]
	if !ok {
		return
	}
	table.label = readLabel(label)
	for _, user := range who.admitted {
		table.held[user] = hold{until: t.now().Add(t.promise), admitted: true}
	}
	for _, user := range who.joined {
		delete(table.held, user)
		table.seated[user] = true
	}
}

// left forgets a user who is gone from a match.
func (t *openTables) left(id, user string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if table, ok := t.tables[id]; ok {
		delete(table.held, user)
		delete(table.seated, user)
	}
}

// remove forgets a match.
func (t *openTables) remove(id string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	delete(t.tables, id)
}

// take returns the match with that options key in which the user already has a place, or else the oldest open one with
// a free place, which is then held for the user.
func (t *openTables) take(key, user string) (string, bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	best := t.choose(key, user)
	if best == nil {
		return "", false
	}
	best.hold(user, t.now().Add(t.promise))
	return best.id, true
}

// promised returns at how many tables a place is kept for a user who has not come in.
func (t *openTables) promised(user string) int {
	t.mu.Lock()
	defer t.mu.Unlock()
	count, now := 0, t.now()
	for _, table := range t.tables {
		if table.held[user].until.After(now) {
			count++
		}
	}
	return count
}

func (t *openTables) choose(key, user string) *openTable {
	var best *openTable
	for _, table := range t.tables {
		if table.label.Key != key {
			continue
		}
		table.forget(t.now())
		if table.expects(user) {
			return table
		}
		if table.free() > 0 && (best == nil || table.number < best.number) {
			best = table
		}
	}
	return best
}

func (t *openTable) hold(user string, until time.Time) {
	if t.seated[user] {
		return
	}
	before := t.held[user]
	if before.until.After(until) {
		until = before.until
	}
	t.held[user] = hold{until: until, admitted: before.admitted}
}

func (t *openTable) forget(now time.Time) {
	for user, hold := range t.held {
		if !now.Before(hold.until) {
			delete(t.held, user)
		}
	}
}

func (t *openTable) expects(user string) bool {
	hold, held := t.held[user]
	return hold.admitted || t.label.Open != 0 && (held || t.seated[user])
}

func (t *openTable) free() int {
	if t.label.Open == 0 {
		return 0
	}
	return t.label.Seats - t.label.Players - len(t.held)
}

// readLabel reads a label; one that says nothing of seats is a closed table.
func readLabel(label string) tableLabel {
	var read tableLabel
	if err := json.Unmarshal([]byte(label), &read); err != nil {
		return tableLabel{}
	}
	return read
}
