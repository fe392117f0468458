package main

import (
	"context"
	"errors"
	"os"
	"sync/atomic"
	"testing"
	"time"

	"github.com/heroiclabs/nakama-common/runtime"

	"setmatch/nakama/pb"
)

func TestShutdownWaitsForMatchesAndWrites(t *testing.T) {
	r := newMatch(t)
	release := make(chan struct{})
	r.nakama.storeScript = func(int, *runtime.StorageWrite) error { <-release; return nil }
	r.shim.effects.Add([]*pb.Effect{r.match.rescueEffect("a test")})
	finished := make(chan struct{})
	go func() {
		r.shim.shutdown(context.Background(), r.logger, nil, r.nakama)
		close(finished)
	}()
	r.cancel()
	r.await("the match to stop", func() bool { return r.shim.live.Load() == 0 })
	select {
	case <-finished:
		t.Fatal("shut down before everything was written")
	default:
	}
	close(release)
	<-finished
	if len(r.nakama.writes()) != 1 {
		t.Error("the write was lost")
	}
}

// lookedAt is a context that counts how often somebody waits for it.
type lookedAt struct {
	context.Context
	times atomic.Int64
}

// Done counts.
func (c *lookedAt) Done() <-chan struct{} {
	c.times.Add(1)
	return c.Context.Done()
}

func TestShutdownWaitsForAMatchThatHasWrittenNothing(t *testing.T) {
	r := newMatch(t)
	ctx := &lookedAt{Context: context.Background()}
	finished := make(chan struct{})
	go func() {
		r.shim.shutdown(ctx, r.logger, nil, r.nakama)
		close(finished)
	}()
	r.await("shutdown to wait", func() bool { return ctx.times.Load() >= 3 })
	r.cancel()
	<-finished
	if r.shim.live.Load() != 0 {
		t.Error("shut down before the match had stopped")
	}
}

func TestWhatIsNotWrittenBeforeTheGraceTimeEndsIsSaved(t *testing.T) {
	r := newMatch(t)
	folder := t.TempDir()
	r.shim.effects = newShim(r.nakama, r.logger, settings{rescueDir: folder}).effects
	r.nakama.storeScript = func(int, *runtime.StorageWrite) error { return errors.New("scripted: database away") }
	r.shim.effects.Add([]*pb.Effect{r.match.rescueEffect("a test")})
	r.cancel()
	r.await("the match to stop", func() bool { return r.shim.live.Load() == 0 })
	ctx, cancel := context.WithTimeout(context.Background(), 100*time.Millisecond)
	defer cancel()
	r.shim.shutdown(ctx, r.logger, nil, r.nakama)
	if ctx.Err() != nil {
		t.Error("the grace time was over before the effect was saved")
	}
	if saved, _ := os.ReadDir(folder); len(saved) != 1 {
		t.Errorf("%d files were saved", len(saved))
	}
}

func TestShutdownEndsWithTheGraceTime(t *testing.T) {
	r := newMatch(t)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	r.shim.shutdown(ctx, r.logger, nil, r.nakama)
	if r.shim.live.Load() != 1 {
		t.Error("the match was not running")
	}
}

func TestMatchesCanStillCallWhileTheServerShutsDown(t *testing.T) {
	r := newMatch(t)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	r.shim.shutdown(ctx, r.logger, nil, r.nakama)
	r.terminate(5)
	wantMethods(t, r, "MatchTerminate")
	if r.match.outage.down {
		t.Error("the connection was closed")
	}
}

func TestAMatchThatStopsWithoutACallbackLeavesNothingBehind(t *testing.T) {
	r := newMatch(t)
	r.unplug()
	r.loops(20)
	r.cancel()
	r.await("the match to be forgotten", func() bool { return r.shim.live.Load() == 0 })
	if r.nakama.gauge("set_paused_matches") != 0 || len(r.shim.open.Oldest("key", 1)) != 0 {
		t.Error("something is left")
	}
	r.match.pausedShare.set(r.nakama, 1)
	if r.nakama.gauge("set_paused_matches") != 0 {
		t.Error("a match that is gone was counted again")
	}
}
