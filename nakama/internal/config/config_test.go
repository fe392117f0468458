package config

import (
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"setmatch/nakama/internal/fake"
	"setmatch/nakama/internal/limits"
)

func TestSettingsHaveDefaults(t *testing.T) {
	standard := limits.Config{
		Matches: 5000, MatchesPerUser: 8, CreatesPerMinute: 20, JoinsPerMinute: 60, CallsPerMinute: 120, CallsInFlight: 64,
		AddressFactor: 20,
	}
	s, err := Read(nil)
	if err != nil || s != (Settings{Addr: "127.0.0.1:7400", Connections: 4, BatchMs: 1, RecordDays: 30, CheckpointMs: 20, Limits: standard}) {
		t.Errorf("got %+v, %v", s, err)
	}
}

func TestValidSettingsAreAccepted(t *testing.T) {
	file := filepath.Join(t.TempDir(), "ca.pem")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, env := range []map[string]string{
		{"SET_RULES_ADDR": "rules:1"}, {"SET_RULES_ADDR": "a:1, b:65535"}, {"SET_RULES_ADDR": "[::1]:80"},
		{"SET_RULES_ADDR": "dns:///rules.example:7400"}, {"SET_RULES_ADDR": "dns://127.0.0.1:53/rules.example:7400"},
		{"SET_RULES_CONNECTIONS": "1"}, {"SET_RULES_CONNECTIONS": "64"},
		{"SET_RULES_TOKEN": "abc.DEF-~"}, {"SET_RULES_ALLOW_RELAYED": "1"}, {"SET_RULES_ALLOW_RELAYED": "0"},
		{"SET_RULES_TRACE": "1"}, {"SET_RULES_BATCH_MS": "0"},
		{"SET_RULES_RECORD_DAYS": "0"}, {"SET_RULES_RECORD_DAYS": "3650"}, {"SET_RULES_RESCUE_DIR": filepath.Join(t.TempDir(), "a", "b")},
		{"SET_RULES_BATCH_MS": "20"}, {"SET_RULES_CHECKPOINT_MS": "0"}, {"SET_RULES_CHECKPOINT_MS": "1000"},
		{"SET_RULES_TLS_CA": file}, {"SET_RULES_TLS_CA": file, "SET_RULES_TLS_CERT": file, "SET_RULES_TLS_KEY": file},
	} {
		env["SET_RULES_PLAINTEXT"] = "1"
		if _, err := Read(env); err != nil {
			t.Errorf("%v: %v", env, err)
		}
	}
}

func TestUnknownSettingIsLogged(t *testing.T) {
	logger := fake.NewLogger()
	WarnUnknown(map[string]string{"SET_RULES_TOKN": "x", "SET_RULES_TOKEN": "x", "CHESS": "x"}, logger)
	lines := strings.Split(logger.All(), "\n")
	if len(lines) != 1 || !strings.HasPrefix(lines[0], "warn set: SET_RULES_TOKN is not a setting, allowed are SET_RULES_ADDR, ") {
		t.Errorf("logged %q", lines)
	}
}

func TestSettingNamesAreComplete(t *testing.T) {
	fields := reflect.TypeFor[Settings]().NumField() - 1 + reflect.TypeFor[limits.Config]().NumField()
	if fields != len(settingNames) {
		t.Errorf("%d settings, %d names", fields, len(settingNames))
	}
	for _, name := range settingNames {
		if _, err := Read(map[string]string{name: "invalid value"}); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%s is not checked: %v", name, err)
		}
	}
}

func TestInvalidSettingsAreNamedInOneLine(t *testing.T) {
	cases := []struct{ name, value string }{
		{"SET_RULES_ADDR", "rules"}, {"SET_RULES_ADDR", ":7400"}, {"SET_RULES_ADDR", "rules:0"},
		{"SET_RULES_RECORD_DAYS", "-1"}, {"SET_RULES_RECORD_DAYS", "3651"}, {"SET_RULES_RESCUE_DIR", "rescue"},
		{"SET_RULES_RESCUE_DIR", "/dev/null/rescue"}, {"SET_RULES_ADDR", "rules:65536"}, {"SET_RULES_ADDR", "rules:x"}, {"SET_RULES_ADDR", "a:1,,b:2"},
		{"SET_RULES_ADDR", "http://rules:80"}, {"SET_RULES_ADDR", "dns:///a:1,b:2"}, {"SET_RULES_ADDR", "dns:///"},
		{"SET_RULES_ADDR", "dns://rules:80"}, {"SET_RULES_ADDR", "dns://127.0.0.1/rules:80"}, {"SET_RULES_ADDR", "dns://127.0.0.1:53/"},
		{"SET_RULES_CONNECTIONS", "0"}, {"SET_RULES_CONNECTIONS", "65"}, {"SET_RULES_CONNECTIONS", "many"},
		{"SET_RULES_CONNECTIONS", "1.5"}, {"SET_RULES_ALLOW_RELAYED", "yes"}, {"SET_RULES_PLAINTEXT", "yes"}, {"SET_RULES_TRACE", "all"},
		{"SET_RULES_BATCH_MS", "-1"}, {"SET_RULES_BATCH_MS", "21"}, {"SET_RULES_BATCH_MS", "0.5"}, {"SET_RULES_BATCH_MS", "1ms"},
		{"SET_RULES_TLS_CA", "/nowhere/ca.pem"}, {"SET_RULES_TOKEN_FILE", "/nowhere/token"}, {"SET_RULES_TOKEN_FILE", "/dev/null"},
		{"SET_RULES_TLS_CERT", "/nowhere/cert.pem"}, {"SET_RULES_TLS_KEY", "/nowhere/key.pem"},
	}
	for _, c := range cases {
		_, err := Read(map[string]string{c.name: c.value})
		if err == nil {
			t.Errorf("%s=%q was accepted", c.name, c.value)
			continue
		}
		text := err.Error()
		if !strings.Contains(text, c.name) || !strings.Contains(text, c.value) ||
			!strings.Contains(text, "allowed") || strings.Contains(text, "\n") {
			t.Errorf("%s=%q: %q", c.name, c.value, text)
		}
	}
}

func TestClientCertificateNeedsACA(t *testing.T) {
	_, err := Read(map[string]string{"SET_RULES_TLS_CERT": "c", "SET_RULES_TLS_KEY": "k"})
	if err == nil || !strings.Contains(err.Error(), "SET_RULES_TLS_CA") {
		t.Errorf("got %v", err)
	}
}
