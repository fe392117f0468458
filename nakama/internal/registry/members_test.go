package registry

import (
	"slices"
	"testing"
	"time"
)

type clock struct{ at time.Time }

func (c *clock) now() time.Time { return c.at }

// newMembers returns a store with the matches a and b, which have no creator.
func newMembers() (*Members, *clock) {
	c := &clock{time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)}
	m := NewMembers(c.now)
	m.Add("a", "")
	m.Add("b", "")
	return m, c
}

func wantMatches(t *testing.T, m *Members, want ...string) {
	t.Helper()
	if got := m.Matches("ann"); !slices.Equal(got, want) {
		t.Errorf("matches %q, want %q", got, want)
	}
}

func TestMatchesAreInOrderOfRegistration(t *testing.T) {
	m, c := newMembers()
	m.Add("c", "ann")
	m.Reserve("a", "ann", c.at.Add(time.Second))
	m.Join("b", "ann")
	m.Join("b", "bob")
	wantMatches(t, m, "c", "a", "b")
}

func TestReservationExpires(t *testing.T) {
	m, c := newMembers()
	m.Reserve("a", "ann", c.at.Add(time.Second))
	c.at = c.at.Add(time.Second)
	wantMatches(t, m)
	if len(m.byUser)+len(m.byMatch["a"]) > 0 {
		t.Errorf("kept %v and %v", m.byUser, m.byMatch)
	}
}

func TestJoinedUserIsAMemberUntilLeave(t *testing.T) {
	m, c := newMembers()
	m.Reserve("a", "ann", c.at.Add(time.Second))
	m.Join("a", "ann")
	c.at = c.at.Add(time.Hour)
	wantMatches(t, m, "a")
	m.Leave("a", "ann")
	wantMatches(t, m)
}

func TestCreatorIsAMemberUntilTheMatchIsRemoved(t *testing.T) {
	m, c := newMembers()
	m.Add("c", "ann")
	m.Join("c", "ann")
	m.Leave("c", "ann")
	wantMatches(t, m, "c")
	for _, match := range []string{"a", "b", "c", "unknown"} {
		m.Remove(match)
	}
	m.Reserve("a", "ann", c.at.Add(time.Second))
	m.Join("c", "ann")
	wantMatches(t, m)
	if len(m.byUser)+len(m.byMatch) > 0 {
		t.Errorf("kept %v and %v", m.byUser, m.byMatch)
	}
}

func TestLostConnectionIsResumableWithoutCounting(t *testing.T) {
	m, _ := newMembers()
	m.Join("a", "ann")
	m.Disconnect("a", "ann")
	wantMatches(t, m)
	if got := m.Resumable("ann"); !slices.Equal(got, []string{"a"}) {
		t.Errorf("resumable %q", got)
	}
	m.Leave("a", "ann")
	if got := m.Resumable("ann"); len(got) > 0 {
		t.Errorf("resumable after the leave: %q", got)
	}
}

func TestReservationsAreListedUntilTheyExpire(t *testing.T) {
	m, c := newMembers()
	until := c.at.Add(time.Second)
	m.Reserve("a", "ann", until)
	m.Join("a", "bob")
	if got := m.Reservations("a"); len(got) != 1 || got["ann"] != until {
		t.Errorf("got %v", got)
	}
	c.at = until
	if got := m.Reservations("a"); len(got) > 0 {
		t.Errorf("got %v after the expiry", got)
	}
}
