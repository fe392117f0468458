package telemetry

import (
	"strings"
	"testing"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"setmatch/nakama/internal/config"
	"setmatch/nakama/internal/fake"
)

func newProblemLog() (*ProblemLog, *fake.Logger, *fake.Clock) {
	logger, clock := fake.NewLogger(), &fake.Clock{At: time.Date(2026, 11, 29, 12, 0, 0, 0, time.UTC)}
	return NewProblemLog(logger, clock.Now, ""), logger, clock
}

func TestConnectionProblemIsLogged(t *testing.T) {
	for _, code := range []codes.Code{codes.Unavailable, codes.Unauthenticated, codes.FailedPrecondition} {
		problems, logger, _ := newProblemLog()
		problems.Log(status.Error(code, "certificate has expired"))
		if all := logger.All(); !strings.Contains(all, "certificate has expired") || !strings.HasPrefix(all, "warn") {
			t.Errorf("%v: logged %q", code, all)
		}
	}
}

func TestTimeoutIsLoggedOnlyWithoutConnection(t *testing.T) {
	for text, want := range map[string]int{
		"latest balancer error: connection error: certificate required":           1,
		"context deadline exceeded while waiting for connections to become ready": 1,
		"context deadline exceeded": 0,
	} {
		problems, logger, _ := newProblemLog()
		problems.Log(status.Error(codes.DeadlineExceeded, text))
		if lines := strings.Count(logger.All(), "warn"); lines != want {
			t.Errorf("%s: %d lines", text, lines)
		}
	}
}

func TestOtherErrorsAreNotLogged(t *testing.T) {
	problems, logger, _ := newProblemLog()
	problems.Log(nil)
	problems.Log(status.Error(codes.InvalidArgument, "maxPlayers: 9"))
	problems.Log(status.Error(codes.Internal, "secret"))
	if all := logger.All(); all != "" {
		t.Errorf("logged %q", all)
	}
}

func TestProblemIsLoggedOnceInTenSecondsPerCode(t *testing.T) {
	problems, logger, clock := newProblemLog()
	for _, code := range []codes.Code{codes.Unavailable, codes.Unavailable, codes.Unauthenticated, codes.Unavailable} {
		problems.Log(status.Error(code, "unavailable"))
	}
	clock.Advance(problemInterval)
	problems.Log(status.Error(codes.Unavailable, "unavailable"))
	if lines := strings.Count(logger.All(), "warn"); lines != 3 {
		t.Errorf("logged %d lines: %s", lines, logger.All())
	}
}

func TestUnavailableServiceIsLoggedWithTLSHint(t *testing.T) {
	for s, want := range map[config.Settings]bool{
		{TLSCA: "ca"}: true, {}: false, {TLSCA: "ca", TLSCert: "cert", TLSKey: "key"}: false,
	} {
		problems, logger, _ := newProblemLog()
		problems.hint = s.Hint()
		problems.Log(status.Error(codes.Unavailable, "broken pipe"))
		if got := strings.Contains(logger.All(), "SET_RULES_TLS_CERT"); got != want {
			t.Errorf("%+v: logged %s", s, logger.All())
		}
	}
}
