package setmatch

import (
	"strings"
	"testing"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

func newProblemLog() (*problemLog, *fakeLogger, *fakeClock) {
	logger, clock := newFakeLogger(), &fakeClock{at: time.Date(2026, 11, 29, 12, 0, 0, 0, time.UTC)}
	return &problemLog{logger: logger, now: clock.now}, logger, clock
}

func TestConnectionProblemIsLogged(t *testing.T) {
	for _, code := range []codes.Code{codes.Unavailable, codes.Unauthenticated, codes.FailedPrecondition} {
		problems, logger, _ := newProblemLog()
		problems.log(status.Error(code, "certificate has expired"))
		if all := logger.all(); !strings.Contains(all, "certificate has expired") || !strings.HasPrefix(all, "warn") {
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
		problems.log(status.Error(codes.DeadlineExceeded, text))
		if lines := strings.Count(logger.all(), "warn"); lines != want {
			t.Errorf("%s: %d lines", text, lines)
		}
	}
}

func TestOtherErrorsAreNotLogged(t *testing.T) {
	problems, logger, _ := newProblemLog()
	problems.log(nil)
	problems.log(status.Error(codes.InvalidArgument, "maxPlayers: 9"))
	problems.log(status.Error(codes.Internal, "secret"))
	if all := logger.all(); all != "" {
		t.Errorf("logged %q", all)
	}
}

func TestProblemIsLoggedOnceInTenSecondsPerCode(t *testing.T) {
	problems, logger, clock := newProblemLog()
	for _, code := range []codes.Code{codes.Unavailable, codes.Unavailable, codes.Unauthenticated, codes.Unavailable} {
		problems.log(status.Error(code, "unavailable"))
	}
	clock.advance(problemInterval)
	problems.log(status.Error(codes.Unavailable, "unavailable"))
	if lines := strings.Count(logger.all(), "warn"); lines != 3 {
		t.Errorf("logged %d lines: %s", lines, logger.all())
	}
}

func TestUnavailableServiceIsLoggedWithTLSHint(t *testing.T) {
	for s, want := range map[settings]bool{
		{tlsCA: "ca"}: true, {}: false, {tlsCA: "ca", tlsCert: "cert", tlsKey: "key"}: false,
	} {
		problems, logger, _ := newProblemLog()
		problems.hint = s.hint()
		problems.log(status.Error(codes.Unavailable, "broken pipe"))
		if got := strings.Contains(logger.all(), "SET_RULES_TLS_CERT"); got != want {
			t.Errorf("%+v: logged %s", s, logger.all())
		}
	}
}
