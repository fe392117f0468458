// Package limits limits the matches and calls of one user, of one IP address and of all clients of this node.
package limits

import (
	"net/netip"
	"sync"
	"time"

	"golang.org/x/time/rate"
)

const sweepInterval = time.Minute

// Rate limits the events of each key per minute. The events of a minute may occur at the same time.
type Rate struct {
	perMinute int
	now       func() time.Time

	mu       sync.Mutex
	limiters map[string]*rate.Limiter
	swept    time.Time
}

// NewRate returns a rate. With 0 events per minute it allows all events.
func NewRate(perMinute int, now func() time.Time) *Rate {
	return &Rate{perMinute: perMinute, now: now, limiters: make(map[string]*rate.Limiter)}
}

// Allow counts an event of a key and reports whether it is within the rate. An empty key is always allowed.
func (r *Rate) Allow(key string) bool {
	if r.perMinute == 0 || key == "" {
		return true
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	now := r.now()
	r.sweep(now)
	limiter, known := r.limiters[key]
	if !known {
		limiter = rate.NewLimiter(rate.Every(time.Minute/time.Duration(r.perMinute)), r.perMinute)
		r.limiters[key] = limiter
	}
	return limiter.AllowN(now, 1)
}

// sweep deletes, once a minute, the keys without recent events.
func (r *Rate) sweep(now time.Time) {
	if now.Sub(r.swept) < sweepInterval {
		return
	}
	r.swept = now
	for key, limiter := range r.limiters {
		if limiter.TokensAt(now) >= float64(r.perMinute) {
			delete(r.limiters, key)
		}
	}
}

// AddressKey returns the key under which an IP address is counted: an IPv4 address itself, or the /64 network of an IPv6 address,
// because a subscriber has a /64 network. It returns an empty key for other text.
func AddressKey(text string) string {
	address, err := netip.ParseAddr(text)
	if err != nil {
		return ""
	}
	if address = address.Unmap(); address.Is6() {
		network, _ := address.WithZone("").Prefix(64) // never fails for 64 bits
		return network.String()
	}
	return address.String()
}
