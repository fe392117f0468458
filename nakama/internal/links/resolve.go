package links

import (
	"context"
	"fmt"
	"net"
	"slices"
	"time"
)

const (
	lookupInterval = time.Second // gRPC's own resolver looks a name up again only after a connection was lost
	lookupTimeout  = time.Second
)

// LookupFunc returns the IP addresses of a name.
type LookupFunc func(ctx context.Context, host string) ([]string, error)

// LookupAt returns a lookup at one DNS server, which is given as host:port.
func LookupAt(server string) LookupFunc {
	dial := func(ctx context.Context, network, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, network, server)
	}
	resolver := &net.Resolver{PreferGo: true, Dial: dial}
	return resolver.LookupHost
}

// resolve looks the name up and changes the links. If the name has no address, the known links stay: the DNS server may have
// failed, and links to addresses that are really gone are not ready anyway.
func (p *Pool) resolve(host, port string) {
	addresses, err := p.lookUp(host)
	switch {
	case err != nil:
		p.setProblem(fmt.Sprintf("the name %s cannot be resolved: %v", host, err))
	case len(addresses) == 0:
		p.setProblem(fmt.Sprintf("the name %s has no address", host))
	default:
		p.useAddresses(addresses, port)
	}
}

func (p *Pool) lookUp(host string) ([]string, error) {
	ctx, cancel := context.WithTimeout(p.ctx, lookupTimeout)
	defer cancel()
	if p.config.Lookup != nil {
		return p.config.Lookup(ctx, host)
	}
	return net.DefaultResolver.LookupHost(ctx, host)
}

func (p *Pool) useAddresses(hosts []string, port string) {
	addresses := make([]string, 0, len(hosts))
	for _, host := range hosts {
		addresses = append(addresses, net.JoinHostPort(host, port))
	}
	slices.Sort(addresses)
	if err := p.setAddresses(slices.Compact(addresses)); err != nil {
		p.setProblem(err.Error())
	}
}
