package match

import (
	"context"
	"errors"
	"os"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/heroiclabs/nakama-common/runtime"

	"setmatch/nakama/internal/config"
	"setmatch/nakama/internal/fake"
	"setmatch/nakama/pb"
)

var errDown = errors.New("scripted: database unavailable")

// resultEffect returns the write of a result.
func (r *savedFixture) resultEffect() *pb.Effect {
	write := &pb.StorageWrite{Collection: "results", Key: "key", Value: []byte(`{}`)}
	return &pb.Effect{
		Kind: &pb.Effect_StorageWrite{StorageWrite: write}, ExpiresUnixMs: r.clock.Now().AddDate(100, 0, 0).UnixMilli(),
	}
}

// endGame scripts the next MatchLoop to end the match with a result.
func (r *savedFixture) endGame() {
	r.service.LoopReply(func(step *pb.Step) {
		step.End = true
		step.Effects = []*pb.Effect{r.resultEffect()}
		step.Broadcasts = []*pb.Broadcast{{Everyone: true, Message: fake.Notice("ended")}}
	})
}

// failWrites lets all writes of results fail until the returned value is set.
func (r *savedFixture) failWrites() *atomic.Bool {
	up := new(atomic.Bool)
	r.nakama.StoreScript = func(int, *runtime.StorageWrite) error {
		if up.Load() {
			return nil
		}
		return errDown
	}
	return up
}

func TestStepWithResultIsSavedBeforeItIsWritten(t *testing.T) {
	r := newSaved(t)
	saved := make(chan bool, 1)
	r.nakama.StoreScript = func(int, *runtime.StorageWrite) error {
		var version int
		err := r.openDatabase().QueryRow(`SELECT position('results'::bytea IN data) FROM set_checkpoints`).Scan(&version)
		saved <- err == nil && version > 0
		return nil
	}
	r.endGame()
	if r.loop(r.input("ann", "1")) != nil {
		t.Error("the match is still running")
	}
	if !<-saved {
		t.Error("the result was written before the row contained it")
	}
	wantActions(t, r.fixture, "ended to all")
	r.waitForRows(0)
}

func TestPendingResultIsWrittenAfterRestart(t *testing.T) {
	r := newSaved(t)
	up := r.failWrites()
	r.endGame()
	r.loop(r.input("ann", "1"))
	r.shared.Effects.Stop(t.Context())
	r.crash()
	up.Store(true)
	if revived := r.boot(); revived != 0 {
		t.Errorf("%d ended matches were revived", revived)
	}
	r.waitUntil("the result", func() bool { return len(r.nakama.Writes()) == 1 })
	r.waitForRows(0)
}

func TestMatchWithPendingResultContinuesAfterRestart(t *testing.T) {
	r := newSaved(t)
	up := r.failWrites()
	r.service.LoopReply(func(step *pb.Step) { step.Effects = []*pb.Effect{r.resultEffect()} })
	r.loop(r.input("ann", "1"))
	r.shared.Effects.Stop(t.Context())
	r.restart()
	up.Store(true)
	r.waitUntil("the result", func() bool { return len(r.nakama.Writes()) == 1 })
	r.settle()
	r.restart()
	if r.waitUntil("idle effects", r.shared.Effects.Idle); len(r.nakama.Writes()) != 1 {
		t.Errorf("the result was written %d times", len(r.nakama.Writes()))
	}
}

func TestShutdownLeavesPendingResultInItsRow(t *testing.T) {
	r := newSaved(t)
	folder := t.TempDir()
	r.shared.Effects = New(r.nakama, r.logger, config.Settings{RescueDir: folder}).Effects
	r.nakama.StoreScript = func(int, *runtime.StorageWrite) error { return errDown }
	r.endGame()
	r.loop(r.input("ann", "1"))
	r.nakama.StopMatches()
	ctx, cancel := context.WithTimeout(t.Context(), time.Second)
	defer cancel()
	r.shared.Shutdown(ctx, r.logger, nil, r.nakama)
	if files, _ := os.ReadDir(folder); len(files) != 0 || r.rows() != 1 {
		t.Errorf("%d files, %d rows", len(files), r.rows())
	}
}

func TestResultIsAnnouncedIfItCannotBeSaved(t *testing.T) {
	r := newSaved(t)
	r.settle()
	_ = r.db.Close()
	r.endGame()
	r.loop(r.input("ann", "1"))
	wantActions(t, r.fixture, "ended to all")
}

func TestTerminatedMatchContinuesInNextProcess(t *testing.T) {
	r := newSaved(t)
	r.join("ann")
	r.loop(r.input("ann", "1"))
	r.service.TakeCalls()
	state := string(r.match.service.state)
	r.leave(runtime.PresenceReasonDisconnect, "ann")
	if r.terminate(10) != nil {
		t.Error("the match is still running")
	}
	wantCalls(t, r, "MatchLoop -ann")
	wantActions(t, r.fixture, "restarting to all")
	if string(r.match.service.state) == state {
		t.Error("the leave was not delivered")
	}
	state = string(r.match.service.state)
	r.restart()
	if string(r.match.service.state) != state {
		t.Errorf("revived with %q, want %q", r.match.service.state, state)
	}
}

func TestMatchOfAnotherProcessStopsSilently(t *testing.T) {
	r := newSaved(t)
	r.join("ann")
	r.settle()
	r.service.TakeCalls()
	if _, err := r.openDatabase().Exec(`UPDATE set_checkpoints SET boot = 'other'`); err != nil {
		t.Fatal(err)
	}
	r.endGame()
	if r.loop(r.input("ann", "1")) != nil {
		t.Error("the match is still running")
	}
	wantActions(t, r.fixture)
	if _, allow, _ := r.attempt("bob"); allow {
		t.Error("a join attempt was allowed")
	}
	r.service.TakeCalls()
	r.loop(r.input("ann", "2"))
	wantCalls(t, r)
	if writes := r.nakama.Writes(); len(writes) > 0 {
		t.Errorf("%d effects were written", len(writes))
	}
}

func TestShutdownWaitsUntilNoticesAreSent(t *testing.T) {
	r := newSaved(t)
	r.terminate(10)
	sent := time.Unix(0, r.shared.lastNotice.Load())
	r.nakama.StopMatches()
	r.shared.Shutdown(t.Context(), r.logger, nil, r.nakama)
	if time.Since(sent) < noticeTime {
		t.Error("the shutdown did not wait")
	}
}

func TestImageKeepsItsContent(t *testing.T) {
	r := newSaved(t)
	r.match.service.record.add([][]byte{[]byte(`1`)})
	image := r.match.image()
	before, err := image.Encode()
	r.match.service.record.add([][]byte{[]byte(`2`)})
	r.match.queue.push(pendingItem{join: &pb.Presence{SessionId: "late"}})
	after, _ := image.Encode()
	if err != nil || !slices.Equal(before, after) {
		t.Errorf("the image has changed, %v", err)
	}
}
