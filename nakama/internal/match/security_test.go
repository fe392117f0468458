package match

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials"

	"setmatch/nakama/internal/config"
	"setmatch/nakama/internal/fake"
	"setmatch/nakama/internal/rules"
)

func TestTokenIsSentWithCalls(t *testing.T) {
	f := fake.StartService(t)
	r := dial(t, config.Settings{Addr: f.Addr, Token: "sesame"})
	r.waitUntil("an answer", func() bool { return callOptions(r, 0) == nil })
	if got := f.TakeCalls()[0].Header.Get("authorization"); len(got) != 1 || got[0] != "Bearer sesame" {
		t.Errorf("sent %q", got)
	}
}

func TestNoHeaderWithoutToken(t *testing.T) {
	f := fake.StartService(t)
	r := dial(t, config.Settings{Addr: f.Addr})
	r.waitUntil("an answer", func() bool { return callOptions(r, 0) == nil })
	if got := f.TakeCalls()[0].Header.Get("authorization"); len(got) != 0 {
		t.Errorf("sent %q", got)
	}
}

// writePair writes a self-signed certificate for 127.0.0.1 and its key as PEM files.
func writePair(t *testing.T) (certFile, keyFile string) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "test"}, IsCA: true, BasicConstraintsValid: true,
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, DNSNames: []string{"rules.test"},
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth},
	}
	cert, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	secret, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	return writePEM(t, "CERTIFICATE", cert), writePEM(t, "PRIVATE KEY", secret)
}

func writePEM(t *testing.T, kind string, content []byte) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "file.pem")
	block := pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: content})
	if err := os.WriteFile(file, block, 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

// startSecure starts a service that accepts only clients with its own certificate.
func startSecure(t *testing.T) (f *fake.Service, certFile, keyFile string) {
	t.Helper()
	certFile, keyFile = writePair(t)
	return fake.StartService(t, secured(t, certFile, keyFile)), certFile, keyFile
}

func secured(t *testing.T, certFile, keyFile string) grpc.ServerOption {
	t.Helper()
	pair, err := tls.LoadX509KeyPair(certFile, keyFile)
	if err != nil {
		t.Fatal(err)
	}
	roots := x509.NewCertPool()
	roots.AddCert(pair.Leaf)
	return grpc.Creds(credentials.NewTLS(&tls.Config{
		MinVersion: tls.VersionTLS12, Certificates: []tls.Certificate{pair},
		ClientAuth: tls.RequireAndVerifyClientCert, ClientCAs: roots,
	}))
}

func TestMutualTLSIsUsed(t *testing.T) {
	f, certFile, keyFile := startSecure(t)
	r := dial(t, config.Settings{Addr: f.Addr, TLSCA: certFile, TLSCert: certFile, TLSKey: keyFile})
	r.waitReady(1)
	if err := callOptions(r, 0); err != nil {
		t.Error(err)
	}
}

// The certificate of a service behind a name is valid for the name, not for the addresses that the name has.
func TestResolvedAddressIsCheckedAgainstConfiguredName(t *testing.T) {
	certFile, keyFile := writePair(t)
	f := fake.NewService()
	f.Serve(t, "127.0.0.9:0", secured(t, certFile, keyFile))
	t.Cleanup(func() { f.Server.Stop() })
	_, port, _ := net.SplitHostPort(f.Addr)
	for name, trusted := range map[string]bool{"rules.test": true, "other.test": false} {
		r := dial(t, config.Settings{Addr: f.Addr})
		s := config.Settings{Addr: "dns:///" + name + ":" + port, TLSCA: certFile, TLSCert: certFile, TLSKey: keyFile}
		lookups := make(chan struct{}, 100)
		r.useRules(s, func(context.Context, string) ([]string, error) {
			lookups <- struct{}{}
			return []string{"127.0.0.9"}, nil
		})
		<-lookups
		<-lookups
		if err := callOptions(r, 0); (err == nil) != trusted {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestRenewedCertificateIsUsedWithoutRestart(t *testing.T) {
	f, certFile, keyFile := startSecure(t)
	r := dial(t, config.Settings{Addr: f.Addr, TLSCA: certFile, TLSCert: certFile, TLSKey: keyFile})
	r.waitReady(1)
	f.Server.Stop()
	newCert, newKey := writePair(t)
	if err := errors.Join(os.Rename(newCert, certFile), os.Rename(newKey, keyFile)); err != nil {
		t.Fatal(err)
	}
	f.Serve(t, f.Addr, secured(t, certFile, keyFile))
	r.waitUntil("an answer", func() bool { return callOptions(r, 0) == nil })
}

func TestBrokenCertificateFileKeepsOldCertificate(t *testing.T) {
	f, certFile, keyFile := startSecure(t)
	option := secured(t, certFile, keyFile)
	r := dial(t, config.Settings{Addr: f.Addr, TLSCA: certFile, TLSCert: certFile, TLSKey: keyFile})
	r.waitReady(1)
	f.Server.Stop()
	if err := os.WriteFile(certFile, []byte("incomplete"), 0o600); err != nil {
		t.Fatal(err)
	}
	f.Serve(t, f.Addr, option)
	r.waitUntil("an answer", func() bool { return callOptions(r, 0) == nil })
}

func TestUntrustedPeerIsRejected(t *testing.T) {
	f, certFile, keyFile := startSecure(t)
	otherCert, otherKey := writePair(t)
	for name, s := range map[string]config.Settings{
		"plain text":            {Addr: f.Addr},
		"another authority":     {Addr: f.Addr, TLSCA: otherCert, TLSCert: certFile, TLSKey: keyFile},
		"no certificate":        {Addr: f.Addr, TLSCA: certFile},
		"untrusted certificate": {Addr: f.Addr, TLSCA: certFile, TLSCert: otherCert, TLSKey: otherKey},
	} {
		r := dial(t, s)
		if err := callOptions(r, 0); err == nil {
			t.Errorf("%s: the call succeeded", name)
		}
	}
}

func TestInvalidCertificateFileIsNamed(t *testing.T) {
	certFile, keyFile := writePair(t)
	for name, s := range map[string]config.Settings{
		"SET_RULES_TLS_CA":   {TLSCA: keyFile},
		"SET_RULES_TLS_CERT": {TLSCA: certFile, TLSCert: keyFile, TLSKey: certFile},
	} {
		s.Addr, s.Connections = "127.0.0.1:1", 1
		if _, err := rules.Dial(s, nil, fake.FailOnPanic(t)); err == nil || !strings.Contains(err.Error(), name+" is ") {
			t.Errorf("%s: got %v", name, err)
		}
	}
}

func TestChangedTokenFileIsReadAgain(t *testing.T) {
	path := filepath.Join(t.TempDir(), "token")
	if err := os.WriteFile(path, []byte("old"), 0o600); err != nil {
		t.Fatal(err)
	}
	f := fake.StartService(t)
	r := dial(t, config.Settings{Addr: f.Addr, TokenFile: path})
	sends := func(token string) bool {
		_ = callOptions(r, 0)
		calls := f.TakeCalls()
		return len(calls) == 1 && strings.Join(calls[0].Header.Get("authorization"), "") == "Bearer "+token
	}
	r.waitUntil("the old token", func() bool { return sends("old") })
	if err := os.WriteFile(path, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if !sends("old") {
		t.Error("an empty file changed the token")
	}
	if err := os.WriteFile(path, []byte("new\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	r.waitUntil("the new token", func() bool { return sends("new") })
}
