package checkpoint

import (
	"context"
	"slices"

	"setmatch/nakama/internal/sqlstate"
)

// createTables creates the tables. A changed row writes its data into the TOAST table, uncompressed, because compression takes
// more time than it saves. The free space of each page lets an update stay in its page without a change of the index, and
// autovacuum runs after a fixed number of changed rows, because a small table changes often.
const createTables = `
CREATE TABLE IF NOT EXISTS set_checkpoint_leases (
	node          text PRIMARY KEY,
	boot          text NOT NULL,
	fence         bigint NOT NULL,
	renewed       timestamptz NOT NULL,
	expires       timestamptz NOT NULL,
	previous      timestamptz NOT NULL,
	backend       integer NOT NULL,
	backend_start timestamptz
) WITH (fillfactor = 50);
CREATE TABLE IF NOT EXISTS set_checkpoints (
	match     text PRIMARY KEY,
	node      text NOT NULL,
	boot      text NOT NULL,
	version   bigint NOT NULL,
	created   timestamptz NOT NULL DEFAULT now(),
	written   timestamptz NOT NULL,
	failures  integer NOT NULL DEFAULT 0,
	set_aside timestamptz,
	reason    text NOT NULL DEFAULT '',
	data      bytea NOT NULL
) WITH (
	fillfactor = 50,
	autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 2000, autovacuum_vacuum_cost_delay = 0,
	toast.autovacuum_vacuum_scale_factor = 0, toast.autovacuum_vacuum_threshold = 5000,
	toast.autovacuum_vacuum_cost_delay = 0
);
ALTER TABLE set_checkpoints ALTER COLUMN data SET STORAGE EXTERNAL;`

// takeLease takes the lease of a node if there is none, if it has expired, or if the connection that renewed it last is closed,
// because then the process that had it has ended. $3 is the time of the lease in seconds.
const takeLease = `
INSERT INTO set_checkpoint_leases AS l (node, boot, fence, renewed, expires, previous, backend, backend_start)
SELECT $1, $2, 0, now(), now() + $3 * interval '1 second', now(), pid, backend_start
FROM pg_stat_activity WHERE pid = pg_backend_pid()
ON CONFLICT (node) DO UPDATE SET boot = excluded.boot, fence = 0, renewed = excluded.renewed, expires = excluded.expires,
	previous = CASE WHEN l.boot = excluded.boot THEN l.previous ELSE l.renewed END, backend = excluded.backend, backend_start = excluded.backend_start
WHERE l.boot = excluded.boot OR l.expires <= now()
	OR NOT EXISTS (SELECT 1 FROM pg_stat_activity a WHERE a.pid = l.backend AND a.backend_start = l.backend_start)`

// renewLease renews the lease and raises the fence: statements with a lower fence have no effect afterwards, even if they are
// still running.
const renewLease = `
UPDATE set_checkpoint_leases l SET renewed = now(), expires = now() + $3 * interval '1 second', fence = greatest(fence, $4),
	backend = a.pid, backend_start = a.backend_start
FROM pg_stat_activity a WHERE a.pid = pg_backend_pid() AND l.node = $1 AND l.boot = $2`

const releaseLease = `UPDATE set_checkpoint_leases SET renewed = now(), expires = now() WHERE node = $1 AND boot = $2`

// holdLease is the beginning of each statement that changes rows. It locks the lease until the end of the statement, so that no
// other process can take it meanwhile. One statement, because a process that stops between two would keep the lock.
const holdLease = `WITH lease AS (SELECT 1 FROM set_checkpoint_leases WHERE node = $1 AND boot = $2 AND fence = $3 FOR SHARE), `

// The result of a statement that changes rows: the matches of the changed rows, and an empty text if this process has the lease.
const changedMatches = ` SELECT match FROM changed UNION ALL SELECT '' FROM lease`

const upsertRows = holdLease + `changed AS (
	INSERT INTO set_checkpoints AS c (match, node, boot, version, written, data)
	SELECT t.match, $1, $2, t.version, now(), t.data
	FROM lease, unnest($4::text[], $5::bigint[], $6::bytea[]) AS t (match, version, data)
	ON CONFLICT (match) DO UPDATE SET version = excluded.version, written = excluded.written, data = excluded.data
	WHERE c.boot = excluded.boot AND c.version < excluded.version AND c.set_aside IS NULL
	RETURNING match)` + changedMatches

// deleteRows reports a missing row like a deleted one, because an earlier attempt may have deleted it.
const deleteRows = holdLease + `gone AS (
	DELETE FROM set_checkpoints c USING lease WHERE c.match = ANY($4::text[]) AND c.boot = $2 AND c.set_aside IS NULL
	RETURNING c.match),
changed AS (
	SELECT t.match FROM unnest($4::text[]) AS t (match)
	WHERE t.match IN (SELECT match FROM gone)
		OR NOT EXISTS (SELECT 1 FROM set_checkpoints c WHERE c.match = t.match AND c.set_aside IS NULL))` + changedMatches

// claimRows makes this process the owner of all rows of the node. The age is the time since the match was last alive: when
// its row was written or its process renewed the lease.
const claimRows = holdLease + `changed AS (
	UPDATE set_checkpoints c SET boot = $2, version = c.version + 1
	FROM lease WHERE c.node = $1 AND c.set_aside IS NULL
	RETURNING c.match, c.version, c.failures, c.created, c.written, c.data)
SELECT match, version, failures, extract(epoch FROM now() - greatest(written,
	(SELECT previous FROM set_checkpoint_leases WHERE node = $1)))::float8, data
FROM changed ORDER BY created, match`

// setFailures changes the number of failed revivals. It does not wait for the disk: a crash of Nakama loses nothing that
// PostgreSQL has received.
const setFailures = `
UPDATE set_checkpoints SET failures = $3
WHERE match = $1 AND boot = $2 AND set_config('synchronous_commit', 'off', true) = 'off'`

const setAsideRow = `UPDATE set_checkpoints SET set_aside = now(), reason = $3 WHERE match = $1 AND boot = $2`

// deleteOldRows deletes rows that were set aside, and rows of nodes that no longer exist. $1 is the maximum age in seconds.
const deleteOldRows = `
DELETE FROM set_checkpoints c WHERE coalesce(c.set_aside, greatest(c.written,
	(SELECT l.expires FROM set_checkpoint_leases l WHERE l.node = c.node))) < now() - $1 * interval '1 second'`

// transientClasses are the classes of SQLSTATE that say nothing about the rows of a statement: connection, transaction state,
// authorization, rollback, resources, state of an object, operator intervention, system.
var transientClasses = []string{"08", "25", "28", "40", "53", "55", "57", "58"}

// isRejection reports whether PostgreSQL rejected a statement because of its rows.
func isRejection(err error) bool {
	class := sqlstate.Class(err)
	return class != "" && !slices.Contains(transientClasses, class)
}

// upsert writes rows. It returns the matches that this process owns, and whether it has the lease.
func (s *Store) upsert(ctx context.Context, jobs []job) (map[string]bool, bool, error) {
	matches, versions, data := make([]string, len(jobs)), make([]int64, len(jobs)), make([][]byte, len(jobs))
	for i, j := range jobs {
		j.entry.version++
		matches[i], versions[i], data[i] = j.entry.match, j.entry.version, j.data
	}
	return s.change(ctx, upsertRows, matches, versions, data)
}

// delete deletes rows. Its results are those of upsert.
func (s *Store) delete(ctx context.Context, jobs []job) (map[string]bool, bool, error) {
	matches := make([]string, len(jobs))
	for i, j := range jobs {
		matches[i] = j.entry.match
	}
	return s.change(ctx, deleteRows, matches)
}

func (s *Store) change(ctx context.Context, statement string, arguments ...any) (map[string]bool, bool, error) {
	rows, err := s.DB.QueryContext(ctx, statement, append([]any{s.Node, s.boot, s.fence.Load()}, arguments...)...)
	if err != nil {
		return nil, false, err
	}
	defer func() { _ = rows.Close() }()
	owned := make(map[string]bool)
	for rows.Next() {
		var match string
		if err := rows.Scan(&match); err != nil {
			return nil, false, err
		}
		owned[match] = true
	}
	return owned, owned[""], rows.Err()
}
