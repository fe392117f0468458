package effects

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/heroiclabs/nakama-common/runtime"
	"github.com/jackc/pgx/v5/pgconn"
	"google.golang.org/protobuf/proto"

	"setmatch/nakama/pb"
)

func wantWritten(t *testing.T, b *testWorker, want ...string) {
	t.Helper()
	got := b.sink.writes()
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Errorf("written %q, want %q", got, want)
	}
}

func wantCounts(t *testing.T, b *testWorker, want map[string]int) {
	t.Helper()
	if got := b.meters.nonZero(); !reflect.DeepEqual(got, want) {
		t.Errorf("counted %v, want %v", got, want)
	}
}

func storageWrite(key string) string {
	return fmt.Sprintf("c/%s={} version %q read 0", key, "*")
}

// failTargets returns a script in which writes to the targets fail.
func failTargets(err error, targets ...string) func(int, string) error {
	return func(_ int, target string) error {
		if slices.Contains(targets, target) {
			return err
		}
		return nil
	}
}

func TestEffectsOnOneTargetAreWrittenInOrder(t *testing.T) {
	b := newTestWorker(t, "")
	want := []string{}
	for i := range 50 {
		b.add(ranking("wins", int64(i)))
		want = append(want, fmt.Sprint("wins ", i))
	}
	b.waitIdle()
	if got := b.sink.writes(); !slices.Equal(got, want) {
		t.Errorf("written %q", got)
	}
}

func TestLeaderboardIsCreatedWithItsOperator(t *testing.T) {
	b := newTestWorker(t, "")
	best := ranking("daily", 1)
	best.GetLeaderboardWrite().Operator = pb.Operator_OPERATOR_BEST
	b.add(ranking("wins", 1), best)
	b.waitIdle()
	want := map[string]string{"wins": `true desc incr "" true`, "daily": `true desc best "" true`}
	if !reflect.DeepEqual(b.sink.boards, want) {
		t.Errorf("created %v, want %v", b.sink.boards, want)
	}
}

func TestFailedWriteDoesNotBlockOtherTargets(t *testing.T) {
	b := newTestWorker(t, "")
	b.blockPauses()
	b.sink.script = failTargets(errDatabase, "record")
	b.add(storing("record"), ranking("wins", 7), storing("other match"))
	b.waitUntil("the other writes", func() bool { return len(b.sink.writes()) == 2 })
	wantWritten(t, b, "wins 7", storageWrite("other match"))
	b.Stop(t.Context())
}

func TestRejectedWriteIsSetAsideAndOthersAreWritten(t *testing.T) {
	b := newTestWorker(t, "")
	b.sink.script = failTargets(errRejected, "record")
	b.add(storing("record"), ranking("wins", 7), storing("record"), storing("next"))
	b.waitIdle()
	wantWritten(t, b, "wins 7", storageWrite("next"))
	wantCounts(t, b, map[string]int{"rejected": 2})
	for _, part := range []string{"storage c record", "22P05", "effect set aside"} {
		if !strings.Contains(b.log.text(), part) {
			t.Errorf("%q is not in the log:\n%s", part, b.log.text())
		}
	}
}

func TestTransientErrorIsRetriedWithLongerPauses(t *testing.T) {
	b := newTestWorker(t, "")
	b.sink.script = func(attempt int, _ string) error {
		if attempt < 5 {
			return errDatabase
		}
		return nil
	}
	b.add(storing("record"))
	b.waitIdle()
	wantWritten(t, b, storageWrite("record"))
	want := []time.Duration{250 * time.Millisecond, 500 * time.Millisecond, time.Second, 2 * time.Second}
	if !slices.Equal(b.pauses, want) {
		t.Errorf("paused %v, want %v", b.pauses, want)
	}
	wantCounts(t, b, map[string]int{"failed": 4})
	if got := strings.Count(b.log.text(), "will retry"); got != 3 {
		t.Errorf("%d attempts were logged, want the first, second and fourth", got)
	}
}

func TestExistingObjectCountsAsWritten(t *testing.T) {
	b := newTestWorker(t, "")
	b.sink.script = failTargets(runtime.ErrStorageRejectedVersion, "record")
	b.add(storing("record"), ranking("wins", 7))
	b.waitIdle()
	wantWritten(t, b, "wins 7")
	wantCounts(t, b, map[string]int{})
}

func TestExpiredEffectIsSetAside(t *testing.T) {
	b := newTestWorker(t, "")
	b.sink.script = failTargets(errDatabase, "daily")
	late := ranking("daily", 1)
	late.ExpiresUnixMs = clockStart.UnixMilli()
	b.add(ranking("daily", 7), late)
	b.waitIdle()
	if elapsed := b.now().Sub(clockStart); elapsed < time.Hour || elapsed > time.Hour+longestPause {
		t.Errorf("set aside after %v", elapsed)
	}
	if got := b.meters.nonZero()["expired"]; got != 2 {
		t.Errorf("%d expired, want 2", got)
	}
}

func TestPanicDuringWriteIsRetried(t *testing.T) {
	b := newTestWorker(t, "")
	b.sink.script = func(attempt int, _ string) error {
		if attempt == 1 {
			panic("scripted")
		}
		return nil
	}
	b.add(storing("record"))
	b.waitIdle()
	wantWritten(t, b, storageWrite("record"))
	wantCounts(t, b, map[string]int{"failed": 1, "panics": 1})
}

func TestDrainRetriesWaitingEffectsImmediately(t *testing.T) {
	b := newTestWorker(t, "")
	b.blockPauses()
	b.sink.script = func(attempt int, _ string) error {
		if attempt == 1 {
			return errDatabase
		}
		return nil
	}
	b.add(storing("record"))
	b.waitUntil("the first attempt", func() bool { return b.meters.nonZero()["failed"] == 1 })
	b.Drain()
	b.waitIdle()
	wantWritten(t, b, storageWrite("record"))
}

func TestPausesAreShortAfterDrain(t *testing.T) {
	b := newTestWorker(t, "")
	b.sink.script = func(attempt int, _ string) error {
		if attempt < 10 {
			return errDatabase
		}
		return nil
	}
	b.Drain()
	b.add(storing("record"))
	b.waitIdle()
	if longest := slices.Max(b.pauses); longest > drainingPause {
		t.Errorf("paused for %v", longest)
	}
}

func TestWaitingEffectsAreCounted(t *testing.T) {
	b, gate := newTestWorker(t, ""), make(chan struct{})
	b.sink.script = func(int, string) error { <-gate; return nil }
	b.add(storing("a"), storing("b"), storing("b"))
	wantCounts(t, b, map[string]int{"waiting": 3})
	close(gate)
	b.waitIdle()
	wantCounts(t, b, map[string]int{})
}

func TestEffectsAboveMemoryLimitAreSetAside(t *testing.T) {
	b := newTestWorker(t, "")
	b.sink.script = func(int, string) error { select {} }
	b.Worker.maxBytes = 10 * proto.Size(storing("00"))
	for i := range 12 {
		b.add(storing(fmt.Sprintf("%02d", i)))
	}
	wantCounts(t, b, map[string]int{"full": 2, "waiting": 10})
	b.Stop(t.Context())
}

func TestNothingIsWrittenAfterStop(t *testing.T) {
	b := newTestWorker(t, "")
	b.Stop(t.Context())
	b.add(storing("late"))
	wantWritten(t, b)
	wantCounts(t, b, map[string]int{"shutdown": 1})
}

func TestUnwritableEffectIsSetAsideImmediately(t *testing.T) {
	b := newTestWorker(t, "")
	bad := storing("record")
	bad.GetStorageWrite().Value = []byte(`{"a":"\u0000"}`)
	b.add(bad, ranking("wins", 7))
	b.waitIdle()
	wantWritten(t, b, "wins 7")
	wantCounts(t, b, map[string]int{"rejected": 1})
}

func TestSlowStorageDoesNotDelayLeaderboards(t *testing.T) {
	b, gate := newTestWorker(t, ""), make(chan struct{})
	b.sink.script = func(_ int, target string) error {
		if target != "wins" {
			<-gate
		}
		return nil
	}
	for i := range 2 * slotsPerKind {
		b.add(storing(fmt.Sprint(i)))
	}
	b.add(ranking("wins", 7))
	b.waitUntil("the leaderboard write", func() bool { return len(b.sink.writes()) == 1 })
	wantWritten(t, b, "wins 7")
	close(gate)
	b.waitIdle()
}

func TestStopDoesNotWaitForASlot(t *testing.T) {
	b, gate := newTestWorker(t, ""), make(chan struct{})
	b.sink.script = func(int, string) error { <-gate; return nil }
	for i := range slotsPerKind + 1 {
		b.add(storing(fmt.Sprint(i)))
	}
	b.waitUntil("attempts in all slots", func() bool { return b.sink.attemptCount() == slotsPerKind })
	b.Stop(t.Context())
	close(gate)
	b.waitUntil("the end of the attempts", func() bool { return len(b.sink.writes()) == slotsPerKind })
	if got := b.meters.nonZero()["shutdown"]; got != slotsPerKind+1 {
		t.Errorf("%d effects set aside, want %d", got, slotsPerKind+1)
	}
}

func TestLogDoesNotContainTheKeyOfARecord(t *testing.T) {
	b := newTestWorker(t, "")
	b.sink.script = failTargets(errRejected, "20261129.secret")
	b.add(storing("20261129.secret"))
	b.waitIdle()
	if log := b.log.text(); strings.Contains(log, "secret") || !strings.Contains(log, "storage c 20261129") {
		t.Errorf("logged %s", log)
	}
}

func TestDatabaseErrorsAreClassified(t *testing.T) {
	for code, permanent := range map[string]bool{
		"22P05": true, "22021": true, "22P02": true, "23514": true, "21000": true, "54000": true,
		"08006": false, "25006": false, "40001": false, "40P01": false, "53300": false, "57P01": false, "XX000": false,
	} {
		err := fmt.Errorf("wrapped: %w", &pgconn.PgError{Code: code})
		if isPermanent(err) != permanent {
			t.Errorf("%s: permanent is %t", code, !permanent)
		}
	}
	if isPermanent(errDatabase) || isPermanent(errPanicked) {
		t.Error("an error without a code was classified as permanent")
	}
}
