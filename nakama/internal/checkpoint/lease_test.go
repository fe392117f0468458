package checkpoint

import (
	"context"
	"strings"
	"testing"
	"time"

	"setmatch/nakama/internal/fake"
)

func expire(t *testing.T, p *process) {
	t.Helper()
	exec1(t, p.db, `UPDATE set_checkpoint_leases SET expires = now()`)
}

func TestSecondProcessDoesNotStartBesideALiveOne(t *testing.T) {
	reset(t)
	p := start(t, "n")
	_, err := tryStart(t, "n")
	if err == nil || !strings.Contains(err.Error(), `another process runs with the node name "n"`) {
		t.Errorf("got %v", err)
	}
	p.save(p.add(match1), "a")
	equal(t, "lost", p.losses(), nil)
}

func TestCrashedProcessLeavesNoLease(t *testing.T) {
	reset(t)
	p := start(t, "n")
	exec1(t, p.db, `UPDATE set_checkpoint_leases SET expires = now() + interval '1 day'`)
	p.kill()
	start(t, "n")
}

func TestOtherNodeHasItsOwnRows(t *testing.T) {
	reset(t)
	one, two := start(t, "n"), start(t, "m")
	one.save(one.add(match1), "a")
	equal(t, "rows", len(two.rows()), 0)
}

func TestTakeoverStopsAllMatchesOfTheOldProcess(t *testing.T) {
	for name, write := range map[string]func(*process, *Entry){
		"update":  func(_ *process, e *Entry) { e.Update(image{match: match1, state: "old"}) },
		"delete":  func(_ *process, e *Entry) { e.Delete() },
		"renewal": func(p *process, _ *Entry) { _ = p.store.renew(p.t.Context()) },
	} {
		t.Run(name, func(t *testing.T) {
			reset(t)
			old := start(t, "n")
			e := old.add(match1)
			old.save(e, "a")
			old.add(match2)
			old.freeze()
			expire(t, old)
			equal(t, "rows of the new process", states(start(t, "n").rows()), map[string]string{match1: "a"})
			write(old, e)
			old.store.writeRound()
			fake.WaitUntil(t, "loss of both matches", func() bool { return len(old.losses()) == 2 })
			equal(t, "rows", number(t, old.db, `SELECT count(*) FROM set_checkpoints WHERE version = 2`), 1)
		})
	}
}

func TestFlushOfALostMatchFails(t *testing.T) {
	reset(t)
	old := start(t, "n")
	e := old.add(match1)
	old.freeze()
	e.Update(image{match: match1, state: "a"})
	old.store.loseAll()
	equal(t, "error", e.Flush(t.Context()), ErrLost)
}

func TestNewMatchAfterTheTakeoverIsLost(t *testing.T) {
	reset(t)
	old := start(t, "n")
	old.store.loseAll()
	old.add(match1).Update(image{match: match1})
	fake.WaitUntil(t, "loss", func() bool { return len(old.losses()) == 1 })
}

func TestRowOfAnotherProcessLosesOnlyThatMatch(t *testing.T) {
	reset(t)
	p := start(t, "n")
	one, two := p.add(match1), p.add(match2)
	p.save(one, "a")
	exec1(t, p.db, `UPDATE set_checkpoints SET boot = 'other'`)
	one.Update(image{match: match1, state: "b"})
	p.save(two, "b")
	fake.WaitUntil(t, "loss", func() bool { return len(p.losses()) == 1 })
	equal(t, "lost", p.losses(), []string{match1})
}

func TestRowWithANewerVersionLosesTheMatch(t *testing.T) {
	reset(t)
	p := start(t, "n")
	e := p.add(match1)
	p.save(e, "a")
	exec1(t, p.db, `UPDATE set_checkpoints SET version = version + 7`)
	e.Update(image{match: match1, state: "b"})
	fake.WaitUntil(t, "loss", func() bool { return len(p.losses()) == 1 })
}

func TestStartFailsIfTheDatabaseCannotBeReached(t *testing.T) {
	db, network := database(t)
	network.cut()
	ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
	defer cancel()
	if _, err := Open(ctx, Config{DB: db, Node: "n", Interval: time.Millisecond}); err == nil {
		t.Error("the start succeeded")
	}
}
