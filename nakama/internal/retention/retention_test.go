package retention

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/heroiclabs/nakama-common/api"

	"setmatch/nakama/internal/effects"
	"setmatch/nakama/internal/fake"
)

func newCleaner(n *fake.Nakama, days int) *Cleaner {
	noon := time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)
	c := New(Config{Store: n, Days: days, Logger: fake.NewLogger()})
	c.now = func() time.Time { return noon }
	return c
}

func object(key string) *api.StorageObject {
	return &api.StorageObject{Key: key}
}

func TestOldRecordsRescuesAndLeaderboardsAreDeleted(t *testing.T) {
	n := fake.NewNakama()
	n.Objects[effects.RecordCollection] = []*api.StorageObject{object("20261030.a"), object("20261031.b"), object("20261130.c")}
	n.Objects[rescueCollection] = []*api.StorageObject{object("20260101.m"), object("20261130.m")}
	n.Objects[pairCollection] = []*api.StorageObject{object("20261127.a.b.1"), object("20261129.a.b.1")}
	n.Boards = []string{"set_daily_20261030", "set_wins", "set_daily_20261031", "other_20200101", "set_daily_20261029"}
	newCleaner(n, 30).cleanUp(context.Background())
	want := []string{"set_pairs/20261127.a.b.1", "set_matches/20261030.a", "set_rescue/20260101.m", "set_daily_20261030", "set_daily_20261029"}
	if !slices.Equal(n.Deleted(), want) {
		t.Errorf("deleted %q, want %q", n.Deleted(), want)
	}
}

func TestOnlyPairCountsAreDeletedWithoutRetention(t *testing.T) {
	n := fake.NewNakama()
	n.Objects[effects.RecordCollection] = []*api.StorageObject{object("20200101.a")}
	n.Objects[pairCollection] = []*api.StorageObject{object("20200101.a.b.1")}
	newCleaner(n, 0).cleanUp(context.Background())
	if want := []string{"set_pairs/20200101.a.b.1"}; !slices.Equal(n.Deleted(), want) {
		t.Errorf("deleted %q, want %q", n.Deleted(), want)
	}
}

func TestOldRecordsAreDeletedPageByPage(t *testing.T) {
	n := fake.NewNakama()
	for i := range 3*cleanUpPage + 1 {
		n.Objects[effects.RecordCollection] = append(n.Objects[effects.RecordCollection], object(fmt.Sprintf("20260101.%03d", i)))
	}
	newCleaner(n, 30).cleanUp(context.Background())
	if left := len(n.Objects[effects.RecordCollection]); left != 0 {
		t.Errorf("%d are left", left)
	}
}

func TestFailedCleanUpIsLoggedAndOthersContinue(t *testing.T) {
	n := fake.NewNakama()
	n.ReadErr = fmt.Errorf("scripted: database unavailable")
	n.Boards = []string{"set_daily_20200101"}
	r := newCleaner(n, 30)
	r.cleanUp(context.Background())
	if !slices.Equal(n.Deleted(), []string{"set_daily_20200101"}) {
		t.Errorf("deleted %q", n.Deleted())
	}
	if logged := r.Logger.(*fake.Logger).All(); strings.Count(logged, "database unavailable") != 3 {
		t.Errorf("logged %s", logged)
	}
}

func TestCleanUpRunsImmediatelyAndStopsWithContext(t *testing.T) {
	n := fake.NewNakama()
	n.Objects[effects.RecordCollection] = []*api.StorageObject{object("20200101.a")}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	newCleaner(n, 1).Run(ctx)
	if len(n.Deleted()) != 1 {
		t.Errorf("deleted %q", n.Deleted())
	}
}
