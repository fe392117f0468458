package checkpoint

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"setmatch/nakama/internal/fake"
)

const match1, match2 = "0b7e6c5d-0000-4000-8000-000000000001.n", "0b7e6c5d-0000-4000-8000-000000000002.n"

func TestNewestImageSurvivesACrash(t *testing.T) {
	reset(t)
	first := start(t, "n")
	one, two := first.add(match1), first.add(match2)
	first.save(one, "old")
	first.save(two, "other")
	first.save(one, "new")
	first.kill()
	got := states(start(t, "n").rows())
	equal(t, "states", got, map[string]string{match1: "new", match2: "other"})
}

func TestUpdateWritesInTheBackground(t *testing.T) {
	reset(t)
	p := start(t, "n")
	p.add(match1).Update(image{match: match1, state: "a"})
	fake.WaitUntil(t, "row", func() bool { return number(t, p.db, `SELECT count(*) FROM set_checkpoints`) == 1 })
}

func TestReplacedImageIsNotWritten(t *testing.T) {
	reset(t)
	p := start(t, "n")
	e := p.add(match1)
	p.save(e, "a")
	p.network.cut()
	for i := range 50 {
		e.Update(image{match: match1, state: fmt.Sprint(i)})
	}
	fake.WaitUntil(t, "failure", func() bool { return p.meters.failures() > 0 })
	p.network.restore()
	p.flush(e)
	fake.WaitUntil(t, "two rows written", func() bool { return p.meters.rows() == 2 })
}

func TestIdleMatchesWriteNothing(t *testing.T) {
	reset(t)
	p := start(t, "n")
	for i := range 3 {
		p.save(p.add(fmt.Sprint(i)), "a")
	}
	rounds := func() int {
		return number(t, p.db, `SELECT sum(version) FROM set_checkpoints`)
	}
	before, marker := rounds(), p.add("marker")
	for range 20 {
		p.save(marker, "b")
	}
	equal(t, "versions of all rows", rounds(), before+20)
}

func TestMoreThanOneBatchIsWritten(t *testing.T) {
	reset(t)
	p := start(t, "n")
	var entries []*Entry
	p.network.cut()
	for i := range 2*maxBatch + 1 {
		e := p.add(fmt.Sprintf("%03d", i))
		e.Update(image{match: e.match, state: e.match})
		entries = append(entries, e)
	}
	p.network.restore()
	for _, e := range entries {
		p.flush(e)
	}
	p.kill()
	got := states(start(t, "n").rows())
	equal(t, "rows", len(got), 2*maxBatch+1)
	for match, state := range got {
		equal(t, "state", state, match)
	}
}

func TestFlushEndsWithItsContext(t *testing.T) {
	reset(t)
	p := start(t, "n")
	e := p.add(match1)
	p.network.cut()
	e.Update(image{match: match1, state: "a"})
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	equal(t, "error", e.Flush(ctx), context.DeadlineExceeded)
	p.network.restore()
	p.flush(e)
	equal(t, "rows", number(t, p.db, `SELECT count(*) FROM set_checkpoints`), 1)
}

func TestDeletedRowIsGoneAfterAnOutage(t *testing.T) {
	reset(t)
	p := start(t, "n")
	e := p.add(match1)
	p.save(e, "a")
	p.network.cut()
	e.Delete()
	e.Update(image{match: match1, state: "after the end"})
	fake.WaitUntil(t, "failure", func() bool { return p.meters.failures() > 1 })
	p.network.restore()
	p.flush(e)
	equal(t, "rows", number(t, p.db, `SELECT count(*) FROM set_checkpoints`), 0)
	equal(t, "entries", len(p.store.entries), 0)
}

func TestDeleteOfAMatchWithoutARowSucceeds(t *testing.T) {
	reset(t)
	p := start(t, "n")
	e := p.add(match1)
	e.Delete()
	p.flush(e)
	equal(t, "lost", p.losses(), nil)
}

func TestLostAnswersAreNotALostMatch(t *testing.T) {
	reset(t)
	p := start(t, "n")
	e, gone := p.add(match1), p.add(match2)
	p.save(e, "a")
	p.save(gone, "a")
	p.network.loseAnswers()
	e.Update(image{match: match1, state: "b"})
	gone.Delete()
	fake.WaitUntil(t, "failures", func() bool { return p.meters.failures() > 1 })
	p.network.restore()
	p.flush(e)
	p.flush(gone)
	equal(t, "lost", p.losses(), nil)
	p.kill()
	equal(t, "states", states(start(t, "n").rows()), map[string]string{match1: "b"})
}

func TestLateStatementChangesNothing(t *testing.T) {
	reset(t)
	p := start(t, "n")
	e := p.add(match1)
	p.save(e, "a")
	late := []job{{entry: &Entry{match: match2}, data: []byte("late")}}
	fence := p.store.fence.Load()
	if err := p.store.raiseFence(t.Context()); err != nil {
		t.Fatal(err)
	}
	p.store.fence.Store(fence)
	_, leased, err := p.store.upsert(t.Context(), late)
	if err != nil || leased {
		t.Errorf("the late statement was executed: leased %t, error %v", leased, err)
	}
	equal(t, "rows", number(t, p.db, `SELECT count(*) FROM set_checkpoints`), 1)
}

func TestRejectedRowDoesNotStopOthers(t *testing.T) {
	reset(t)
	p := start(t, "n")
	exec1(t, p.db, `ALTER TABLE set_checkpoints ADD CHECK (match <> 'bad')`)
	good, bad := p.add(match1), p.add("bad")
	p.network.cut()
	bad.Update(image{match: "bad", state: "a"})
	good.Update(image{match: match1, state: "a"})
	p.network.restore()
	p.flush(good)
	equal(t, "rows", number(t, p.db, `SELECT count(*) FROM set_checkpoints`), 1)
	exec1(t, p.db, `ALTER TABLE set_checkpoints DROP CONSTRAINT set_checkpoints_match_check`)
	bad.Update(image{match: "bad", state: "b"})
	p.flush(bad)
	p.kill()
	equal(t, "states", states(start(t, "n").rows()), map[string]string{match1: "a", "bad": "b"})
}

func TestImageThatCannotBeEncodedDoesNotStopOthers(t *testing.T) {
	for name, broken := range map[string]image{
		"error": {match: match2, err: errors.New("scripted")}, "panic": {match: match2, panic: true},
	} {
		t.Run(name, func(t *testing.T) {
			reset(t)
			p := start(t, "n")
			good, bad := p.add(match1), p.add(match2)
			bad.Update(broken)
			p.save(good, "a")
			fake.WaitUntil(t, "failure", func() bool { return p.meters.failures() > 0 })
			p.save(bad, "b")
			equal(t, "rows", number(t, p.db, `SELECT count(*) FROM set_checkpoints`), 2)
		})
	}
}

func TestCloseWritesAllChanges(t *testing.T) {
	reset(t)
	p := start(t, "n")
	for i := range 150 {
		match := fmt.Sprint(i)
		p.add(match).Update(image{match: match, state: "a"})
	}
	if err := p.store.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	equal(t, "rows", number(t, p.db, `SELECT count(*) FROM set_checkpoints`), 150)
	equal(t, "rows of the next process", len(start(t, "n").rows()), 150)
}

func TestCloseEndsWithItsContextInAnOutage(t *testing.T) {
	reset(t)
	p := start(t, "n")
	p.network.cut()
	p.add(match1).Update(image{match: match1, state: "a"})
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	if err := p.store.Close(ctx); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("got %v", err)
	}
}

func TestSwitchedOffStoreSavesNothing(t *testing.T) {
	var off *Store
	e := off.New(match1, nil)
	e.Update(image{})
	e.Delete()
	rows, err := off.Rows(t.Context())
	deleted, cleanErr := off.Clean(t.Context(), time.Hour)
	if err := errors.Join(err, cleanErr, e.Flush(t.Context()), off.Close(t.Context())); err != nil || len(rows) != 0 || deleted != 0 {
		t.Errorf("got %v, %v, %d", err, rows, deleted)
	}
}
