package setmatch

import (
	"fmt"
	"net"
	"net/netip"
)

// checkPlaintext rejects connections to other machines without TLS, unless SET_RULES_PLAINTEXT allows them.
func (s settings) checkPlaintext() error {
	if s.tlsCA != "" || s.tlsCert != "" || s.plaintext {
		return nil
	}
	for _, address := range s.addresses() {
		if host, _, _ := net.SplitHostPort(address); !isLoopback(host) {
			return fmt.Errorf("SET_RULES_ADDR is %q without TLS, allowed are addresses of this machine; "+
				"for others set SET_RULES_TLS_CA, or SET_RULES_PLAINTEXT=1 where the network is private", s.addr)
		}
	}
	return nil
}

func isLoopback(host string) bool {
	address, err := netip.ParseAddr(host)
	return host == "localhost" || err == nil && address.IsLoopback()
}

// hint returns a possible cause of a connection that the service closes without an error text.
func (s settings) hint() string {
	if s.tlsCA == "" || s.tlsCert != "" {
		return ""
	}
	return "a service with SET_MATCH_TLS_CA requires a client certificate: SET_RULES_TLS_CERT and SET_RULES_TLS_KEY"
}
