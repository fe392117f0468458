package config

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// writeToken writes a token file and returns its path.
func writeToken(t *testing.T, content string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "token")
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// sentToken returns the token that is sent with the settings of an environment.
func sentToken(t *testing.T, env map[string]string) string {
	t.Helper()
	s, err := Read(env)
	if err != nil {
		t.Fatal(err)
	}
	token, _ := s.bearer()
	return token.current()
}

func TestNewlineAtEndOfTokenIsIgnored(t *testing.T) {
	for _, env := range []map[string]string{
		{"SET_RULES_TOKEN": "sesame\n"}, {"SET_RULES_TOKEN": "sesame\r\n"},
		{"SET_RULES_TOKEN_FILE": writeToken(t, "sesame")}, {"SET_RULES_TOKEN_FILE": writeToken(t, "sesame\n")},
	} {
		if got := sentToken(t, env); got != "sesame" {
			t.Errorf("%v: %q is sent", env, got)
		}
	}
}

func TestInvalidTokenIsNotInErrorText(t *testing.T) {
	for name, value := range map[string]string{
		"SET_RULES_TOKEN": "sesame open", "SET_RULES_TOKEN_FILE": writeToken(t, "sesame open\n"),
	} {
		_, err := Read(map[string]string{name: value})
		if err == nil || !strings.Contains(err.Error(), name) || strings.Contains(err.Error(), "sesame") {
			t.Errorf("%s: got %v", name, err)
		}
	}
}

func TestTokenAndTokenFileAreNotBothAllowed(t *testing.T) {
	_, err := Read(map[string]string{"SET_RULES_TOKEN": "sesame", "SET_RULES_TOKEN_FILE": writeToken(t, "open")})
	if err == nil || !strings.Contains(err.Error(), "SET_RULES_TOKEN and SET_RULES_TOKEN_FILE are both set") ||
		strings.Contains(err.Error(), "sesame") {
		t.Errorf("got %v", err)
	}
}
