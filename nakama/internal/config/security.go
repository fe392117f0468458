package config

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"net"
	"net/netip"
	"os"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/credentials/insecure"
)

// TransportSecurity returns the dial options for TLS and token.
func (s Settings) TransportSecurity() ([]grpc.DialOption, error) {
	transport, err := s.transportCredentials()
	if err != nil {
		return nil, err
	}
	options := []grpc.DialOption{grpc.WithTransportCredentials(transport)}
	if token, ok := s.bearer(); ok {
		options = append(options, grpc.WithPerRPCCredentials(token))
	}
	return options, nil
}

func (s Settings) transportCredentials() (credentials.TransportCredentials, error) {
	if s.TLSCA == "" {
		return insecure.NewCredentials(), nil
	}
	initial, err := s.readTLS()
	if err != nil {
		return nil, err
	}
	return reloadingTLS{initial, s.readTLS}, nil
}

// reloadingTLS reads the certificate files for every new connection, because a restart of Nakama for renewed certificates would
// end its matches. If the files are invalid, for example while they are written, it uses the initial credentials.
type reloadingTLS struct {
	credentials.TransportCredentials
	read func() (credentials.TransportCredentials, error)
}

// ClientHandshake performs the TLS handshake of a new connection.
func (f reloadingTLS) ClientHandshake(ctx context.Context, name string, raw net.Conn) (net.Conn, credentials.AuthInfo, error) {
	current, err := f.read()
	if err != nil {
		current = f.TransportCredentials
	}
	return current.ClientHandshake(ctx, name, raw)
}

// Clone returns a copy.
func (f reloadingTLS) Clone() credentials.TransportCredentials {
	return reloadingTLS{f.TransportCredentials.Clone(), f.read}
}

func (s Settings) readTLS() (credentials.TransportCredentials, error) {
	authority, err := os.ReadFile(s.TLSCA)
	roots := x509.NewCertPool()
	if err != nil || !roots.AppendCertsFromPEM(authority) {
		return nil, fmt.Errorf("SET_RULES_TLS_CA is %q, allowed is a PEM file of certificates", s.TLSCA)
	}
	config := &tls.Config{MinVersion: tls.VersionTLS12, RootCAs: roots}
	if s.TLSCert == "" {
		return credentials.NewTLS(config), nil
	}
	pair, err := tls.LoadX509KeyPair(s.TLSCert, s.TLSKey)
	if err != nil {
		return nil, fmt.Errorf("SET_RULES_TLS_CERT is %q and SET_RULES_TLS_KEY is %q, allowed are PEM files of one pair", s.TLSCert, s.TLSKey)
	}
	config.Certificates = []tls.Certificate{pair}
	return credentials.NewTLS(config), nil
}

// checkPlaintext rejects connections to other machines without TLS, unless SET_RULES_PLAINTEXT allows them.
func (s Settings) checkPlaintext() error {
	if s.TLSCA != "" || s.TLSCert != "" || s.Plaintext {
		return nil
	}
	for _, address := range s.Addresses() {
		if host, _, _ := net.SplitHostPort(address); !isLoopback(host) {
			return fmt.Errorf("SET_RULES_ADDR is %q without TLS, allowed are addresses of this machine; "+
				"for others set SET_RULES_TLS_CA, or SET_RULES_PLAINTEXT=1 where the network is private", s.Addr)
		}
	}
	return nil
}

func isLoopback(host string) bool {
	address, err := netip.ParseAddr(host)
	return host == "localhost" || err == nil && address.IsLoopback()
}

// Hint returns a possible cause of a connection that the service closes without an error text.
func (s Settings) Hint() string {
	if s.TLSCA == "" || s.TLSCert != "" {
		return ""
	}
	return "a service with SET_MATCH_TLS_CA requires a client certificate: SET_RULES_TLS_CERT and SET_RULES_TLS_KEY"
}
