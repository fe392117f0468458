package config

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"
	"time"
)

// tokenInterval is the minimum time between two reads of the token file.
const tokenInterval = time.Second

// withoutNewline removes the newline with which editors and commands end a file. It is not part of a secret.
func withoutNewline(secret string) string {
	return strings.TrimRight(secret, "\r\n")
}

// checkToken rejects a token that is missing or cannot be sent in a header. The error does not contain the token.
func (s Settings) checkToken() error {
	if s.Token != "" && s.TokenFile != "" {
		return errors.New("SET_RULES_TOKEN and SET_RULES_TOKEN_FILE are both set, allowed is one of them")
	}
	if s.TokenFile != "" {
		_, err := readToken(s.TokenFile)
		return err
	}
	return checkCharacters("SET_RULES_TOKEN", s.Token)
}

func checkCharacters(name, token string) error {
	for _, r := range token {
		if r <= ' ' || r > '~' {
			return fmt.Errorf("%s contains an invalid character, allowed are visible ASCII characters", name)
		}
	}
	return nil
}

func readToken(path string) (string, error) {
	content, err := os.ReadFile(path)
	if err != nil {
		return "", fmt.Errorf("SET_RULES_TOKEN_FILE is %q, which cannot be read, allowed is the path of a file that contains the token", path)
	}
	token := withoutNewline(string(content))
	if token == "" {
		return "", fmt.Errorf("SET_RULES_TOKEN_FILE is %q, which is empty, allowed is the path of a file that contains the token", path)
	}
	return token, checkCharacters(fmt.Sprintf("SET_RULES_TOKEN_FILE is %q, which", path), token)
}

// bearer is the token that is sent with every call, also over connections without TLS. It reads a token file again after a
// second, because a restart of Nakama for a new token would end its matches.
type bearer struct {
	path   string // empty: the token is not in a file
	mu     sync.Mutex
	token  string
	readAt time.Time
}

// GetRequestMetadata returns the authorization header.
func (b *bearer) GetRequestMetadata(context.Context, ...string) (map[string]string, error) {
	return map[string]string{"authorization": "Bearer " + b.current()}, nil
}

// current returns the token. If the file is invalid, for example while it is written, it returns the last valid token.
func (b *bearer) current() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.path == "" || time.Since(b.readAt) < tokenInterval {
		return b.token
	}
	b.readAt = time.Now()
	if token, err := readToken(b.path); err == nil {
		b.token = token
	}
	return b.token
}

// RequireTransportSecurity returns false, because the service may run on the same host or in a private network.
func (*bearer) RequireTransportSecurity() bool {
	return false
}

// bearer returns the token to send, and false if calls have none.
func (s Settings) bearer() (*bearer, bool) {
	return &bearer{path: s.TokenFile, token: s.Token}, s.Token != "" || s.TokenFile != ""
}
