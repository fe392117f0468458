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

func TestWhatIsNoTroubleOfTheConnectionIsNotLogged(t *testing.T) {
	troubles, logger, _ := newTroubles()
	troubles.note(nil)
	troubles.note(status.Error(codes.InvalidArgument, "maxPlayers: 9"))
	troubles.note(status.Error(codes.Internal, "secret"))
	if all := logger.all(); all != "" {
		t.Errorf("logged %q", all)
	}
}

func TestTheSameTroubleIsLoggedOnceInTenSeconds(t *testing.T) {
	troubles, logger, clock := newTroubles()
	for _, text := range []string{"a", "a", "b", "b"} {
		troubles.note(status.Error(codes.Unavailable, text))
	}
	clock.pass(troubleInterval)
	troubles.note(status.Error(codes.Unavailable, "b"))
	if lines := strings.Count(logger.all(), "warn"); lines != 3 {
		t.Errorf("logged %d lines: %s", lines, logger.all())
	}
}
