package match

import (
	"context"
	"database/sql"
	"testing"
	"time"

	"github.com/heroiclabs/nakama-common/runtime"

	"setmatch/nakama/internal/config"
	"setmatch/nakama/internal/fake"
)

// savedFixture is a fixture whose matches are saved in a real PostgreSQL.
type savedFixture struct {
	*fixture
	db *sql.DB // of the current process
}

// newSaved returns a fixture with a new match and its row.
func newSaved(t testing.TB) *savedFixture {
	t.Helper()
	db := fake.Database(t)
	if _, err := db.Exec(`DROP TABLE IF EXISTS set_checkpoints, set_checkpoint_leases`); err != nil {
		t.Fatal(err)
	}
	r := &savedFixture{fixture: newFixture(t)}
	r.open()
	r.create()
	r.service.TakeCalls()
	return r
}

// open opens the store of a new process.
func (r *savedFixture) open() {
	r.t.Helper()
	r.db = r.openDatabase()
	r.nakama.UUIDs, r.nakama.Handler = true, r.adapter
	ctx := context.WithValue(context.Background(), runtime.RUNTIME_CTX_NODE, "node") //nolint:staticcheck // Nakama's key
	if err := r.shared.OpenSaves(ctx, r.logger, r.db, config.Settings{CheckpointMs: 1}); err != nil {
		r.t.Fatal(err)
	}
	saves := r.shared.Saves
	r.t.Cleanup(func() { // the next test drops the tables
		ended, cancel := context.WithCancel(context.Background())
		cancel()
		_ = saves.Close(ended)
	})
}

// create creates a match of a creator and makes it the match of the fixture.
func (r *savedFixture) create() {
	r.t.Helper()
	params := Params{CreatorID: "creator", Expected: []User{{UserID: "friend"}}}
	if _, err := r.shared.Create(r.t.Context(), r.nakama, params); err != nil {
		r.t.Fatal(err)
	}
	r.use(r.newest())
}

// newest returns the match that was created last.
func (r *savedFixture) newest() *matchState {
	matches := r.nakama.Matches()
	return matches[len(matches)-1].(*matchState)
}

func (r *savedFixture) use(m *matchState) {
	r.match, r.ctx, r.tick, r.out = m, m.ctx, 0, &fake.Dispatcher{}
}

// settle waits until all changes are written.
func (r *savedFixture) settle() {
	r.t.Helper()
	if r.match.saver.entry.Flush(r.t.Context()) != nil {
		r.t.Fatal("the match was not saved")
	}
}

// crash ends the process after the last change was written.
func (r *savedFixture) crash() {
	r.t.Helper()
	r.settle()
	_ = r.db.Close()
	r.nakama.StopMatches()
}

// boot starts a new process, and returns the number of revived matches. The last one is the match of the fixture.
func (r *savedFixture) boot() int {
	r.t.Helper()
	old, before := r.shared, len(r.nakama.Matches())
	r.shared = New(r.nakama, r.logger, highLimits())
	r.shared.Rules.Links, r.shared.Batcher, r.shared.now = old.Rules.Links, old.Batcher, old.now
	r.shared.timing.revivalSpread = 0
	r.adapter = &matchAdapter{shared: r.shared}
	r.open()
	if err := r.shared.Revive(r.t.Context(), r.nakama); err != nil {
		r.t.Fatal(err)
	}
	revived := len(r.nakama.Matches()) - before
	if revived > 0 {
		r.use(r.newest())
	}
	return revived
}

// restart ends the process like a crash and starts a new one, which must revive one match.
func (r *savedFixture) restart() {
	r.t.Helper()
	r.crash()
	if revived := r.boot(); revived != 1 {
		r.t.Fatalf("%d matches were revived", revived)
	}
}

// openDatabase returns new connections of the test.
func (r *savedFixture) openDatabase() *sql.DB {
	return fake.Database(r.t)
}

// rows returns the number of rows.
func (r *savedFixture) rows() (count int) {
	r.t.Helper()
	if err := r.openDatabase().QueryRow(`SELECT count(*) FROM set_checkpoints WHERE set_aside IS NULL`).Scan(&count); err != nil {
		r.t.Fatal(err)
	}
	return count
}

func (r *savedFixture) waitForRows(want int) {
	r.t.Helper()
	r.waitUntil("the rows", func() bool { return r.rows() == want })
}

// pass advances the clock in ticks without input.
func (r *savedFixture) pass(d time.Duration) {
	for range d / (50 * time.Millisecond) {
		r.advance(50)
		r.loop()
	}
}
