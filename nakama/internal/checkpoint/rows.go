package checkpoint

import (
	"context"
	"errors"
	"fmt"
	"time"

	"setmatch/nakama/pb"
)

// maxFailures is the number of crashes during the revival of one match after which its row is set aside.
const maxFailures = 3

// Reason is the reason why a row was set aside. The row stays in the table and is not revived.
type Reason string

// Reasons to set a row aside.
const (
	TooOld        Reason = "too old"        // the node was down for longer than the maximum age
	UnknownFormat Reason = "unknown format" // written by another version of the plugin
	Corrupted     Reason = "corrupted"      // the checksum or the contents are wrong
	Crashed       Reason = "crashed"        // the process ended three times during the revival of the match
	NotRevived    Reason = "not revived"    // Nakama did not create the match under its match id
)

// Reasons lists all reasons.
var Reasons = []Reason{TooOld, UnknownFormat, Corrupted, Crashed, NotRevived}

// Row is a saved match.
type Row struct {
	Match      string
	Checkpoint *pb.Checkpoint

	version  int64
	failures int
	age      time.Duration
	data     []byte
}

// Age returns the time between the last sign of life of the process that wrote the row, at most a second before its end, and
// the call of Rows.
func (r *Row) Age() time.Duration {
	return r.age
}

// Rows returns the matches of this node that can be revived, the oldest match first, and sets the other rows aside. It retries
// failures for 10 s. Call it once, before the first New.
func (s *Store) Rows(ctx context.Context) ([]*Row, error) {
	if s == nil {
		return nil, nil
	}
	var all []*Row
	err := retry(ctx, func(ctx context.Context) (bool, error) {
		var err error
		all, err = s.claim(ctx)
		return true, err
	})
	if err != nil {
		return nil, fmt.Errorf("the saved matches of node %q could not be read: %w", s.Node, err)
	}
	var good []*Row
	for _, row := range all {
		if reason, cause := s.check(row); reason == "" {
			good = append(good, row)
		} else if err := s.SetAside(ctx, row, reason, cause); err != nil {
			return nil, err
		}
	}
	return good, nil
}

func (s *Store) claim(ctx context.Context) ([]*Row, error) {
	rows, err := s.DB.QueryContext(ctx, claimRows, s.Node, s.boot, s.fence.Load())
	if err != nil {
		return nil, err
	}
	defer func() { _ = rows.Close() }()
	var all []*Row
	for rows.Next() {
		row, seconds := &Row{}, 0.0
		if err := rows.Scan(&row.Match, &row.version, &row.failures, &seconds, &row.data); err != nil {
			return nil, err
		}
		row.age = time.Duration(seconds * float64(time.Second))
		all = append(all, row)
	}
	return all, rows.Err()
}

// check decodes a row. It returns the reason if the row cannot be revived.
func (s *Store) check(row *Row) (Reason, error) {
	switch {
	case row.failures >= maxFailures:
		return Crashed, nil
	case row.age > s.MaxAge:
		return TooOld, nil
	}
	message, err := Decode(row.data)
	switch {
	case errors.Is(err, ErrFormat):
		return UnknownFormat, err
	case err != nil:
		return Corrupted, err
	case message.MatchId != row.Match:
		return Corrupted, errors.New("the row contains another match")
	}
	row.Checkpoint, row.data = message, nil
	return "", nil
}

// SetAside keeps a row in the table without reviving it, until Clean deletes it. The cause may be nil.
func (s *Store) SetAside(ctx context.Context, row *Row, reason Reason, cause error) error {
	if _, err := s.DB.ExecContext(ctx, setAsideRow, row.Match, s.boot, string(reason)); err != nil {
		return fmt.Errorf("the row of match %s could not be set aside: %w", row.Match, err)
	}
	s.Meters.RowSetAside(reason)
	fields := map[string]any{"mid": row.Match, "reason": string(reason)}
	if cause != nil {
		fields["error"] = cause.Error()
	}
	s.Logger.WithFields(fields).Error("set: saved match set aside, it is not revived")
	return nil
}

// Revive calls `create`, which recreates the match of a row, with the entry of the match. It counts the attempt before the call
// and clears the count after it, so that a crash of the process is counted. If `create` fails, the row is set aside, and `lost` is called, because the match may
// run under another match id.
func (s *Store) Revive(ctx context.Context, row *Row, lost func(), create func(*Entry) error) error {
	if err := s.setFailures(ctx, row, row.failures+1); err != nil {
		return err
	}
	entry := s.add(row.Match, row.version, lost)
	if err := create(entry); err != nil {
		s.lose(entry)
		return s.SetAside(ctx, row, NotRevived, err)
	}
	s.Meters.MatchRevived()
	return s.setFailures(ctx, row, 0)
}

func (s *Store) setFailures(ctx context.Context, row *Row, failures int) error {
	if _, err := s.DB.ExecContext(ctx, setFailures, row.Match, s.boot, failures); err != nil {
		return fmt.Errorf("the revival of match %s could not be counted: %w", row.Match, err)
	}
	return nil
}

// Clean deletes the rows that were set aside before the retention age, and the rows of nodes that have not run since then. It
// returns the number of deleted rows.
func (s *Store) Clean(ctx context.Context, retention time.Duration) (int64, error) {
	if s == nil {
		return 0, nil
	}
	result, err := s.DB.ExecContext(ctx, deleteOldRows, retention.Seconds())
	if err != nil {
		return 0, err
	}
	return result.RowsAffected()
}
