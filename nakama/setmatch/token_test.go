package setmatch

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
	s, err := readSettings(env)
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
		_, err := readSettings(map[string]string{name: value})
		if err == nil || !strings.Contains(err.Error(), name) || strings.Contains(err.Error(), "sesame") {
			t.Errorf("%s: got %v", name, err)
		}
	}
}

func TestTokenAndTokenFileAreNotBothAllowed(t *testing.T) {
	_, err := readSettings(map[string]string{"SET_RULES_TOKEN": "sesame", "SET_RULES_TOKEN_FILE": writeToken(t, "open")})
	if err == nil || !strings.Contains(err.Error(), "SET_RULES_TOKEN and SET_RULES_TOKEN_FILE are both set") ||
		strings.Contains(err.Error(), "sesame") {
		t.Errorf("got %v", err)
	}
}

func TestChangedTokenFileIsReadAgain(t *testing.T) {
	path := writeToken(t, "old")
	f := startService(t)
	r := dial(t, settings{addr: f.addr, tokenFile: path})
	sends := func(token string) bool {
		_ = callOptions(r, 0)
		calls := f.takeCalls()
		return len(calls) == 1 && strings.Join(calls[0].header.Get("authorization"), "") == "Bearer "+token
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
