package checkpoint

import (
	"context"
	"fmt"
	"time"
)

const (
	leaseTime     = 3 * time.Second
	renewInterval = time.Second
	openTimeout   = 10 * time.Second // of all attempts to take the lease, or to read the rows
	openPause     = 50 * time.Millisecond
)

// acquire creates the tables and takes the lease. It waits for a lease of a process that may still run.
func (s *Store) acquire(ctx context.Context) error {
	taken := false
	err := retry(ctx, func(ctx context.Context) (bool, error) {
		if _, err := s.DB.ExecContext(ctx, createTables); err != nil {
			return false, fmt.Errorf("the tables of the checkpoints could not be created: %w", err)
		}
		result, err := s.DB.ExecContext(ctx, takeLease, s.Node, s.boot, leaseTime.Seconds())
		if err != nil {
			return false, fmt.Errorf("the lease of node %q could not be taken: %w", s.Node, err)
		}
		rows, err := result.RowsAffected()
		taken = rows > 0
		return taken, err
	})
	if err == nil && !taken {
		return fmt.Errorf("another process runs with the node name %q: stop it, or give each node its own name", s.Node)
	}
	return err
}

// retry repeats an attempt until it succeeds or openTimeout is over. It returns the last error, or that of the attempt before if
// the end of the time interrupted the last one.
func retry(ctx context.Context, attempt func(context.Context) (done bool, err error)) error {
	limited, cancel := context.WithTimeout(ctx, openTimeout)
	defer cancel()
	var last error
	for first := true; ; first = false {
		done, err := attempt(limited)
		if done && err == nil {
			return nil
		}
		if first || limited.Err() == nil {
			last = err
		}
		select {
		case <-limited.Done():
			if ctx.Err() != nil {
				return ctx.Err()
			}
			return last
		case <-time.After(openPause):
		}
	}
}

// keepLease renews the lease. All matches are lost if another process has it.
func (s *Store) keepLease() {
	ticker := time.NewTicker(renewInterval)
	defer ticker.Stop()
	for !s.isLost() {
		select {
		case <-s.stop.Done():
			return
		case <-ticker.C:
		}
		ctx, cancel := context.WithTimeout(s.stop, attemptTimeout)
		err := s.renew(ctx)
		cancel()
		if err != nil && s.stop.Err() == nil {
			s.Logger.WithField("error", err.Error()).Warn("set: lease of this node not renewed, will retry")
		}
	}
}

func (s *Store) renew(ctx context.Context) error {
	result, err := s.DB.ExecContext(ctx, renewLease, s.Node, s.boot, leaseTime.Seconds(), s.fence.Load())
	if err != nil {
		return err
	}
	rows, err := result.RowsAffected()
	if err == nil && rows == 0 {
		s.loseAll()
	}
	return err
}

// raiseFence ends the effect of earlier attempts without an answer, which PostgreSQL may still execute.
func (s *Store) raiseFence(ctx context.Context) error {
	s.fence.Add(1)
	return s.renew(ctx)
}

// release ends the lease, so that the next process of this node need not wait.
func (s *Store) release(ctx context.Context) error {
	_, err := s.DB.ExecContext(ctx, releaseLease, s.Node, s.boot)
	return err
}
