package main

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

const (
	defaultRulesAddr   = "127.0.0.1:7400"
	defaultConnections = 4
	maxConnections     = 64
	defaultBatchMs     = batching.DefaultWindowMs
	maxBatchMs         = 20
	defaultRecordDays  = 30
	maxRecordDays      = 3650
	dnsScheme          = "dns:///"
)

// settings is what operators choose in Nakama's runtime.env (DESIGN section 4).
type settings struct {
	addr         string // SET_RULES_ADDR
	connections  int    // SET_RULES_CONNECTIONS, for each address
	batchMs      int    // SET_RULES_BATCH_MS, how long a call waits for company; 0: each is made alone
	token        string // SET_RULES_TOKEN
	tlsCA        string // SET_RULES_TLS_CA, a file of certificates
	tlsCert      string // SET_RULES_TLS_CERT
	tlsKey       string // SET_RULES_TLS_KEY
	plaintext    bool   // SET_RULES_PLAINTEXT
	allowRelayed bool   // SET_RULES_ALLOW_RELAYED
	trace        bool   // SET_RULES_TRACE
	recordDays   int    // SET_RULES_RECORD_DAYS, how long records and daily leaderboards are kept; 0: for ever
	rescueDir    string // SET_RULES_RESCUE_DIR, a folder for results that could not be written; empty: none
	limits       limits.Config
}

// settingNames are the names that operators may give.
var settingNames = []string{
	"SET_RULES_ADDR", "SET_RULES_CONNECTIONS", "SET_RULES_BATCH_MS", "SET_RULES_TOKEN", "SET_RULES_TLS_CA", "SET_RULES_TLS_CERT",
	"SET_RULES_TLS_KEY", "SET_RULES_PLAINTEXT", "SET_RULES_ALLOW_RELAYED", "SET_RULES_TRACE",
	"SET_RULES_RECORD_DAYS", "SET_RULES_RESCUE_DIR", "SET_RULES_MATCHES", "SET_RULES_MATCHES_PER_USER",
	"SET_RULES_CREATES_PER_MINUTE", "SET_RULES_JOINS_PER_MINUTE", "SET_RULES_CALLS_PER_MINUTE", "SET_RULES_CALLS_IN_FLIGHT",
	"SET_RULES_ADDRESS_FACTOR",
}

// warnOfUnknown logs what looks like a setting and is none, which a slip of the pen makes of one.
func warnOfUnknown(env map[string]string, logger runtime.Logger) {
	for _, name := range slices.Sorted(maps.Keys(env)) {
		if strings.HasPrefix(name, "SET_RULES_") && !slices.Contains(settingNames, name) {
			logger.Warn("set: %s is no setting, allowed are %s", name, strings.Join(settingNames, ", "))
		}
	}
}

// readSettings reads the settings. An error names the setting, its value and what is allowed.
func readSettings(env map[string]string) (settings, error) {
	read := envReader{env: env}
	s := settings{
		addr:         cmp.Or(strings.TrimSpace(env["SET_RULES_ADDR"]), defaultRulesAddr),
		connections:  read.number("SET_RULES_CONNECTIONS", defaultConnections, 1, maxConnections),
		batchMs:      read.number("SET_RULES_BATCH_MS", defaultBatchMs, 0, maxBatchMs),
		token:        env["SET_RULES_TOKEN"],
		tlsCA:        env["SET_RULES_TLS_CA"],
		tlsCert:      env["SET_RULES_TLS_CERT"],
		tlsKey:       env["SET_RULES_TLS_KEY"],
		plaintext:    read.flag("SET_RULES_PLAINTEXT"),
		allowRelayed: read.flag("SET_RULES_ALLOW_RELAYED"),
		trace:        read.flag("SET_RULES_TRACE"),
		recordDays:   read.number("SET_RULES_RECORD_DAYS", defaultRecordDays, 0, maxRecordDays),
		rescueDir:    env["SET_RULES_RESCUE_DIR"],
		limits:       read.limits(),
	}
	if read.err != nil {
		return s, read.err
	}
	return s, s.check()
}

// envReader reads settings that are not mere text, and keeps the first error.
type envReader struct {
	env map[string]string
	err error
}

func (r *envReader) number(name string, standard, least, most int) int {
	value := r.env[name]
	if value == "" {
		return standard
	}
	number, err := strconv.Atoi(value)
	if err != nil || number < least || number > most {
		r.refuse(name, fmt.Sprintf("whole numbers from %d to %d", least, most))
	}
	return number
}

// limits reads the limits on clients (docs/operations.md).
func (r *envReader) limits() limits.Config {
	const most = 1_000_000
	return limits.Config{
		Matches:          r.number("SET_RULES_MATCHES", 5_000, 1, most),
		MatchesPerUser:   r.number("SET_RULES_MATCHES_PER_USER", 8, 1, most),
		CreatesPerMinute: r.number("SET_RULES_CREATES_PER_MINUTE", 20, 0, most),
		JoinsPerMinute:   r.number("SET_RULES_JOINS_PER_MINUTE", 60, 0, most),
		CallsPerMinute:   r.number("SET_RULES_CALLS_PER_MINUTE", 120, 0, most),
		CallsInFlight:    r.number("SET_RULES_CALLS_IN_FLIGHT", 64, 1, most),
		AddressFactor:    r.number("SET_RULES_ADDRESS_FACTOR", 20, 0, 1_000),
	}
}

func (r *envReader) flag(name string) bool {
	value := r.env[name]
	if value != "" && value != "0" && value != "1" {
		r.refuse(name, "0 and 1")
	}
	return value == "1"
}

func (r *envReader) refuse(name, allowed string) {
	if r.err == nil {
		r.err = fmt.Errorf("%s is %q, allowed are %s", name, r.env[name], allowed)
	}
}

// check returns what is wrong with the settings, or nil.
func (s settings) check() error {
	for _, check := range []func() error{s.checkAddr, s.checkToken, s.checkPlaintext, s.checkTLS, s.checkRescueDir} {
		if err := check(); err != nil {
			return err
		}
	}
	return nil
}

// window returns how long a call waits for company. Traced calls are made alone, because a trace has to find its call.
func (s settings) window() time.Duration {
	if s.trace {
		return 0
	}
	return time.Duration(s.batchMs) * time.Millisecond
}

// addresses returns the single addresses of a comma separated list.
func (s settings) addresses() []string {
	var list []string
	for _, one := range strings.Split(s.addr, ",") {
		list = append(list, strings.TrimSpace(one))
	}
	return list
}

// viaDNS reports whether a name server is to be asked for the addresses.
func (s settings) viaDNS() bool {
	return strings.HasPrefix(s.addr, dnsScheme)
}

func (s settings) checkAddr() error {
	name, viaDNS := strings.CutPrefix(s.addr, dnsScheme)
	list := settings{addr: name}.addresses()
	if viaDNS && len(list) > 1 {
		return addrError(s.addr)
	}
	for _, one := range list {
		host, port, err := net.SplitHostPort(one)
		if err != nil || host == "" || !isPort(port) {
			return addrError(s.addr)
		}
	}
	return nil
}

func addrError(addr string) error {
	return fmt.Errorf("SET_RULES_ADDR is %q, allowed are host:port, several of them separated by commas, or dns:///name:port", addr)
}

func isPort(text string) bool {
	port, err := strconv.ParseUint(text, 10, 16)
	return err == nil && port > 0
}

// checkToken refuses what could not be sent in a header, without repeating the secret.
func (s settings) checkToken() error {
	for _, r := range s.token {
		if r <= ' ' || r > '~' {
			return fmt.Errorf("SET_RULES_TOKEN holds a character that is not allowed, allowed are visible ASCII characters")
		}
	}
	return nil
}

func (s settings) checkTLS() error {
	if (s.tlsCert == "") != (s.tlsKey == "") {
		return fmt.Errorf("SET_RULES_TLS_CERT is %q and SET_RULES_TLS_KEY is %q, allowed are both or neither", s.tlsCert, s.tlsKey)
	}
	if s.tlsCert != "" && s.tlsCA == "" {
		return fmt.Errorf("SET_RULES_TLS_CERT is %q without SET_RULES_TLS_CA, allowed is a client certificate together with SET_RULES_TLS_CA", s.tlsCert)
	}
	files := []struct{ name, path string }{
		{"SET_RULES_TLS_CA", s.tlsCA}, {"SET_RULES_TLS_CERT", s.tlsCert}, {"SET_RULES_TLS_KEY", s.tlsKey},
	}
	for _, file := range files {
		if err := checkReadable(file.name, file.path); err != nil {
			return err
		}
	}
	return nil
}

// checkRescueDir makes sure that the folder can be written to, before there is something to save.
func (s settings) checkRescueDir() error {
	if s.rescueDir == "" {
		return nil
	}
	if !filepath.IsAbs(s.rescueDir) || os.MkdirAll(s.rescueDir, 0o700) != nil || !isWritable(s.rescueDir) {
		return fmt.Errorf("SET_RULES_RESCUE_DIR is %q, allowed is the absolute path of a folder that Nakama can write to", s.rescueDir)
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
