package setmatch

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"net"
	"os"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/credentials/insecure"
)

// transportSecurity returns the dial options for TLS and token.
func (s settings) transportSecurity() ([]grpc.DialOption, error) {
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

func (s settings) transportCredentials() (credentials.TransportCredentials, error) {
	if s.tlsCA == "" {
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

func (s settings) readTLS() (credentials.TransportCredentials, error) {
	authority, err := os.ReadFile(s.tlsCA)
	roots := x509.NewCertPool()
	if err != nil || !roots.AppendCertsFromPEM(authority) {
		return nil, fmt.Errorf("SET_RULES_TLS_CA is %q, allowed is a PEM file of certificates", s.tlsCA)
	}
	config := &tls.Config{MinVersion: tls.VersionTLS12, RootCAs: roots}
	if s.tlsCert == "" {
		return credentials.NewTLS(config), nil
	}
	pair, err := tls.LoadX509KeyPair(s.tlsCert, s.tlsKey)
	if err != nil {
		return nil, fmt.Errorf("SET_RULES_TLS_CERT is %q and SET_RULES_TLS_KEY is %q, allowed are PEM files of one pair", s.tlsCert, s.tlsKey)
	}
	config.Certificates = []tls.Certificate{pair}
	return credentials.NewTLS(config), nil
}
