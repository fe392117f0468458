package match

import (
	"context"
	"database/sql"
	"errors"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/heroiclabs/nakama-common/runtime"

	"setmatch/nakama/internal/checkpoint"
	"setmatch/nakama/internal/config"
	"setmatch/nakama/pb"
)

// saveTime is the maximum time for which a step with effects or an end waits until its row is written.
const saveTime = 500 * time.Millisecond

// revivalAge is the maximum time for which a server may be down so that its matches are revived.
const revivalAge = time.Hour

// OpenSaves opens the store of matches, unless matches are not saved.
func (s *Shared) OpenSaves(ctx context.Context, logger runtime.Logger, db *sql.DB, settings config.Settings) (err error) {
	if settings.CheckpointMs == 0 {
		return nil
	}
	node, _ := ctx.Value(runtime.RUNTIME_CTX_NODE).(string)
	s.Saves, err = checkpoint.Open(ctx, checkpoint.Config{
		DB: db, Node: node, Interval: time.Duration(settings.CheckpointMs) * time.Millisecond, MaxAge: revivalAge,
		Meters: s.Meters, Logger: logger, Panicked: func(value any) { s.Panics.Report(logger, "saves", value) },
	})
	return err
}

// saver writes the row of one match, and keeps the effects of the match in the row until they are done. The match and the effects
// worker use it at the same time.
type saver struct {
	entry   *checkpoint.Entry // nil: the match is not saved
	stopped atomic.Bool       // another process has the match: this one sends and writes nothing

	mu      sync.Mutex
	image   *matchImage  // the newest image; nil: none yet
	effects []*pb.Effect // not done, in order; replaced by each change
}

// lose stops the match without a message, because another process has it.
func (s *saver) lose() {
	s.stopped.Store(true)
}

// Lost reports whether another process has the match.
func (s *saver) Lost() bool {
	return s.stopped.Load()
}

// add adds effects to the next image.
func (s *saver) add(effects []*pb.Effect) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.effects = slices.Concat(s.effects, effects)
}

// update writes a new image in the background.
func (s *saver) update(image matchImage) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.image = &image
	s.write()
}

// write writes the newest image with the effects that are not done, or deletes the row if the match has ended and all effects are
// done. The caller holds the mutex.
func (s *saver) write() {
	image := *s.image
	image.effects = s.effects
	if image.ended && len(image.effects) == 0 {
		s.entry.Delete()
		return
	}
	s.entry.Update(image)
}

// Done removes an effect from the row.
func (s *saver) Done(effect *pb.Effect) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.effects = slices.DeleteFunc(slices.Clone(s.effects), func(one *pb.Effect) bool { return one == effect })
	if s.image != nil {
		s.write()
	}
}

// Keeps waits until the row is written, at most until the context ends, and reports whether it is written.
func (s *saver) Keeps(ctx context.Context) bool {
	return s.entry != nil && s.entry.Flush(ctx) == nil
}

// save writes the row in the background if the match has changed.
func (m *matchState) save() {
	if m.saver.entry != nil && m.changed {
		m.changed = false
		m.saver.update(m.image())
	}
}

// saveNow waits until the row is written, and reports whether this process still has the match. If the database is not available
// in time, the row is written later.
func (m *matchState) saveNow(limit time.Duration) bool {
	m.changed = true
	m.save()
	ctx, cancel := context.WithTimeout(context.WithoutCancel(m.ctx), limit)
	defer cancel()
	err := m.saver.entry.Flush(ctx)
	if errors.Is(err, checkpoint.ErrLost) {
		m.saver.lose()
	} else if err != nil {
		m.logger.WithField("error", err.Error()).Warn("set: match not saved in time, will retry")
	}
	return !m.saver.Lost()
}

// persist saves a change of the match, and writes its effects. It reports whether this process still has the match. A change with
// effects or an end is saved first: after a crash before that, the match would repeat it.
func (m *matchState) persist(effects []*pb.Effect) bool {
	m.changed = true
	m.saver.add(effects)
	m.save()
	if (m.ending.over || len(effects) > 0) && !m.saveNow(saveTime) {
		return false
	}
	m.shared.Effects.Add(m.saver, effects)
	return !m.saver.Lost()
}
