// Package links holds the connections of the plugin to the rules service, and selects one for each call (docs/decisions.md,
// E72).
package links

import (
	"context"
	"errors"
	"fmt"
	"net"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"google.golang.org/grpc"
)

// drainTime is how long a removed link stays open for its calls in flight. It is longer than every timeout of a call.
const drainTime = 5 * time.Second

// Config describes the rules service.
type Config struct {
	Addresses   []string          // host:port of each address, or of one name
	Resolve     bool              // the only address is a name, and each of its IP addresses gets links
	Connections int               // links for each address
	Options     []grpc.DialOption // credentials
	Lookup      LookupFunc        // nil: the DNS servers of the system
	ReportPanic func(any)         // receives the panics of the pool's goroutines
}

// Pool is the links of this process to the rules service. The service is stateless, so every link can carry every call.
type Pool struct {
	config   Config
	ctx      context.Context
	cancel   context.CancelFunc
	mu       sync.Mutex // held while the links are changed
	links    atomic.Pointer[[]*Link]
	connects atomic.Int64           // how often a link became ready
	problem  atomic.Pointer[string] // why there is no link
}

// Open opens the links without waiting until they are ready.
func Open(config Config) (*Pool, error) {
	p := &Pool{config: config}
	p.ctx, p.cancel = context.WithCancel(context.Background())
	p.links.Store(new([]*Link))
	if err := p.start(); err != nil {
		p.Close()
		return nil, err
	}
	go p.every(recheckInterval, p.recheckDue)
	go p.every(balanceInterval, p.balance)
	return p, nil
}

func (p *Pool) start() error {
	if !p.config.Resolve {
		return p.setAddresses(p.config.Addresses)
	}
	host, port, err := net.SplitHostPort(p.config.Addresses[0])
	if err != nil {
		return err
	}
	p.setProblem(fmt.Sprintf("the name %s is not resolved yet", host))
	go p.every(lookupInterval, func() { p.resolve(host, port) })
	return nil
}

// every runs a function now and at intervals until the pool is closed.
func (p *Pool) every(interval time.Duration, do func()) {
	ticker := time.NewTicker(interval)
	defer ticker.Stop()
	for p.ctx.Err() == nil {
		p.recovered(do)
		select {
		case <-p.ctx.Done():
		case <-ticker.C:
		}
	}
}

func (p *Pool) recovered(do func()) {
	defer func() {
		if value := recover(); value != nil {
			p.config.ReportPanic(value)
			time.Sleep(reconnectCeiling) // a repeated panic must not use a whole core
		}
	}()
	do()
}

// setAddresses opens links to new addresses and retires the links to the others. An address that cannot be used does not affect
// the others.
func (p *Pool) setAddresses(addresses []string) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	var links []*Link
	var errs []error
	known := make(map[string]bool)
	for _, link := range p.list() {
		if slices.Contains(addresses, link.address) {
			links = append(links, link)
			known[link.address] = true
		} else {
			link.retire()
		}
	}
	for _, address := range addresses {
		if known[address] {
			continue
		}
		opened, err := p.openAll(address)
		links, errs = append(links, opened...), append(errs, err)
	}
	p.links.Store(&links)
	return errors.Join(errs...)
}

// openAll opens the links to a new address.
func (p *Pool) openAll(address string) ([]*Link, error) {
	var opened []*Link
	for index := range p.config.Connections {
		link, err := p.open(address, seedOf(address, index))
		if err != nil {
			return opened, err
		}
		opened = append(opened, link)
	}
	return opened, nil
}

// replace replaces a link by another one to the same address. It reports false if the link is not in use any more.
func (p *Pool) replace(old, fresh *Link) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	links := slices.Clone(p.list())
	index := slices.Index(links, old)
	if index < 0 {
		return false
	}
	links[index] = fresh
	p.links.Store(&links)
	old.retire()
	return true
}

func (p *Pool) list() []*Link {
	return *p.links.Load()
}

// Reachable reports whether any link is ready.
func (p *Pool) Reachable() bool {
	return slices.ContainsFunc(p.list(), (*Link).Ready)
}

// Connects returns how often a link became ready.
func (p *Pool) Connects() int64 {
	return p.connects.Load()
}

// Problem returns why there is no link.
func (p *Pool) Problem() string {
	return *p.problem.Load()
}

func (p *Pool) setProblem(text string) {
	p.problem.Store(&text)
}

// Close ends the goroutines of the pool, which close the links.
func (p *Pool) Close() {
	p.cancel()
}
