package main

import (
	"fmt"
	"net/netip"
	"strings"
)

// checkPlaintext refuses to speak to other machines without TLS unless that was asked for.
func (s settings) checkPlaintext() error {
	if s.tlsCA != "" || s.tlsCert != "" || s.plaintext {
		return nil
	}
	for _, one := range s.addresses() {
		if !isLoopback(hostOf(strings.TrimPrefix(one, dnsScheme))) {
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

// hint says what a service that hangs up without a word may be missing.
func (s settings) hint() string {
	if s.tlsCA == "" || s.tlsCert != "" {
		return ""
	}
	return "a service with SET_MATCH_TLS_CA wants a client certificate: SET_RULES_TLS_CERT and SET_RULES_TLS_KEY"
}
