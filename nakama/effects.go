package main

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/heroiclabs/nakama-common/api"
	"github.com/heroiclabs/nakama-common/runtime"

	"setmatch/nakama/pb"
)

const (
	effectTimeout       = 5 * time.Second
	effectBackoff       = 250 * time.Millisecond
	effectBackoffMax    = 30 * time.Second
	effectsKeptFor      = 10 * time.Minute
	effectsSideBySide   = 4
	versionMustNotExist = "*"
)

// effectSink is the part of Nakama's module that effects are written to.
type effectSink interface {
	StorageWrite(ctx context.Context, writes []*runtime.StorageWrite) ([]*api.StorageObjectAck, error)
	rankSink
}

// effectBatch is effects that are applied in order. It remembers how far it came.
type effectBatch struct {
	effects   []*pb.Effect
	next      int
	uncertain bool // the next effect was tried, and may have been written although that failed
}

// effectWorker applies effects off the matches' path: those of one match in order, those of several side by side, so
// that one match whose write fails holds up no other.
type effectWorker struct {
	sink   effectSink
	shim   *shim
	logger runtime.Logger
	now    func() time.Time
	sleep  func(time.Duration)
	places chan struct{}

	mu    sync.Mutex
	lanes map[string][]*effectBatch
}

func newEffectWorker(sink effectSink, s *shim, logger runtime.Logger) *effectWorker {
	return &effectWorker{
		sink: sink, shim: s, logger: logger, now: time.Now, sleep: time.Sleep,
		places: make(chan struct{}, effectsSideBySide), lanes: make(map[string][]*effectBatch),
	}
}

// add takes the batches of one match over.
func (w *effectWorker) add(matchID string, batches []*effectBatch) {
	if len(batches) == 0 {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	waiting, running := w.lanes[matchID]
	w.lanes[matchID] = append(waiting, batches...)
	w.shim.meters.effectsWait(len(batches))
	if !running {
		go w.run(matchID)
	}
}

// idle reports whether everything has been written.
func (w *effectWorker) idle() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return len(w.lanes) == 0
}

func (w *effectWorker) run(matchID string) {
	defer w.shim.recovered(w.logger, "effects")
	for batch := w.first(matchID); batch != nil; batch = w.following(matchID) {
		w.finish(batch)
	}
}

func (w *effectWorker) first(matchID string) *effectBatch {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.lanes[matchID][0]
}

// following drops a finished batch and returns the next one of the match, or nil after the last.
func (w *effectWorker) following(matchID string) *effectBatch {
	w.mu.Lock()
	defer w.mu.Unlock()
	rest := w.lanes[matchID][1:]
	w.shim.meters.effectsWait(-1)
	if len(rest) == 0 {
		delete(w.lanes, matchID)
		return nil
	}
	w.lanes[matchID] = rest
	return rest[0]
}

// finish tries a batch until it is written or ten minutes have gone.
func (w *effectWorker) finish(batch *effectBatch) {
	giveUpAt := w.now().Add(effectsKeptFor)
	for pause := effectBackoff; !w.advance(batch); pause = min(2*pause, effectBackoffMax) {
		if !w.now().Before(giveUpAt) {
			w.abandon(batch)
			return
		}
		w.sleep(pause)
	}
}

func (w *effectWorker) abandon(batch *effectBatch) {
	w.shim.meters.count(abandonedEffects, len(batch.effects)-batch.next)
	w.logger.WithField("effects", len(batch.effects)-batch.next).Error("set: gave up writing effects after ten minutes")
}

// advance applies a batch from where it stopped and reports whether it is finished.
func (w *effectWorker) advance(batch *effectBatch) (finished bool) {
	w.places <- struct{}{}
	defer func() { <-w.places }()
	defer w.shim.recovered(w.logger, "effects")
	for batch.next < len(batch.effects) {
		if !w.applyNext(batch) {
			return false
		}
	}
	return true
}

// applyNext tells a conflict with what an earlier try of the same effect wrote before it failed, for example because the
// answer was lost, from a batch that was applied before.
func (w *effectWorker) applyNext(batch *effectBatch) bool {
	triedBefore := batch.uncertain
	batch.uncertain = true // a panic says as little of what was written as an error
	err := w.apply(batch.effects[batch.next], triedBefore)
	switch {
	case err == nil, triedBefore && isConflict(err):
		batch.next++
		batch.uncertain = false
	case isConflict(err):
		batch.next = len(batch.effects)
	default:
		w.shim.meters.count(failedEffects, 1)
		w.logger.WithField("error", err.Error()).Warn("set: could not write an effect, will try again")
		return false
	}
	return true
}

func isConflict(err error) bool {
	return errors.Is(err, runtime.ErrStorageRejectedVersion)
}

func (w *effectWorker) apply(effect *pb.Effect, triedBefore bool) error {
	ctx, cancel := context.WithTimeout(context.Background(), effectTimeout)
	defer cancel()
	if write := effect.GetStorageWrite(); write != nil {
		_, err := w.sink.StorageWrite(ctx, []*runtime.StorageWrite{toStorage(write)})
		return err
	}
	return rank(ctx, w.sink, effect.GetLeaderboardWrite(), triedBefore)
}

func toStorage(w *pb.StorageWrite) *runtime.StorageWrite {
	write := &runtime.StorageWrite{
		Collection: w.Collection, Key: w.Key, UserID: w.UserId, Value: string(w.Value),
		PermissionRead: int(w.PermissionRead), PermissionWrite: runtime.STORAGE_PERMISSION_NO_WRITE,
	}
	if w.CreateOnly {
		write.Version = versionMustNotExist
	}
	return write
}

// batches takes a step's effects over, with the record in the writes that ask for it.
func (m *matchState) batches(from []*pb.EffectBatch) []*effectBatch {
	var list []*effectBatch
	for _, batch := range from {
		for _, effect := range batch.GetEffects() {
			if w := effect.GetStorageWrite(); w != nil && w.RecordField != "" {
				w.Value = m.record.into(w.Value, w.RecordField)
			}
		}
		list = append(list, &effectBatch{effects: batch.GetEffects()})
	}
	return list
}
