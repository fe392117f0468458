package limits

import (
	"fmt"
	"time"
)

// Config has the value of each limit. 0 disables a limit per minute.
type Config struct {
	Matches          int // live matches of this node
	MatchesPerUser   int // live matches of one user
	CreatesPerMinute int // new matches of one user
	JoinsPerMinute   int // join attempts of one user
	CallsPerMinute   int // lobby RPCs and matchmaker tickets of one user
	CallsInFlight    int // lobby RPCs and matchmaker tickets of all clients in flight
	AddressFactor    int // limit of one IP address as a multiple of that of one user
}

// Exceeded is the error of a call above a limit.
type Exceeded struct {
	Limit   string // name in the metrics
	Message string // for the client
}

// Error returns the message for the client.
func (e *Exceeded) Error() string { return e.Message }

// Names lists the names of all limits.
var Names = []string{
	matchesName, matchesPerUserName, "creates_per_user", "creates_per_address", "joins_per_user", "joins_per_address",
	"calls_per_user", "calls_per_address", inFlightName,
}

const (
	matchesName        = "matches"
	matchesPerUserName = "matches_per_user"
	inFlightName       = "calls_in_flight"
)

// Caller identifies the caller of a call. A server that uses Nakama's HTTP key has no user id; limits per minute do not apply to it.
type Caller struct {
	UserID  string
	Address string // IP address; empty: unknown
}

// Limits are the limits of one node.
type Limits struct {
	config                Config
	creates, joins, calls callerRate
	inFlight              chan struct{}
}

// New returns limits with the given values.
func New(config Config, now func() time.Time) *Limits {
	rate := func(name, event string, perMinute int) callerRate {
		return callerRate{
			name: name, event: event, user: NewRate(perMinute, now),
			address: NewRate(perMinute*config.AddressFactor, now),
		}
	}
	return &Limits{
		config:   config,
		creates:  rate("creates", "new matches", config.CreatesPerMinute),
		joins:    rate("joins", "joins", config.JoinsPerMinute),
		calls:    rate("calls", "lobby calls and tickets", config.CallsPerMinute),
		inFlight: make(chan struct{}, config.CallsInFlight),
	}
}

// Create counts a new match of a caller. `live` is the number of live matches of this node.
func (l *Limits) Create(caller Caller, live int) *Exceeded {
	if live >= l.config.Matches {
		return &Exceeded{matchesName, fmt.Sprintf("this server has %d matches, the most allowed; try again later", live)}
	}
	return l.creates.count(caller)
}

// Join counts a join attempt of a caller.
func (l *Limits) Join(caller Caller) *Exceeded {
	return l.joins.count(caller)
}

// Matches checks the limit of live matches of one user. `live` is the number of the user's live matches. Servers, which have no
// user id, have no such limit.
func (l *Limits) Matches(userID string, live int) *Exceeded {
	if userID == "" || live < l.config.MatchesPerUser {
		return nil
	}
	return &Exceeded{matchesPerUserName, fmt.Sprintf("you are in %d matches, the most allowed at the same time", live)}
}

// Call counts a lobby call of a caller. If the call is allowed, the caller must call `done` at its end.
func (l *Limits) Call(caller Caller) (done func(), exceeded *Exceeded) {
	if caller.UserID == "" {
		return func() {}, nil
	}
	if exceeded := l.calls.count(caller); exceeded != nil {
		return nil, exceeded
	}
	select {
	case l.inFlight <- struct{}{}:
		return func() { <-l.inFlight }, nil
	default:
		return nil, &Exceeded{inFlightName, "the server is busy; try again later"}
	}
}

// callerRate is a rate for users with one for IP addresses.
type callerRate struct {
	name, event   string
	user, address *Rate
}

func (r callerRate) count(caller Caller) *Exceeded {
	if caller.UserID == "" {
		return nil
	}
	if !r.user.Allow(caller.UserID) {
		return r.exceeded("user", "you", r.user)
	}
	if !r.address.Allow(AddressKey(caller.Address)) {
		return r.exceeded("address", "your IP address", r.address)
	}
	return nil
}

func (r callerRate) exceeded(kind, whose string, rate *Rate) *Exceeded {
	return &Exceeded{
		fmt.Sprintf("%s_per_%s", r.name, kind),
		fmt.Sprintf("too many %s: allowed are %d a minute for %s", r.event, rate.perMinute, whose),
	}
}
