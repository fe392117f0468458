package limits

import (
	"slices"
	"testing"
	"time"
)

type clock struct{ at time.Time }

func (c *clock) now() time.Time { return c.at }

func newLimits() (*Limits, *clock) {
	c := &clock{time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)}
	return New(Config{
		Matches: 3, MatchesPerUser: 2, CreatesPerMinute: 4, JoinsPerMinute: 6, CallsPerMinute: 10, CallsInFlight: 2, AddressFactor: 2,
	}, c.now), c
}

// countAllowed returns the number of allowed attempts, at most 1000, and the error of the next attempt.
func countAllowed(attempt func() *Exceeded) (int, *Exceeded) {
	for count := range 1000 {
		if exceeded := attempt(); exceeded != nil {
			return count, exceeded
		}
	}
	return 1000, nil
}

func wantExceeded(t *testing.T, exceeded *Exceeded, limit, message string) {
	t.Helper()
	if exceeded == nil || exceeded.Limit != limit || exceeded.Message != message || !slices.Contains(Names, limit) {
		t.Errorf("got %+v, want %q: %q", exceeded, limit, message)
	}
}

func TestCreatesAndJoinsOfOneUserAreLimited(t *testing.T) {
	l, c := newLimits()
	ann := Caller{UserID: "ann", Address: "192.0.2.1"}
	count, exceeded := countAllowed(func() *Exceeded { return l.Create(ann, 0) })
	if count != 4 {
		t.Errorf("%d new matches were allowed", count)
	}
	wantExceeded(t, exceeded, "creates_per_user", "too many new matches: allowed are 4 a minute for you")
	c.at = c.at.Add(15 * time.Second)
	if count, _ := countAllowed(func() *Exceeded { return l.Create(ann, 0) }); count != 1 {
		t.Errorf("%d new matches were allowed a quarter of a minute later", count)
	}
	count, exceeded = countAllowed(func() *Exceeded { return l.Join(ann) })
	if count != 6 {
		t.Errorf("%d joins were allowed", count)
	}
	wantExceeded(t, exceeded, "joins_per_user", "too many joins: allowed are 6 a minute for you")
}

func TestUsersOfOneAddressShareALimit(t *testing.T) {
	for _, address := range []string{"192.0.2.1", "2001:db8:1:2::5"} {
		l, _ := newLimits()
		count, exceeded := 0, (*Exceeded)(nil)
		for user := 'a'; exceeded == nil; user++ {
			exceeded = l.Create(Caller{UserID: string(user), Address: address}, 0)
			count++
		}
		if count != 9 {
			t.Errorf("new match %d was the first to be rejected", count)
		}
		wantExceeded(t, exceeded, "creates_per_address", "too many new matches: allowed are 8 a minute for your IP address")
		if other := l.Create(Caller{UserID: "other", Address: "198.51.100.7"}, 0); other != nil {
			t.Errorf("another address is rejected: %+v", other)
		}
	}
}

func TestIPv6AddressesOfOneNetworkShareAKey(t *testing.T) {
	cases := map[string]string{
		"2001:db8:1:2::5": "2001:db8:1:2::/64", "2001:db8:1:2:ffff::1": "2001:db8:1:2::/64",
		"::ffff:192.0.2.1": "192.0.2.1", "192.0.2.1": "192.0.2.1", "fe80::1%eth0": "fe80::/64", "": "", "unix": "",
	}
	for address, want := range cases {
		if got := AddressKey(address); got != want {
			t.Errorf("key of %q is %q, want %q", address, got, want)
		}
	}
}

func TestServersHaveOnlyTheLimitOfTheNode(t *testing.T) {
	l, _ := newLimits()
	if count, _ := countAllowed(func() *Exceeded { return l.Create(Caller{}, 2) }); count != 1000 {
		t.Errorf("%d new matches of a server were allowed", count)
	}
	wantExceeded(t, l.Create(Caller{}, 3), "matches", "this server has 3 matches, the most allowed; try again later")
	if exceeded := l.Matches("", 100); exceeded != nil {
		t.Errorf("rejected with %+v", exceeded)
	}
}

func TestMatchesOfOneUserAreLimited(t *testing.T) {
	l, _ := newLimits()
	if exceeded := l.Matches("ann", 1); exceeded != nil {
		t.Errorf("rejected with %+v", exceeded)
	}
	wantExceeded(t, l.Matches("ann", 2), "matches_per_user", "you are in 2 matches, the most allowed at the same time")
}

func TestCallsInFlightAreLimited(t *testing.T) {
	l, _ := newLimits()
	done, _ := l.Call(Caller{UserID: "ann"})
	if _, exceeded := l.Call(Caller{UserID: "bob"}); exceeded != nil {
		t.Errorf("rejected with %+v", exceeded)
	}
	_, exceeded := l.Call(Caller{UserID: "cid"})
	wantExceeded(t, exceeded, "calls_in_flight", "the server is busy; try again later")
	done()
	if _, exceeded := l.Call(Caller{UserID: "cid"}); exceeded != nil {
		t.Errorf("rejected with %+v after the end of a call", exceeded)
	}
}

func TestCallsOfOneUserAreLimited(t *testing.T) {
	l, _ := newLimits()
	count, exceeded := countAllowed(func() *Exceeded {
		done, exceeded := l.Call(Caller{UserID: "ann"})
		if exceeded == nil {
			done()
		}
		return exceeded
	})
	if count != 10 {
		t.Errorf("%d calls were allowed", count)
	}
	wantExceeded(t, exceeded, "calls_per_user", "too many lobby calls and tickets: allowed are 10 a minute for you")
}

func TestRateOfZeroAllowsAllEvents(t *testing.T) {
	r := NewRate(0, time.Now)
	if count, _ := countAllowed(func() *Exceeded {
		if r.Allow("ann") {
			return nil
		}
		return &Exceeded{}
	}); count != 1000 {
		t.Errorf("%d events were allowed", count)
	}
}

func TestKeysWithoutRecentEventsAreDeleted(t *testing.T) {
	_, c := newLimits()
	r := NewRate(60, c.now)
	r.Allow("ann")
	c.at = c.at.Add(59 * time.Second)
	for range 60 {
		r.Allow("bob")
	}
	c.at = c.at.Add(time.Second)
	r.Allow("cid")
	if r.limiters["ann"] != nil || len(r.limiters) != 2 {
		t.Errorf("%d keys are kept", len(r.limiters))
	}
	if !r.Allow("bob") || r.Allow("bob") {
		t.Error("a key with recent events has lost its count")
	}
}
