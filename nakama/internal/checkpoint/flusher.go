package checkpoint

import (
	"context"
	"errors"
	"fmt"
	"time"
)

const (
	maxBatch       = 100 // rows in one transaction
	attemptTimeout = 5 * time.Second
	firstPause     = 50 * time.Millisecond
	longestPause   = time.Second
	// rejectionPause is the first pause after a rejected image; it doubles up to longestRejectionPause.
	rejectionPause        = time.Second
	longestRejectionPause = time.Minute
)

var errPanicked = errors.New("panic while an image was encoded")

// failures are the consecutive failures of the flusher.
type failures struct {
	count   int
	pause   time.Duration
	unknown bool // the outcome of the last attempt is unknown
}

// job is the change of one entry.
type job struct {
	entry   *Entry
	image   Image
	changes int64
	deleted bool
	data    []byte
}

// keepWriting writes the changed entries in every interval, and earlier if Flush waits.
func (s *Store) keepWriting() {
	ticker := time.NewTicker(s.Interval)
	defer ticker.Stop()
	for {
		select {
		case <-s.stop.Done():
			return
		case <-ticker.C:
		case <-s.wake:
		}
		s.writeRound()
	}
}

// writeRound writes all entries that are changed now, in batches.
func (s *Store) writeRound() {
	s.mu.Lock()
	s.round = append(s.round, s.dirty...)
	s.dirty = nil
	s.mu.Unlock()
	for jobs := s.take(time.Now()); len(jobs) > 0; jobs = s.take(time.Now()) {
		if !s.writeBatch(jobs) {
			s.pause()
		}
		if s.stop.Err() != nil {
			return
		}
	}
}

// take removes at most one batch of jobs from the lists, urgent ones first. Entries with a rejected image stay in the list of
// changed entries until the end of their pause.
func (s *Store) take(now time.Time) []job {
	s.mu.Lock()
	defer s.mu.Unlock()
	var jobs []job
	for _, list := range []*[]*Entry{&s.urgent, &s.round} {
		for len(*list) > 0 && len(jobs) < maxBatch {
			e := (*list)[0]
			*list = (*list)[1:]
			switch {
			case !e.queued || e.lost:
			case now.Before(e.notBefore):
				s.dirty = append(s.dirty, e)
			default:
				e.queued = false
				jobs = append(jobs, job{entry: e, image: e.image, changes: e.changes, deleted: e.deleted})
			}
		}
	}
	return jobs
}

// writeBatch writes a batch, and after a rejection each of its rows alone. It returns false after a failure; the entries are
// then queued again.
func (s *Store) writeBatch(jobs []job) bool {
	jobs = s.encode(jobs)
	err := s.attempt(jobs)
	if err == nil || s.stop.Err() != nil && errors.Is(err, context.Canceled) {
		return true
	}
	if !isRejection(err) {
		s.fail(jobs, err)
		return false
	}
	for i, one := range jobs {
		err := s.attempt([]job{one})
		switch {
		case err == nil:
		case isRejection(err):
			s.reject(one, err)
		default:
			s.fail(jobs[i:], err)
			return false
		}
	}
	return true
}

// encode encodes the images, and rejects those that cannot be encoded.
func (s *Store) encode(jobs []job) []job {
	encoded := jobs[:0]
	for _, j := range jobs {
		if !j.deleted {
			data, err := s.encodeOne(j.image)
			if err != nil {
				s.reject(j, err)
				continue
			}
			j.data = data
		}
		encoded = append(encoded, j)
	}
	return encoded
}

func (s *Store) encodeOne(image Image) (data []byte, err error) {
	defer func() {
		if value := recover(); value != nil {
			s.Panicked(value)
			err = errPanicked
		}
	}()
	return image.Encode()
}

// attempt writes and deletes the rows of the jobs in one transaction each, and completes the jobs.
func (s *Store) attempt(jobs []job) error {
	if s.isLost() {
		return nil
	}
	ctx, cancel := context.WithTimeout(s.stop, attemptTimeout)
	defer cancel()
	if s.attempts.unknown {
		if err := s.raiseFence(ctx); err != nil {
			return err
		}
		s.attempts.unknown = false
	}
	started := time.Now()
	written, err := s.writeRows(ctx, jobs)
	if err != nil {
		return err
	}
	if written > 0 {
		s.Meters.RowsWritten(written, time.Since(started))
	}
	s.attempts = failures{}
	return nil
}

// complete marks the changes of a job as written.
func (s *Store) complete(j job) {
	s.mu.Lock()
	defer s.mu.Unlock()
	e := j.entry
	e.saved = j.changes
	e.rejections, e.notBefore = 0, time.Time{}
	if e.saved == e.changes {
		e.image = nil
	}
	if j.deleted && s.entries[e.match] == e {
		delete(s.entries, e.match)
	}
	e.notify()
}

// fail queues jobs again after a failure of the database, and logs failures 1, 2, 4, 8 and so on.
func (s *Store) fail(jobs []job, err error) {
	s.Meters.WriteFailed()
	s.requeue(jobs)
	s.attempts.count++
	s.attempts.unknown = true
	s.attempts.pause = min(max(2*s.attempts.pause, firstPause), longestPause)
	if n := s.attempts.count; n&(n-1) == 0 {
		s.Logger.WithFields(map[string]any{"attempts": n, "error": err.Error()}).Warn("set: checkpoints not written, will retry")
	}
}

// reject queues an image again after a pause, because it could not be encoded or the database rejected it.
func (s *Store) reject(j job, err error) {
	s.Meters.WriteFailed()
	s.mu.Lock()
	pause := min(rejectionPause<<min(j.entry.rejections, 10), longestRejectionPause)
	j.entry.rejections++
	j.entry.notBefore = time.Now().Add(pause)
	s.mu.Unlock()
	s.requeue([]job{j})
	s.Logger.WithFields(map[string]any{"mid": j.entry.match, "error": err.Error()}).Error("set: checkpoint of a match not writable")
}

// requeue queues the entries of jobs again. Their newest images are still in the entries.
func (s *Store) requeue(jobs []job) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, j := range jobs {
		if e := j.entry; !e.lost && e.saved < j.changes {
			e.queue()
			if e.written != nil {
				s.urgent = append(s.urgent, e)
			}
		}
	}
}

// pause waits before the next attempt.
func (s *Store) pause() {
	ctx, cancel := context.WithTimeout(s.stop, s.attempts.pause)
	defer cancel()
	<-ctx.Done()
}

func (s *Store) isLost() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.lost
}

// writeRows writes and deletes the rows of jobs, and returns the number of written rows.
func (s *Store) writeRows(ctx context.Context, jobs []job) (int, error) {
	var changed, deleted []job
	for _, j := range jobs {
		if j.deleted {
			deleted = append(deleted, j)
		} else {
			changed = append(changed, j)
		}
	}
	if err := s.apply(changed, func() (map[string]bool, bool, error) { return s.upsert(ctx, changed) }); err != nil {
		return 0, err
	}
	if err := s.apply(deleted, func() (map[string]bool, bool, error) { return s.delete(ctx, deleted) }); err != nil {
		return 0, fmt.Errorf("delete: %w", err)
	}
	return len(changed), nil
}

// apply runs a statement for jobs. It completes the jobs whose rows this process owns, and loses the others.
func (s *Store) apply(jobs []job, statement func() (owned map[string]bool, leased bool, err error)) error {
	if len(jobs) == 0 {
		return nil
	}
	owned, leased, err := statement()
	switch {
	case err != nil:
		return err
	case !leased:
		s.loseAll()
		return nil
	}
	for _, j := range jobs {
		if owned[j.entry.match] {
			s.complete(j)
		} else {
			s.lose(j.entry)
		}
	}
	return nil
}
