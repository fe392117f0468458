package main

import (
	"errors"
	"fmt"
	"reflect"
	"sync"
	"testing"
	"time"

	"github.com/heroiclabs/nakama-common/runtime"

	"setmatch/nakama/pb"
)

var errDatabase = errors.New("scripted: database away")

// newWorker makes a worker whose pauses take no time but are written down.
func newWorker(n *fakeNakama) (*effectWorker, *pauses) {
	p := &pauses{at: clockStart}
	w := newEffectWorker(n, &shim{meters: &meters{nk: n}}, newFakeLogger())
	w.now, w.sleep = p.now, p.sleep
	return w, p
}

type pauses struct {
	mu    sync.Mutex
	at    time.Time
	slept []time.Duration
}

func (p *pauses) now() time.Time {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.at
}

func (p *pauses) sleep(d time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.slept = append(p.slept, d)
	p.at = p.at.Add(d)
}

func storing(key string, createOnly bool) *pb.Effect {
	w := &pb.StorageWrite{Collection: "c", Key: key, Value: []byte("{}"), CreateOnly: createOnly, PermissionRead: 2}
	return &pb.Effect{Kind: &pb.Effect_StorageWrite{StorageWrite: w}}
}

func ranking(score int64) *pb.Effect {
	w := &pb.LeaderboardWrite{LeaderboardId: "wins", OwnerId: "ann", Score: score}
	return &pb.Effect{Kind: &pb.Effect_LeaderboardWrite{LeaderboardWrite: w}}
}

func batchOf(effects ...*pb.Effect) []*effectBatch {
	return []*effectBatch{{effects: effects}}
}

func finish(t *testing.T, w *effectWorker) {
	t.Helper()
	r := &rig{t: t}
	r.await("the effects to be written", w.idle)
}

func keys(n *fakeNakama) []string {
	list := []string{}
	for _, w := range n.writes() {
		list = append(list, w.Key)
	}
	return list
}

func TestEffectsOfAMatchAreWrittenInOrder(t *testing.T) {
	n := newFakeNakama()
	w, _ := newWorker(n)
	want := []string{}
	for i := range 50 {
		w.add("m", batchOf(storing(fmt.Sprint(i), false)))
		want = append(want, fmt.Sprint(i))
	}
	finish(t, w)
	if got := keys(n); !reflect.DeepEqual(got, want) {
		t.Errorf("written %v", got)
	}
}

func TestStorageWriteIsPassedOnWhole(t *testing.T) {
	n := newFakeNakama()
	w, _ := newWorker(n)
	w.add("m", batchOf(storing("k", true)))
	finish(t, w)
	want := runtime.StorageWrite{Collection: "c", Key: "k", Value: "{}", Version: "*", PermissionRead: 2}
	if got := *n.writes()[0]; got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
}

func TestABatchGoesOnWhereItStopped(t *testing.T) {
	n := newFakeNakama()
	n.rankScript = func(attempt int) error {
		if attempt < 5 {
			return errDatabase
		}
		return nil
	}
	w, p := newWorker(n)
	w.add("m", batchOf(storing("record", true), ranking(7), storing("after", false)))
	finish(t, w)
	if got := keys(n); !reflect.DeepEqual(got, []string{"record", "after"}) {
		t.Errorf("written %v", got)
	}
	if got := n.ranks(); !reflect.DeepEqual(got, []string{"wins ann 7"}) {
		t.Errorf("ranked %v", got)
	}
	want := []time.Duration{250 * time.Millisecond, 500 * time.Millisecond, time.Second}
	if !reflect.DeepEqual(p.slept, want) {
		t.Errorf("paused %v, want %v", p.slept, want)
	}
}

//proves:fault F6
func TestABatchThatWasAppliedBeforeIsSkipped(t *testing.T) {
	n := newFakeNakama()
	n.storeScript = func(_ int, w *runtime.StorageWrite) error {
		if w.Version == "*" {
			return runtime.ErrStorageRejectedVersion
		}
		return nil
	}
	w, _ := newWorker(n)
	w.add("m", batchOf(storing("record", true), ranking(7)))
	w.add("m", batchOf(storing("next batch", false)))
	finish(t, w)
	if got := keys(n); !reflect.DeepEqual(got, []string{"next batch"}) || len(n.ranks()) > 0 {
		t.Errorf("written %v, ranked %v", got, n.ranks())
	}
}

func TestAWriteThatMayHaveBeenDoneIsNotTakenForAnOldOne(t *testing.T) {
	for name, first := range map[string]func() error{
		"its answer was lost": func() error { return errDatabase },
		"it panicked":         func() error { panic("scripted") },
	} {
		t.Run(name, func(t *testing.T) {
			n := newFakeNakama()
			n.storeScript = func(attempt int, _ *runtime.StorageWrite) error {
				if attempt == 1 {
					return first()
				}
				return runtime.ErrStorageRejectedVersion
			}
			w, _ := newWorker(n)
			w.add("m", batchOf(storing("record", true), ranking(7)))
			finish(t, w)
			if got := n.ranks(); !reflect.DeepEqual(got, []string{"wins ann 7"}) {
				t.Errorf("ranked %v", got)
			}
		})
	}
}

func TestOnlyTheSameWriteCanBeItsOwn(t *testing.T) {
	n := newFakeNakama()
	n.storeScript = func(attempt int, w *runtime.StorageWrite) error {
		switch {
		case attempt == 1:
			return errDatabase
		case w.Version == "*":
			return runtime.ErrStorageRejectedVersion
		default:
			return nil
		}
	}
	w, _ := newWorker(n)
	w.add("m", batchOf(storing("first", false), storing("record", true), ranking(7)))
	finish(t, w)
	if got := n.ranks(); len(got) > 0 {
		t.Errorf("ranked %v after a record that was there before", got)
	}
}

func TestABatchIsGivenUpAfterTenMinutes(t *testing.T) {
	n := newFakeNakama()
	n.storeScript = func(int, *runtime.StorageWrite) error { return errDatabase }
	w, p := newWorker(n)
	w.add("m", batchOf(storing("record", true), ranking(7)))
	finish(t, w)
	if gone := p.now().Sub(clockStart); gone < effectsKeptFor || gone > effectsKeptFor+effectBackoffMax {
		t.Errorf("given up after %v", gone)
	}
	if got := n.counter(abandonedEffects); got != 2 || len(n.ranks()) > 0 {
		t.Errorf("%d abandoned effects counted, ranked %v", got, n.ranks())
	}
}

func TestAMatchWhoseWritesFailHoldsUpNoOther(t *testing.T) {
	n := newFakeNakama()
	var mu sync.Mutex
	stuck := true
	n.storeScript = func(_ int, w *runtime.StorageWrite) error {
		mu.Lock()
		defer mu.Unlock()
		if w.Key == "stuck" && stuck {
			return errDatabase
		}
		return nil
	}
	w, _ := newWorker(n)
	w.now = func() time.Time { return clockStart }
	w.add("a", batchOf(storing("stuck", false)))
	w.add("b", batchOf(storing("free", false)))
	r := &rig{t: t}
	r.await("the other match's write", func() bool { return reflect.DeepEqual(keys(n), []string{"free"}) })
	mu.Lock()
	stuck = false
	mu.Unlock()
	finish(t, w)
}

func TestAPanicWhileWritingIsTriedAgain(t *testing.T) {
	n := newFakeNakama()
	n.storeScript = func(attempt int, _ *runtime.StorageWrite) error {
		if attempt == 1 {
			panic("scripted")
		}
		return nil
	}
	w, _ := newWorker(n)
	w.add("m", batchOf(storing("record", false)))
	finish(t, w)
	if got := keys(n); !reflect.DeepEqual(got, []string{"record"}) || n.counter(recoveredPanics) != 1 {
		t.Errorf("written %v, %d panics", got, n.counter(recoveredPanics))
	}
}

func TestEffectsThatWaitAreCounted(t *testing.T) {
	n, gate := newFakeNakama(), make(chan struct{})
	w, _ := newWorker(n)
	n.storeScript = func(int, *runtime.StorageWrite) error { <-gate; return nil }
	w.add("m", append(batchOf(storing("a", false)), batchOf(storing("b", false))...))
	if got := n.gauge(waitingEffects); got != 2 {
		t.Errorf("%v batches wait, want 2", got)
	}
	close(gate)
	finish(t, w)
	if got := n.gauge(waitingEffects); got != 0 {
		t.Errorf("%v batches wait, want 0", got)
	}
}
