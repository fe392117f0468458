// Package registry stores the open matches of this node and the matches of each user.
package registry

import (
	"slices"
	"sync"
	"time"
)

// Members stores the matches of each user: as creator, with a reservation or with a connection.
type Members struct {
	now func() time.Time

	mu      sync.Mutex
	byUser  map[string]map[string]membership // by match
	byMatch map[string]map[string]bool       // by user; the keys are the matches that are not removed
	next    int64
}

// membership is the relation of a user to a match. It ends when the user is neither creator nor connected, has no reservation and
// has not lost the connection.
type membership struct {
	number   int64 // increases with each new membership
	created  bool
	joined   bool
	away     bool      // the last connection was lost
	reserved time.Time // end of the reservation
}

// counts reports whether the match counts for the limit of matches of the user.
func (m membership) counts(now time.Time) bool {
	return m.created || m.joined || now.Before(m.reserved)
}

func (m membership) isLive(now time.Time) bool {
	return m.counts(now) || m.away
}

// NewMembers returns an empty store.
func NewMembers(now func() time.Time) *Members {
	return &Members{now: now, byUser: make(map[string]map[string]membership), byMatch: make(map[string]map[string]bool)}
}

// Add registers a new match and its creator, if it has one. The match belongs to the creator until Remove. The other methods
// ignore a removed match, because a callback of a match can outlive the match.
func (m *Members) Add(match, creator string) {
	m.mu.Lock()
	m.byMatch[match] = make(map[string]bool)
	m.mu.Unlock()
	if creator != "" {
		m.change(match, creator, func(one *membership) { one.created = true })
	}
}

// Reserve registers that a seat is reserved for a user until a time.
func (m *Members) Reserve(match, user string, until time.Time) {
	m.change(match, user, func(one *membership) { one.reserved = until })
}

// Join registers that a user has a connection to a match.
func (m *Members) Join(match, user string) {
	m.change(match, user, func(one *membership) { one.joined, one.away, one.reserved = true, false, time.Time{} })
}

// Disconnect registers that the last connection of a user to a match was lost. The user can join the match again.
func (m *Members) Disconnect(match, user string) {
	m.change(match, user, func(one *membership) { one.joined, one.away, one.reserved = false, true, time.Time{} })
}

// Leave registers that the last connection of a user to a match has left.
func (m *Members) Leave(match, user string) {
	m.change(match, user, func(one *membership) { one.joined, one.away, one.reserved = false, false, time.Time{} })
}

// Remove deletes a match.
func (m *Members) Remove(match string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for user := range m.byMatch[match] {
		m.drop(match, user)
	}
	delete(m.byMatch, match)
}

// Matches returns the matches that count for the limit of matches of a user, in the order of their registration.
func (m *Members) Matches(user string) []string {
	return m.list(user, membership.counts)
}

// Resumable returns the matches of a user and those to which the last connection was lost, in the order of their registration.
func (m *Members) Resumable(user string) []string {
	return m.list(user, membership.isLive)
}

// Reservations returns the ends of the reservations for a match, by user.
func (m *Members) Reservations(match string) map[string]time.Time {
	m.mu.Lock()
	defer m.mu.Unlock()
	now := m.now()
	reserved := make(map[string]time.Time)
	for user := range m.byMatch[match] {
		if until := m.byUser[user][match].reserved; now.Before(until) {
			reserved[user] = until
		}
	}
	return reserved
}

func (m *Members) list(user string, wanted func(membership, time.Time) bool) []string {
	m.mu.Lock()
	defer m.mu.Unlock()
	now := m.now()
	var matches []string
	for match, one := range m.byUser[user] {
		if wanted(one, now) {
			matches = append(matches, match)
		}
		if !one.isLive(now) {
			m.drop(match, user)
		}
	}
	slices.SortFunc(matches, func(a, b string) int {
		return int(m.byUser[user][a].number - m.byUser[user][b].number)
	})
	return matches
}

func (m *Members) change(match, user string, change func(*membership)) {
	m.mu.Lock()
	defer m.mu.Unlock()
	users, known := m.byMatch[match]
	if !known {
		return
	}
	one, known := m.byUser[user][match]
	if !known {
		m.next++
		one.number = m.next
	}
	change(&one)
	if !one.isLive(m.now()) {
		m.drop(match, user)
		return
	}
	if m.byUser[user] == nil {
		m.byUser[user] = make(map[string]membership)
	}
	m.byUser[user][match], users[user] = one, true
}

func (m *Members) drop(match, user string) {
	if delete(m.byUser[user], match); len(m.byUser[user]) == 0 {
		delete(m.byUser, user)
	}
	delete(m.byMatch[match], user)
}
