package main

import (
	"strings"
	"testing"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

func newTroubles() (*troubleLog, *fakeLogger, *fakeClock) {
	logger, clock := newFakeLogger(), &fakeClock{at: time.Date(2026, 11, 29, 12, 0, 0, 0, time.UTC)}
	return &troubleLog{logger: logger, now: clock.now}, logger, clock
}

func TestTroubleIsNamed(t *testing.T) {
	for _, code := range []codes.Code{codes.Unavailable, codes.Unauthenticated, codes.FailedPrecondition} {
		troubles, logger, _ := newTroubles()
		troubles.note(status.Error(code, "certificate has expired"))
		if all := logger.all(); !strings.Contains(all, "certificate has expired") || !strings.HasPrefix(all, "warn") {
			t.Errorf("%v: logged %q", code, all)
		}
	}
}

func TestADeadlineIsTroubleOnlyIfNoConnectionCameAbout(t *testing.T) {
	for text, want := range map[string]int{
		"latest balancer error: connection error: certificate required":           1,
		"context deadline exceeded while waiting for connections to become ready": 1,
		"context deadline exceeded": 0,
	} {
		troubles, logger, _ := newTroubles()
		troubles.note(status.Error(codes.DeadlineExceeded, text))
		if lines := strings.Count(logger.all(), "warn"); lines != want {
			t.Errorf("%s: %d lines", text, lines)
		}
	}
}

func TestWhatIsNoTroubleOfTheConnectionIsNotLogged(t *testing.T) {
	troubles, logger, _ := newTroubles()
	troubles.note(nil)
	troubles.note(status.Error(codes.InvalidArgument, "maxPlayers: 9"))
	troubles.note(status.Error(codes.Internal, "secret"))
	if all := logger.all(); all != "" {
		t.Errorf("logged %q", all)
	}
}

func TestEachKindOfTroubleIsLoggedOnceInTenSeconds(t *testing.T) {
	troubles, logger, clock := newTroubles()
	for _, code := range []codes.Code{codes.Unavailable, codes.Unavailable, codes.Unauthenticated, codes.Unavailable} {
		troubles.note(status.Error(code, "away"))
	}
	clock.pass(troubleInterval)
	troubles.note(status.Error(codes.Unavailable, "away"))
	if lines := strings.Count(logger.all(), "warn"); lines != 3 {
		t.Errorf("logged %d lines: %s", lines, logger.all())
	}
}

func TestAServiceThatHangsUpBringsAHint(t *testing.T) {
	for s, want := range map[settings]bool{
		{tlsCA: "ca"}: true, {}: false, {tlsCA: "ca", tlsCert: "cert", tlsKey: "key"}: false,
	} {
		troubles, logger, _ := newTroubles()
		troubles.hint = s.hint()
		troubles.note(status.Error(codes.Unavailable, "broken pipe"))
		if got := strings.Contains(logger.all(), "SET_RULES_TLS_CERT"); got != want {
			t.Errorf("%+v: logged %s", s, logger.all())
		}
	}
}
