package setmatch

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/heroiclabs/nakama-common/api"

	"setmatch/nakama/internal/fake"
)

func newRetention(n *fakeNakama, days int) *retention {
	noon := time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)
	return &retention{store: n, days: days, now: func() time.Time { return noon }, logger: fake.NewLogger()}
}

func object(key string) *api.StorageObject {
	return &api.StorageObject{Key: key}
}

func TestOldRecordsRescuesAndLeaderboardsAreDeleted(t *testing.T) {
	n := newFakeNakama()
	n.objects[recordCollection] = []*api.StorageObject{object("20261030.a"), object("20261031.b"), object("20261130.c")}
	n.objects[rescueCollection] = []*api.StorageObject{object("20260101.m"), object("20261130.m")}
	n.objects[pairCollection] = []*api.StorageObject{object("20261127.a.b.1"), object("20261129.a.b.1")}
	n.boards = []string{"set_daily_20261030", "set_wins", "set_daily_20261031", "other_20200101", "set_daily_20261029"}
	newRetention(n, 30).cleanUp(context.Background())
	want := []string{"set_pairs/20261127.a.b.1", "set_matches/20261030.a", "set_rescue/20260101.m", "set_daily_20261030", "set_daily_20261029"}
	if !slices.Equal(n.deleted, want) {
		t.Errorf("deleted %q, want %q", n.deleted, want)
	}
}

func TestOnlyPairCountsAreDeletedWithoutRetention(t *testing.T) {
	n := newFakeNakama()
	n.objects[recordCollection] = []*api.StorageObject{object("20200101.a")}
	n.objects[pairCollection] = []*api.StorageObject{object("20200101.a.b.1")}
	newRetention(n, 0).cleanUp(context.Background())
	if want := []string{"set_pairs/20200101.a.b.1"}; !slices.Equal(n.deleted, want) {
		t.Errorf("deleted %q, want %q", n.deleted, want)
	}
}

func TestOldRecordsAreDeletedPageByPage(t *testing.T) {
	n := newFakeNakama()
	for i := range 3*cleanUpPage + 1 {
		n.objects[recordCollection] = append(n.objects[recordCollection], object(fmt.Sprintf("20260101.%03d", i)))
	}
	newRetention(n, 30).cleanUp(context.Background())
	if left := len(n.objects[recordCollection]); left != 0 {
		t.Errorf("%d are left", left)
	}
}

func TestFailedCleanUpIsLoggedAndOthersContinue(t *testing.T) {
	n := newFakeNakama()
	n.readErr = fmt.Errorf("scripted: database unavailable")
	n.boards = []string{"set_daily_20200101"}
	r := newRetention(n, 30)
	r.cleanUp(context.Background())
	if !slices.Equal(n.deleted, []string{"set_daily_20200101"}) {
		t.Errorf("deleted %q", n.deleted)
	}
	if logged := r.logger.(*fake.Logger).All(); strings.Count(logged, "database unavailable") != 3 {
		t.Errorf("logged %s", logged)
	}
}

func TestCleanUpRunsImmediatelyAndStopsWithContext(t *testing.T) {
	n := newFakeNakama()
	n.objects[recordCollection] = []*api.StorageObject{object("20200101.a")}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	newRetention(n, 1).run(ctx)
	if len(n.deleted) != 1 {
		t.Errorf("deleted %q", n.deleted)
	}
}
