package checkpoint

import (
	"errors"
	"testing"
	"time"
)

func TestUnusableRowsAreSetAsideAndOthersRevived(t *testing.T) {
	for reason, damage := range map[Reason]string{
		Corrupted:     `UPDATE set_checkpoints SET data = set_byte(data, 7, 255 - get_byte(data, 7)) WHERE match = $1`,
		UnknownFormat: `UPDATE set_checkpoints SET data = set_byte(data, 0, 99) WHERE match = $1`,
		Crashed:       `UPDATE set_checkpoints SET failures = 3 WHERE match = $1`,
	} {
		t.Run(string(reason), func(t *testing.T) {
			reset(t)
			first := start(t, "n")
			first.save(first.add(match1), "a")
			first.save(first.add(match2), "b")
			exec1(t, first.db, damage, match1)
			first.kill()
			p := start(t, "n")
			equal(t, "states", states(p.rows()), map[string]string{match2: "b"})
			equal(t, "count", p.meters.aside[reason], 1)
			equal(t, "kept rows", number(t, p.db, `SELECT count(*) FROM set_checkpoints WHERE reason = $1 AND set_aside IS NOT NULL`,
				string(reason)), 1)
			p.kill()
			equal(t, "rows of the next process", len(start(t, "n").rows()), 1)
		})
	}
}

func TestRowWithAnotherMatchIsSetAside(t *testing.T) {
	reset(t)
	first := start(t, "n")
	first.save(first.add(match1), "a")
	exec1(t, first.db, `UPDATE set_checkpoints SET match = $1`, match2)
	first.kill()
	p := start(t, "n")
	equal(t, "rows", len(p.rows()), 0)
	equal(t, "count", p.meters.aside[Corrupted], 1)
}

func TestAgeIsTheTimeSinceTheNodeWasAlive(t *testing.T) {
	for name, test := range map[string]struct {
		written, renewed string
		revived          int
	}{
		"idle match of a live node": {written: "2 days", renewed: "1 minute", revived: 1},
		"node was down":             {written: "2 days", renewed: "2 hours", revived: 0},
	} {
		t.Run(name, func(t *testing.T) {
			reset(t)
			first := start(t, "n")
			first.save(first.add(match1), "a")
			first.kill()
			db, _ := database(t)
			exec1(t, db, `UPDATE set_checkpoints SET written = now() - $1::interval`, test.written)
			exec1(t, db, `UPDATE set_checkpoint_leases SET renewed = now() - $1::interval`, test.renewed)
			p := start(t, "n")
			equal(t, "rows", len(p.rows()), test.revived)
			equal(t, "set aside", p.meters.aside[TooOld], 1-test.revived)
		})
	}
}

func TestRevivedMatchContinuesItsRow(t *testing.T) {
	reset(t)
	first := start(t, "n")
	first.save(first.add(match1), "a")
	first.kill()
	p := start(t, "n")
	var entry *Entry
	err := p.store.Revive(t.Context(), p.rows()[0], p.lose(match1), func(e *Entry) error {
		equal(t, "failures during the revival", number(t, p.db, `SELECT failures FROM set_checkpoints`), 1)
		entry = e
		return nil
	})
	equal(t, "error", err, error(nil))
	equal(t, "failures", number(t, p.db, `SELECT failures FROM set_checkpoints`), 0)
	p.save(entry, "b")
	equal(t, "revived", p.meters.revived, 1)
	equal(t, "lost", p.losses(), nil)
	p.kill()
	equal(t, "states", states(start(t, "n").rows()), map[string]string{match1: "b"})
}

func TestRowIsSetAsideAfterThreeCrashes(t *testing.T) {
	reset(t)
	first := start(t, "n")
	first.save(first.add(match1), "a")
	first.save(first.add(match2), "b")
	first.kill()
	for range maxFailures {
		p := start(t, "n")
		for _, row := range p.rows() {
			if row.Match == match2 {
				_ = p.store.Revive(t.Context(), row, p.lose(match2), func(*Entry) error { return nil })
				continue
			}
			func() {
				defer func() { _ = recover() }()
				_ = p.store.Revive(t.Context(), row, p.lose(match1), func(*Entry) error { panic("crash") })
			}()
		}
		p.kill()
	}
	p := start(t, "n")
	equal(t, "states", states(p.rows()), map[string]string{match2: "b"})
	equal(t, "set aside", p.meters.aside[Crashed], 1)
}

func TestMatchThatNakamaDoesNotRecreateIsSetAside(t *testing.T) {
	reset(t)
	first := start(t, "n")
	first.save(first.add(match1), "a")
	first.kill()
	p := start(t, "n")
	err := p.store.Revive(t.Context(), p.rows()[0], p.lose(match1), func(*Entry) error { return errors.New("scripted") })
	equal(t, "error", err, error(nil))
	equal(t, "lost", p.losses(), []string{match1})
	equal(t, "set aside", p.meters.aside[NotRevived], 1)
}

func TestCleanDeletesOldRowsOnly(t *testing.T) {
	reset(t)
	p, gone := start(t, "n"), start(t, "gone")
	for _, match := range []string{"live", "recent", "old"} {
		p.save(p.add(match), "a")
	}
	gone.save(gone.add("of a removed node"), "a")
	gone.kill()
	exec1(t, p.db, `UPDATE set_checkpoints SET written = now() - interval '9 days'`)
	exec1(t, p.db, `UPDATE set_checkpoints SET set_aside = now() - interval '1 day' WHERE match = 'recent'`)
	exec1(t, p.db, `UPDATE set_checkpoints SET set_aside = now() - interval '8 days' WHERE match = 'old'`)
	exec1(t, p.db, `UPDATE set_checkpoint_leases SET expires = now() - interval '8 days' WHERE node = 'gone'`)
	deleted, err := p.store.Clean(t.Context(), 7*24*time.Hour)
	equal(t, "error", err, error(nil))
	equal(t, "deleted", deleted, int64(2))
	equal(t, "kept", number(t, p.db, `SELECT count(*) FROM set_checkpoints WHERE match IN ('live', 'recent')`), 2)
}
