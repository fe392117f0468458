package main

import (
	"encoding/json"
	"sync"
	"time"
)

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
	id       string
	number   int64
	label    tableLabel
	promised map[string]time.Time // by user: until when a place is kept
	seated   map[string]bool      // by user: was let in and has not left
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

// add takes a new match, and keeps a place for a user if one is given.
func (t *openTables) add(id, label, promiseTo string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.next++
	table := &openTable{
		id: id, number: t.next, label: readLabel(label),
		promised: make(map[string]time.Time), seated: make(map[string]bool),
	}
	if promiseTo != "" {
		table.promised[promiseTo] = t.now().Add(t.promise)
	}
	t.tables[id] = table
}

// update takes a match's label, and who was let in with it: their place is in the label from now on.
func (t *openTables) update(id, label string, admitted ...string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	table, ok := t.tables[id]
	if !ok {
		return
	}
	table.label = readLabel(label)
	for _, user := range admitted {
		delete(table.promised, user)
		table.seated[user] = true
	}
}

// left forgets a user who is gone from a match.
func (t *openTables) left(id, user string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if table, ok := t.tables[id]; ok {
		delete(table.seated, user)
	}
}

// remove forgets a match.
func (t *openTables) remove(id string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	delete(t.tables, id)
}

// take returns the open match with that options key in which the user already has a place, or else the oldest one with
// a free place, which is kept for the user.
func (t *openTables) take(key, user string) (string, bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	best := t.choose(key, user)
	if best == nil {
		return "", false
	}
	if !best.seated[user] {
		best.promised[user] = t.now().Add(t.promise)
	}
	return best.id, true
}

func (t *openTables) choose(key, user string) *openTable {
	var best *openTable
	for _, table := range t.tables {
		if table.label.Key != key || table.label.Open == 0 {
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

func (t *openTable) forget(now time.Time) {
	for user, until := range t.promised {
		if !now.Before(until) {
			delete(t.promised, user)
		}
	}
}

func (t *openTable) expects(user string) bool {
	_, promised := t.promised[user]
	return promised || t.seated[user]
}

func (t *openTable) free() int {
	return t.label.Seats - t.label.Players - len(t.promised)
}

// readLabel reads a label; one that says nothing of seats is a closed table.
func readLabel(label string) tableLabel {
	var read tableLabel
	if err := json.Unmarshal([]byte(label), &read); err != nil {
		return tableLabel{}
	}
	return read
}
