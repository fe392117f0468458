// Package config reads the settings of the plugin: addresses, TLS, token and limits.
package config

import (
	"cmp"
	"fmt"
	"maps"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/heroiclabs/nakama-common/runtime"

	"setmatch/nakama/batching"
	"setmatch/nakama/internal/limits"
)

// MaxBatchMs is the maximum of Settings.BatchMs, in milliseconds.
const MaxBatchMs = 20

const (
	defaultRulesAddr    = "127.0.0.1:7400"
	defaultConnections  = 4
	maxConnections      = 64
	defaultBatchMs      = batching.DefaultWindowMs
	defaultRecordDays   = 30
	maxRecordDays       = 3650
	defaultCheckpointMs = 20
	maxCheckpointMs     = 1000
	dnsScheme           = "dns://"
)

// Settings are the operator's settings in Nakama's runtime.env (docs/design.md, section 4).
type Settings struct {
	Addr         string        // SET_RULES_ADDR, as host:port list, dns:///name:port or dns://server:port/name:port
	Connections  int           // SET_RULES_CONNECTIONS, per address
	BatchMs      int           // SET_RULES_BATCH_MS, how long a call waits for a batch, in milliseconds; 0: no batches
	Token        string        // SET_RULES_TOKEN
	TokenFile    string        // SET_RULES_TOKEN_FILE, path of a file that contains the token
	TLSCA        string        // SET_RULES_TLS_CA, path of a PEM file
	TLSCert      string        // SET_RULES_TLS_CERT, path of a PEM file
	TLSKey       string        // SET_RULES_TLS_KEY, path of a PEM file
	Plaintext    bool          // SET_RULES_PLAINTEXT, allows other machines without TLS
	AllowRelayed bool          // SET_RULES_ALLOW_RELAYED, allows relayed matches
	Trace        bool          // SET_RULES_TRACE, adds a trace header to calls
	RecordDays   int           // SET_RULES_RECORD_DAYS, how long records and daily leaderboards are kept; 0: forever
	CheckpointMs int           // SET_RULES_CHECKPOINT_MS, between two writes of the changed matches, in milliseconds; 0: not saved
	RescueDir    string        // SET_RULES_RESCUE_DIR, folder for effects that are set aside; empty: none
	Limits       limits.Config // SET_RULES_MATCHES and further settings (docs/operations.md)
}

// settingNames are the names of all settings.
var settingNames = []string{
	"SET_RULES_ADDR", "SET_RULES_CONNECTIONS", "SET_RULES_BATCH_MS", "SET_RULES_TOKEN", "SET_RULES_TOKEN_FILE",
	"SET_RULES_TLS_CA", "SET_RULES_TLS_CERT", "SET_RULES_TLS_KEY", "SET_RULES_PLAINTEXT", "SET_RULES_ALLOW_RELAYED", "SET_RULES_TRACE",
	"SET_RULES_RECORD_DAYS", "SET_RULES_CHECKPOINT_MS", "SET_RULES_RESCUE_DIR", "SET_RULES_MATCHES", "SET_RULES_MATCHES_PER_USER",
	"SET_RULES_CREATES_PER_MINUTE", "SET_RULES_JOINS_PER_MINUTE", "SET_RULES_CALLS_PER_MINUTE", "SET_RULES_CALLS_IN_FLIGHT",
	"SET_RULES_ADDRESS_FACTOR",
}

// WarnUnknown logs names that begin like a setting but are none, for example because of a typing error.
func WarnUnknown(env map[string]string, logger runtime.Logger) {
	for _, name := range slices.Sorted(maps.Keys(env)) {
		if strings.HasPrefix(name, "SET_RULES_") && !slices.Contains(settingNames, name) {
			logger.Warn("set: %s is not a setting, allowed are %s", name, strings.Join(settingNames, ", "))
		}
	}
}

// Read parses the settings. The error contains the name of the setting, its value and the allowed values.
func Read(env map[string]string) (Settings, error) {
	read := envReader{env: env}
	s := Settings{
		Addr:         cmp.Or(strings.TrimSpace(env["SET_RULES_ADDR"]), defaultRulesAddr),
		Connections:  read.number("SET_RULES_CONNECTIONS", defaultConnections, 1, maxConnections),
		BatchMs:      read.number("SET_RULES_BATCH_MS", defaultBatchMs, 0, MaxBatchMs),
		Token:        withoutNewline(env["SET_RULES_TOKEN"]),
		TokenFile:    env["SET_RULES_TOKEN_FILE"],
		TLSCA:        env["SET_RULES_TLS_CA"],
		TLSCert:      env["SET_RULES_TLS_CERT"],
		TLSKey:       env["SET_RULES_TLS_KEY"],
		Plaintext:    read.flag("SET_RULES_PLAINTEXT"),
		AllowRelayed: read.flag("SET_RULES_ALLOW_RELAYED"),
		Trace:        read.flag("SET_RULES_TRACE"),
		RecordDays:   read.number("SET_RULES_RECORD_DAYS", defaultRecordDays, 0, maxRecordDays),
		CheckpointMs: read.number("SET_RULES_CHECKPOINT_MS", defaultCheckpointMs, 0, maxCheckpointMs),
		RescueDir:    env["SET_RULES_RESCUE_DIR"],
		Limits:       read.limits(),
	}
	if read.err != nil {
		return s, read.err
	}
	return s, s.check()
}

// envReader parses settings that are not plain text, and keeps the first error.
type envReader struct {
	env map[string]string
	err error
}

func (r *envReader) number(name string, defaultValue, lowest, highest int) int {
	value := r.env[name]
	if value == "" {
		return defaultValue
	}
	number, err := strconv.Atoi(value)
	if err != nil || number < lowest || number > highest {
		r.reject(name, fmt.Sprintf("whole numbers from %d to %d", lowest, highest))
	}
	return number
}

// limits parses the limits on clients (docs/operations.md).
func (r *envReader) limits() limits.Config {
	const highest = 1_000_000
	return limits.Config{
		Matches:          r.number("SET_RULES_MATCHES", 5_000, 1, highest),
		MatchesPerUser:   r.number("SET_RULES_MATCHES_PER_USER", 8, 1, highest),
		CreatesPerMinute: r.number("SET_RULES_CREATES_PER_MINUTE", 20, 0, highest),
		JoinsPerMinute:   r.number("SET_RULES_JOINS_PER_MINUTE", 60, 0, highest),
		CallsPerMinute:   r.number("SET_RULES_CALLS_PER_MINUTE", 120, 0, highest),
		CallsInFlight:    r.number("SET_RULES_CALLS_IN_FLIGHT", 64, 1, highest),
		AddressFactor:    r.number("SET_RULES_ADDRESS_FACTOR", 20, 0, 1_000),
	}
}

func (r *envReader) flag(name string) bool {
	value := r.env[name]
	if value != "" && value != "0" && value != "1" {
		r.reject(name, "0 and 1")
	}
	return value == "1"
}

func (r *envReader) reject(name, allowed string) {
	if r.err == nil {
		r.err = fmt.Errorf("%s is %q, allowed are %s", name, r.env[name], allowed)
	}
}

// check returns the first error of the settings, or nil.
func (s Settings) check() error {
	for _, check := range []func() error{s.checkAddr, s.checkToken, s.checkPlaintext, s.checkTLS, s.checkRescueDir} {
		if err := check(); err != nil {
			return err
		}
	}
	return nil
}

// BatchWindow returns how long a call waits for a batch. With traces it is 0, because each call has a trace header of its own.
func (s Settings) BatchWindow() time.Duration {
	if s.Trace {
		return 0
	}
	return time.Duration(s.BatchMs) * time.Millisecond
}

// Addresses returns the addresses of the comma separated list, or the only one after the DNS server.
func (s Settings) Addresses() []string {
	text := s.Addr
	if s.UsesDNS() {
		_, text, _ = strings.Cut(strings.TrimPrefix(text, dnsScheme), "/")
	}
	var list []string
	for _, address := range strings.Split(text, ",") {
		list = append(list, strings.TrimSpace(address))
	}
	return list
}

// DNSServer returns the DNS server in the address, as host:port. It is empty if the system's servers are used.
func (s Settings) DNSServer() string {
	rest, found := strings.CutPrefix(s.Addr, dnsScheme)
	if !found {
		return ""
	}
	server, _, _ := strings.Cut(rest, "/")
	return server
}

// UsesDNS reports whether the addresses are resolved with DNS.
func (s Settings) UsesDNS() bool {
	return strings.HasPrefix(s.Addr, dnsScheme)
}

func (s Settings) checkAddr() error {
	list := s.Addresses()
	if s.UsesDNS() && len(list) > 1 {
		return addrError(s.Addr)
	}
	if server := s.DNSServer(); server != "" {
		list = append(list, server)
	}
	for _, address := range list {
		host, port, err := net.SplitHostPort(address)
		if err != nil || host == "" || !isPort(port) {
			return addrError(s.Addr)
		}
	}
	return nil
}

func addrError(addr string) error {
	return fmt.Errorf("SET_RULES_ADDR is %q, allowed are host:port, several of them separated by commas, dns:///name:port, "+
		"or dns://server:port/name:port", addr)
}

func isPort(text string) bool {
	port, err := strconv.ParseUint(text, 10, 16)
	return err == nil && port > 0
}

func (s Settings) checkTLS() error {
	if (s.TLSCert == "") != (s.TLSKey == "") {
		return fmt.Errorf("SET_RULES_TLS_CERT is %q and SET_RULES_TLS_KEY is %q, allowed are both or neither", s.TLSCert, s.TLSKey)
	}
	if s.TLSCert != "" && s.TLSCA == "" {
		return fmt.Errorf("SET_RULES_TLS_CERT is %q without SET_RULES_TLS_CA, allowed is a client certificate together with SET_RULES_TLS_CA", s.TLSCert)
	}
	files := []struct{ name, path string }{
		{"SET_RULES_TLS_CA", s.TLSCA}, {"SET_RULES_TLS_CERT", s.TLSCert}, {"SET_RULES_TLS_KEY", s.TLSKey},
	}
	for _, file := range files {
		if err := checkReadable(file.name, file.path); err != nil {
			return err
		}
	}
	return nil
}

// checkRescueDir creates the folder and checks that it is writable.
func (s Settings) checkRescueDir() error {
	if s.RescueDir == "" {
		return nil
	}
	if !filepath.IsAbs(s.RescueDir) || os.MkdirAll(s.RescueDir, 0o700) != nil || !isWritable(s.RescueDir) {
		return fmt.Errorf("SET_RULES_RESCUE_DIR is %q, allowed is the absolute path of a folder that Nakama can write to", s.RescueDir)
	}
	return nil
}

func isWritable(folder string) bool {
	probe, err := os.CreateTemp(folder, "probe")
	if err != nil {
		return false
	}
	_ = probe.Close()
	return os.Remove(probe.Name()) == nil
}

func checkReadable(name, path string) error {
	if path == "" {
		return nil
	}
	if _, err := os.ReadFile(path); err != nil {
		return fmt.Errorf("%s is %q, allowed is the path of a readable PEM file", name, path)
	}
	return nil
}
