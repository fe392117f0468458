// Package effects writes the results of matches to Nakama's storage and leaderboards, off the matches' path. Each effect is
// written on its own: one that fails holds up neither another effect nor a match (docs/decisions.md, E65).
package effects

import (
	"context"
	"sync"
	"time"

	"github.com/heroiclabs/nakama-common/runtime"
	"google.golang.org/protobuf/proto"

	"setmatch/nakama/pb"
)

const (
	attemptTimeout = 5 * time.Second
	firstPause     = 250 * time.Millisecond
	longestPause   = 30 * time.Second
	hurriedPause   = 100 * time.Millisecond // between attempts while the server shuts down
	atOnce         = 4                      // attempts at the same time
	maxBytes       = 64 << 20               // of all effects that wait
)

// Meters counts what a worker does. Its methods are called from several goroutines at once.
type Meters interface {
	// EffectsWait is called with the change of the number of effects that wait.
	EffectsWait(delta int)
	// EffectFailed is called for each failed attempt.
	EffectFailed()
	// EffectSetAside is called for each effect that is given up, with the reason.
	EffectSetAside(reason Reason)
}

// Config is what a worker needs.
type Config struct {
	Sink     Sink             // where effects are written
	Folder   string           // where effects are saved that are given up; empty: nowhere
	Meters   Meters           // counts them
	Logger   runtime.Logger   // gets failed attempts and what was given up
	Now      func() time.Time // the time of day
	Panicked func(value any)  // is called after a panic during an attempt, which then counts as failed
}

// Worker writes effects until they are done, rejected or expired.
type Worker struct {
	Config
	shelf  shelf
	after  func(time.Duration) <-chan time.Time
	places chan struct{}
	hurry  chan struct{} // closed: the server shuts down
	stop   chan struct{} // closed: no more attempts

	saving sync.Mutex // guards the files of entries

	mu      sync.Mutex
	lanes   map[string][]*entry // by target: the effects on one target are written in order
	bytes   int
	stopped bool
}

// entry is an effect that waits.
type entry struct {
	effect *pb.Effect
	file   string // in which the shelf keeps it; empty: in none
}

// New makes a worker.
func New(c Config) *Worker {
	return &Worker{
		Config: c, shelf: shelf{c.Folder}, after: time.After, places: make(chan struct{}, atOnce),
		hurry: make(chan struct{}), stop: make(chan struct{}), lanes: make(map[string][]*entry),
	}
}

// Add takes effects over. They were checked with Problem.
func (w *Worker) Add(effects []*pb.Effect) {
	for _, effect := range effects {
		w.add(&entry{effect: effect})
	}
}

// Restore takes over the effects that an earlier process saved when it was shut down.
func (w *Worker) Restore() {
	for _, e := range w.shelf.load(w.Logger) {
		w.add(e)
	}
}

// Idle reports whether nothing waits.
func (w *Worker) Idle() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return len(w.lanes) == 0
}

// Hurry makes waiting effects be tried at once and then again and again, because the server shuts down. It is called once.
func (w *Worker) Hurry() {
	close(w.hurry)
}

// Stop ends all attempts and saves what has not been written. It is called once.
func (w *Worker) Stop() {
	close(w.stop)
	w.mu.Lock()
	w.stopped = true
	var rest []*entry
	for _, lane := range w.lanes {
		rest = append(rest, lane...)
	}
	w.mu.Unlock()
	for _, e := range rest {
		w.setAside(e, Shutdown, nil)
	}
}

func (w *Worker) add(e *entry) {
	if !w.enqueue(e) {
		w.setAside(e, Full, nil)
	}
}

// enqueue appends an effect to the lane of its target. It reports false if there is no room, or the worker has stopped.
func (w *Worker) enqueue(e *entry) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	size := proto.Size(e.effect)
	if w.stopped || w.bytes+size > maxBytes {
		return false
	}
	w.bytes += size
	w.Meters.EffectsWait(1)
	target := targetOf(e.effect)
	waiting, running := w.lanes[target]
	w.lanes[target] = append(waiting, e)
	if !running {
		go w.run(target)
	}
	return true
}

// run writes the effects of one lane until the lane is empty or the worker stops.
func (w *Worker) run(target string) {
	for e := w.head(target); e != nil; e = w.next(target) {
		if !w.finish(e) {
			return
		}
	}
}

func (w *Worker) head(target string) *entry {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.lanes[target][0]
}

// next drops the head of a lane and returns the effect after it, nil after the last.
func (w *Worker) next(target string) *entry {
	w.mu.Lock()
	defer w.mu.Unlock()
	lane := w.lanes[target]
	w.bytes -= proto.Size(lane[0].effect)
	w.Meters.EffectsWait(-1)
	if len(lane) == 1 {
		delete(w.lanes, target)
		return nil
	}
	w.lanes[target] = lane[1:]
	return lane[1]
}

// finish tries an effect until it is written or given up. It reports false if the worker was stopped meanwhile.
func (w *Worker) finish(e *entry) bool {
	pause := firstPause
	for attempts := 1; !isClosed(w.stop); attempts++ {
		if w.Now().UnixMilli() >= e.effect.ExpiresUnixMs {
			w.setAside(e, Expired, nil)
			return true
		}
		err := w.attempt(e)
		switch {
		case err == nil:
			w.forget(e)
			return true
		case isPermanent(err):
			w.setAside(e, Rejected, err)
			return true
		}
		w.note(e, attempts, err)
		if !w.wait(pause) {
			return false
		}
		pause = min(2*pause, longestPause)
	}
	return false
}

// attempt writes an effect once.
func (w *Worker) attempt(e *entry) (err error) {
	w.places <- struct{}{}
	defer func() { <-w.places }()
	defer func() {
		if value := recover(); value != nil {
			w.Panicked(value)
			err = errPanicked
		}
	}()
	ctx, cancel := context.WithTimeout(context.Background(), attemptTimeout)
	defer cancel()
	return write(ctx, w.Sink, e.effect)
}

// note counts a failed attempt and logs the first, second, fourth and so on of each effect.
func (w *Worker) note(e *entry, attempts int, err error) {
	w.Meters.EffectFailed()
	if attempts&(attempts-1) == 0 {
		w.Logger.WithFields(map[string]any{
			"target": targetOf(e.effect), "attempts": attempts, "error": err.Error(),
		}).Warn("set: effect not written, will retry")
	}
}

// wait lets some time pass before the next attempt: none at the moment when the server begins to shut down, and little from
// then on. It reports false if the worker was stopped.
func (w *Worker) wait(pause time.Duration) bool {
	hurry := w.hurry
	if isClosed(hurry) {
		pause, hurry = min(pause, hurriedPause), nil
	}
	select {
	case <-w.stop:
		return false
	case <-hurry:
	case <-w.after(pause):
	}
	return true
}

func isClosed(channel <-chan struct{}) bool {
	select {
	case <-channel:
		return true
	default:
		return false
	}
}

// forget deletes the file of an effect that has been written.
func (w *Worker) forget(e *entry) {
	w.saving.Lock()
	defer w.saving.Unlock()
	if err := w.shelf.remove(e); err != nil {
		w.Logger.WithFields(map[string]any{"file": e.file, "error": err.Error()}).Error("set: saved effect not deleted")
	}
}

// setAside gives an effect up: it is counted, logged and saved.
func (w *Worker) setAside(e *entry, reason Reason, cause error) {
	w.Meters.EffectSetAside(reason)
	fields := map[string]any{"target": targetOf(e.effect), "reason": string(reason)}
	if cause != nil {
		fields["error"] = cause.Error()
	}
	w.saving.Lock()
	defer w.saving.Unlock()
	if err := w.shelf.save(e, reason, w.Now()); err != nil {
		fields["save error"] = err.Error()
	}
	fields["file"] = e.file
	w.Logger.WithFields(fields).Error("set: effect given up")
}
