package match

import (
	"context"
	"errors"
	"os"
	"sync/atomic"
	"testing"
	"time"

	"github.com/heroiclabs/nakama-common/runtime"
	"google.golang.org/protobuf/proto"

	"setmatch/nakama/internal/config"
	"setmatch/nakama/pb"
)

func TestShutdownWaitsForMatchesAndWrites(t *testing.T) {
	r := newMatch(t)
	release := make(chan struct{})
	r.nakama.StoreScript = func(int, *runtime.StorageWrite) error { <-release; return nil }
	r.shared.Effects.Add(nil, []*pb.Effect{r.match.rescueEffect("a test")})
	finished := make(chan struct{})
	go func() {
		r.shared.Shutdown(context.Background(), r.logger, nil, r.nakama)
		close(finished)
	}()
	r.cancel()
	r.waitUntil("the match stops", func() bool { return r.shared.liveMatches.Load() == 0 })
	select {
	case <-finished:
		t.Fatal("shutdown returned before all effects were written")
	default:
	}
	close(release)
	<-finished
	if len(r.nakama.Writes()) != 1 {
		t.Error("the write was lost")
	}
}

// countingContext counts the calls of Done.
type countingContext struct {
	context.Context
	doneCalls atomic.Int64
}

// Done counts the call and returns the channel of the wrapped context.
func (c *countingContext) Done() <-chan struct{} {
	c.doneCalls.Add(1)
	return c.Context.Done()
}

func TestShutdownWaitsForMatchWithoutWrites(t *testing.T) {
	r := newMatch(t)
	ctx := &countingContext{Context: context.Background()}
	finished := make(chan struct{})
	go func() {
		r.shared.Shutdown(ctx, r.logger, nil, r.nakama)
		close(finished)
	}()
	r.waitUntil("shutdown waits", func() bool { return ctx.doneCalls.Load() >= 3 })
	r.cancel()
	<-finished
	if r.shared.liveMatches.Load() != 0 {
		t.Error("shutdown returned before the match had stopped")
	}
}

// unsavedOwner is an owner whose row cannot be written.
type unsavedOwner struct{ until time.Time }

func (o *unsavedOwner) Done(*pb.Effect) {}
func (o *unsavedOwner) Lost() bool      { return false }

// Keeps stores how long it may wait.
func (o *unsavedOwner) Keeps(ctx context.Context) bool {
	o.until, _ = ctx.Deadline()
	return false
}

func TestUnwrittenEffectIsSavedBeforeGraceTimeEnds(t *testing.T) {
	r := newMatch(t)
	folder := t.TempDir()
	r.shared.Effects = New(r.nakama, r.logger, config.Settings{RescueDir: folder}).Effects
	r.nakama.StoreScript = func(int, *runtime.StorageWrite) error { return errors.New("scripted: database unavailable") }
	r.shared.now = time.Now // the effect expires a day later, in real time
	owner := &unsavedOwner{}
	r.shared.Effects.Add(owner, []*pb.Effect{r.match.rescueEffect("a test")})
	r.cancel()
	r.waitUntil("the match stops", func() bool { return r.shared.liveMatches.Load() == 0 })
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Second)
	defer cancel()
	r.shared.Shutdown(ctx, r.logger, nil, r.nakama)
	if ctx.Err() != nil {
		t.Error("the grace time was over before the effect was saved")
	}
	if saved, _ := os.ReadDir(folder); len(saved) != 1 {
		t.Errorf("%d files were saved", len(saved))
	}
	if end, _ := ctx.Deadline(); !owner.until.Before(end) {
		t.Errorf("the owner may wait until %v, the process ends at %v", owner.until, end)
	}
}

func TestShutdownEndsWithGraceTime(t *testing.T) {
	r := newMatch(t)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	r.shared.Shutdown(ctx, r.logger, nil, r.nakama)
	if r.shared.liveMatches.Load() != 1 {
		t.Error("the match was not running")
	}
}

func TestMatchCanCallDuringShutdown(t *testing.T) {
	r := newMatch(t)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	r.shared.Shutdown(ctx, r.logger, nil, r.nakama)
	r.terminate(5)
	wantMethods(t, r, "MatchTerminate")
	if r.match.outage.Down {
		t.Error("the connection was closed")
	}
}

func TestMatchStoppedWithoutCallbackIsCleanedUp(t *testing.T) {
	r := newMatch(t)
	r.disconnect()
	r.loops(20)
	r.cancel()
	r.waitUntil("the match is removed", func() bool { return r.shared.liveMatches.Load() == 0 })
	if r.nakama.Gauge("set_paused_matches") != 0 || len(r.shared.Open.Oldest("key", 1)) != 0 {
		t.Error("the stopped match is still counted or listed")
	}
	r.match.gauges.paused.Set(1)
	if r.nakama.Gauge("set_paused_matches") != 0 {
		t.Error("a stopped match was counted again")
	}
}

func TestStoppedMatchIsNotListedByItsLastCallback(t *testing.T) {
	r := newMatch(t)
	r.cancel()
	r.waitUntil("the match is removed", func() bool { return r.shared.liveMatches.Load() == 0 })
	r.match.updateLabel(&pb.Step{Label: proto.String(`{"open":1,"key":"key","phase":"NEW"}`)}, r.out)
	r.join("ann")
	if open := r.shared.Open.Oldest("key", 1); len(open) > 0 {
		t.Errorf("%q is listed as open", open)
	}
	if matches := r.shared.Members.Matches("user of ann"); len(matches) > 0 {
		t.Errorf("ann is in %q", matches)
	}
}
