// Package limits bounds what one user, one IP address and all clients together can ask of this node.
package limits

import (
	"net/netip"
	"sync"
	"time"

	"golang.org/x/time/rate"
)

const sweepInterval = time.Minute

// Rate allows each key a number of events a minute, and all of them at once.
type Rate struct {
	perMinute int
	now       func() time.Time

	mu       sync.Mutex
	limiters map[string]*rate.Limiter
	swept    time.Time
}

// NewRate returns a rate; with 0 events a minute it allows everything.
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

// sweep forgets, once a minute, the keys that have all their events left.
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

// AddressKey returns what an IP address is counted as: itself, or its /64 network in IPv6, which one subscriber has. Text that
// is no address is counted as nothing.
func AddressKey(text string) string {
	address, err := netip.ParseAddr(text)
	if err != nil {
		return ""
	}
	if address = address.Unmap(); address.Is6() {
		network, _ := address.WithZone("").Prefix(64) // 64 bits are always possible
		return network.String()
	}
	return address.String()
}
