package config

import (
	"strings"
	"testing"
)

func TestPlaintextToOtherHostNeedsSetting(t *testing.T) {
	for _, addr := range []string{"rules:7400", "127.0.0.1:1,10.0.0.7:1", "dns:///rules:7400", "[2001:db8::1]:1"} {
		_, err := Read(map[string]string{"SET_RULES_ADDR": addr})
		if err == nil || !strings.Contains(err.Error(), addr) || !strings.Contains(err.Error(), "SET_RULES_PLAINTEXT=1") ||
			strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %v", addr, err)
		}
		if s, err := Read(map[string]string{"SET_RULES_ADDR": addr, "SET_RULES_PLAINTEXT": "1"}); err != nil || !s.Plaintext {
			t.Errorf("%s, allowed by the setting: %v", addr, err)
		}
	}
}

func TestPlaintextToLoopbackIsAllowed(t *testing.T) {
	for _, addr := range []string{"localhost:1", "127.0.0.1:1", "127.9.9.9:1", "[::1]:1", "127.0.0.1:1, localhost:2", "dns:///localhost:1"} {
		if _, err := Read(map[string]string{"SET_RULES_ADDR": addr}); err != nil {
			t.Errorf("%s: %v", addr, err)
		}
	}
}
