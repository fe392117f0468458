// Package effects writes the results of matches to Nakama's storage and leaderboards, outside the goroutines of the matches. A
// failed write delays neither other effects nor a match (docs/decisions.md, E65).
package effects

import (
	"context"
	"errors"
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
	drainingPause  = 100 * time.Millisecond // between attempts while the server shuts down
	slotsPerKind   = 4                      // concurrent attempts, each for storage and for leaderboards
	maxBytes       = 64 << 20               // of all effects in memory
	lateKeepTime   = 500 * time.Millisecond // to keep an effect that is added after Stop
)

// Meters counts effects. Its methods are called from several goroutines at the same time.
type Meters interface {
	// EffectsWait is called with the change of the number of effects in memory.
	EffectsWait(delta int)
	// EffectFailed is called for each failed attempt.
	EffectFailed()
	// EffectSetAside is called for each effect that is set aside, with the reason.
	EffectSetAside(reason Reason)
}

// Owner keeps effects across a restart of the server until they are done. Its methods are called from several goroutines.
type Owner interface {
	// Done is called once for each effect that the owner must no longer keep: it is written, it can never be written, or a file
	// has it.
	Done(effect *pb.Effect)
	// Keeps waits until the owner keeps its effects, at most until the context ends, and reports whether it keeps them.
	Keeps(ctx context.Context) bool
	// Lost reports whether another process has the effects of this owner. The worker then drops them.
	Lost() bool
}

// Config is the environment of a worker.
type Config struct {
	Sink     Sink             // Nakama's storage and leaderboards
	Folder   string           // for the files of effects that are set aside; empty: no files
	Meters   Meters           // counts effects
	Logger   runtime.Logger   // logs failed attempts and effects that are set aside
	Now      func() time.Time // the time of day
	Panicked func(value any)  // called after a panic in an attempt, which then counts as failed
}

// Worker retries the write of each effect until the write succeeds, the database rejects it or the effect expires.
type Worker struct {
	Config
	folder   folder
	maxBytes int // of all effects in memory
	after    func(time.Duration) <-chan time.Time
	storage  chan struct{} // slots for attempts
	ranking  chan struct{}
	draining chan struct{} // closed: the server is shutting down
	stopped  chan struct{} // closed: no more attempts

	saving sync.Mutex // guards the files of entries

	mu     sync.Mutex
	queues map[string][]*entry // by target: the effects on one target are written in order
	files  map[string]bool     // the files of entries in the queues
	unread bool                // the folder may have files to load
	bytes  int                 // of all effects in the queues
}

// entry is an effect in a queue.
type entry struct {
	effect *pb.Effect
	owner  Owner  // nil: none
	file   string // path of its file; empty: none
	done   bool   // written or set aside; guarded by mu
}

// New returns a worker without effects.
func New(c Config) *Worker {
	return &Worker{
		Config: c, folder: folder{c.Folder}, maxBytes: maxBytes, after: time.After,
		storage: make(chan struct{}, slotsPerKind), ranking: make(chan struct{}, slotsPerKind),
		draining: make(chan struct{}), stopped: make(chan struct{}),
		queues: make(map[string][]*entry), files: make(map[string]bool),
	}
}

// Add enqueues effects of an owner; nil: no owner. Effects that can never be written are set aside.
func (w *Worker) Add(owner Owner, effects []*pb.Effect) {
	for _, effect := range effects {
		e := &entry{effect: effect, owner: owner}
		if problem := Problem(effect); problem != "" {
			w.setAside(e, Rejected, errors.New(problem))
		} else if reason := w.enqueue(e); reason == Shutdown {
			ctx, cancel := context.WithTimeout(context.Background(), lateKeepTime)
			w.leave(ctx, e)
			cancel()
		} else if reason != "" {
			w.setAside(e, reason, nil)
		}
	}
}

// Load enqueues the saved effects with the reason Shutdown or Full, as many as fit in memory. The worker calls Load again when
// its queues are empty and files may be left.
func (w *Worker) Load() {
	w.mu.Lock()
	w.unread = false
	w.mu.Unlock()
	for _, path := range w.folder.loadable() {
		effect, err := readFile(path)
		if err != nil {
			w.Logger.WithFields(map[string]any{"file": path, "error": err.Error()}).Error("set: saved effect not readable")
			continue
		}
		if w.enqueue(&entry{effect: effect, file: path}) == Full {
			w.mu.Lock()
			w.unread = true
			w.mu.Unlock()
			return
		}
	}
}

// Idle reports whether all queues are empty.
func (w *Worker) Idle() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return len(w.queues) == 0
}

// Drain ends all pauses between attempts and shortens the later ones, because the server is shutting down. Call it once.
func (w *Worker) Drain() {
	close(w.draining)
}

// Stop ends all attempts. Effects that are not written are left to their owners, at most until the context ends, or saved. Call
// it once.
func (w *Worker) Stop(ctx context.Context) {
	w.mu.Lock()
	close(w.stopped)
	var rest []*entry
	for _, queue := range w.queues {
		for _, e := range queue {
			if !e.done {
				rest = append(rest, e)
			}
		}
	}
	w.mu.Unlock()
	for _, e := range rest {
		w.leave(ctx, e)
	}
}

// enqueue appends an effect to the queue of its target. It returns the reason if this is not possible, otherwise an empty one.
func (w *Worker) enqueue(e *entry) Reason {
	w.mu.Lock()
	defer w.mu.Unlock()
	size := proto.Size(e.effect)
	switch {
	case isClosed(w.stopped):
		return Shutdown
	case w.bytes+size > w.maxBytes:
		w.unread = w.Folder != ""
		return Full
	case e.file != "" && w.files[e.file]:
		return ""
	}
	w.bytes += size
	if e.file != "" {
		w.files[e.file] = true
	}
	w.Meters.EffectsWait(1)
	target := targetOf(e.effect)
	waiting, running := w.queues[target]
	w.queues[target] = append(waiting, e)
	if !running {
		go w.run(target)
	}
	return ""
}

// run writes the effects of one queue until the queue is empty or the worker stops.
func (w *Worker) run(target string) {
	for e := w.head(target); e != nil; e = w.next(target) {
		if !w.finish(e) {
			return
		}
	}
	if w.isReadyToLoad() {
		w.Load()
	}
}

func (w *Worker) head(target string) *entry {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.queues[target][0]
}

// next removes the head of a queue and returns the effect after it, nil after the last.
func (w *Worker) next(target string) *entry {
	w.mu.Lock()
	defer w.mu.Unlock()
	queue := w.queues[target]
	w.bytes -= proto.Size(queue[0].effect)
	delete(w.files, queue[0].file)
	w.Meters.EffectsWait(-1)
	if len(queue) == 1 {
		delete(w.queues, target)
		return nil
	}
	w.queues[target] = queue[1:]
	return queue[1]
}

func (w *Worker) isReadyToLoad() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.unread && len(w.queues) == 0 && !isClosed(w.stopped)
}

func isClosed(channel <-chan struct{}) bool {
	select {
	case <-channel:
		return true
	default:
		return false
	}
}
