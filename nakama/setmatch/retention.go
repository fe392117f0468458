package setmatch

import (
	"context"
	"strings"
	"time"

	"github.com/heroiclabs/nakama-common/api"
	"github.com/heroiclabs/nakama-common/runtime"

	"setmatch/nakama/internal/checkpoint"
	"setmatch/nakama/internal/effects"
)

const (
	cleanUpInterval  = time.Hour
	cleanUpPage      = 20 // objects per listing, which contains their values of up to 1 MiB each
	rescueCollection = "set_rescue"
	pairCollection   = "set_pairs"  // numbers of wins of one day, per pair of users
	pairDays         = 2            // later, a delayed win is no longer written
	dailyBoards      = "set_daily_" // prefix; the date follows
)

// store is the part of Nakama's module with which old data is deleted.
type store interface {
	StorageList(ctx context.Context, callerID, userID, collection string, limit int, cursor string,
	) ([]*api.StorageObject, string, error)
	StorageDelete(ctx context.Context, deletes []*runtime.StorageDelete) error
	LeaderboardList(limit int, cursor string) (*api.LeaderboardList, error)
	LeaderboardDelete(ctx context.Context, id string) error
}

// retention deletes old records, rescued matches, daily leaderboards and files of effects, and numbers of wins older than two
// days.
type retention struct {
	store  store
	saves  *checkpoint.Store // nil: none
	days   int               // age at which data is deleted; 0: never
	folder string            // folder of effects that were set aside; empty: none
	now    func() time.Time
	logger runtime.Logger
}

// run deletes old data immediately and then every hour, until the context ends.
func (r *retention) run(ctx context.Context) {
	ticker := time.NewTicker(cleanUpInterval)
	defer ticker.Stop()
	for {
		r.cleanUp(ctx)
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
	}
}

// cleanUp deletes old data. The next run retries a failed deletion.
func (r *retention) cleanUp(ctx context.Context) {
	r.cleanBefore(r.daysAgo(pairDays), func(oldest string) (int, error) { return r.cleanCollection(ctx, pairCollection, oldest) })
	if r.days == 0 {
		return
	}
	r.cleanBefore(r.daysAgo(r.days),
		func(oldest string) (int, error) { return r.cleanCollection(ctx, recordCollection, oldest) },
		func(oldest string) (int, error) { return r.cleanCollection(ctx, rescueCollection, oldest) },
		func(oldest string) (int, error) { return r.cleanBoards(ctx, oldest) },
		func(oldest string) (int, error) { return effects.CleanFolder(r.folder, oldest) },
		func(string) (int, error) {
			deleted, err := r.saves.Clean(ctx, time.Duration(r.days)*24*time.Hour)
			return int(deleted), err
		},
	)
}

func (r *retention) daysAgo(days int) string {
	return r.now().UTC().AddDate(0, 0, -days).Format(keyDate)
}

// cleanBefore runs functions that delete data from before a date, and logs their result.
func (r *retention) cleanBefore(oldest string, cleans ...func(oldest string) (int, error)) {
	deleted := 0
	for _, clean := range cleans {
		count, err := clean(oldest)
		deleted += count
		if err != nil {
			r.logger.WithField("error", err.Error()).Warn("set: could not delete old data, retrying in an hour")
		}
	}
	if deleted > 0 {
		r.logger.WithFields(map[string]any{"deleted": deleted, "older than": oldest}).Info("set: old data deleted")
	}
}

// cleanCollection deletes the objects whose keys begin with an earlier date. Nakama lists them first.
func (r *retention) cleanCollection(ctx context.Context, collection, oldest string) (deleted int, err error) {
	for {
		page, _, err := r.store.StorageList(ctx, "", "", collection, cleanUpPage, "")
		if err != nil {
			return deleted, err
		}
		var old []*runtime.StorageDelete
		for _, object := range page {
			if object.Key < oldest {
				old = append(old, &runtime.StorageDelete{Collection: collection, Key: object.Key, UserID: object.UserId})
			}
		}
		if len(old) == 0 {
			return deleted, nil
		}
		if err := r.store.StorageDelete(ctx, old); err != nil {
			return deleted, err
		}
		deleted += len(old)
	}
}

// cleanBoards deletes the leaderboards of earlier days.
func (r *retention) cleanBoards(ctx context.Context, oldest string) (deleted int, err error) {
	var old []string
	for cursor := ""; ; {
		page, err := r.store.LeaderboardList(cleanUpPage, cursor)
		if err != nil {
			return 0, err
		}
		for _, board := range page.Leaderboards {
			if day, daily := strings.CutPrefix(board.Id, dailyBoards); daily && day < oldest {
				old = append(old, board.Id)
			}
		}
		if cursor = page.Cursor; cursor == "" {
			break
		}
	}
	for _, id := range old {
		if err := r.store.LeaderboardDelete(ctx, id); err != nil {
			return deleted, err
		}
		deleted++
	}
	return deleted, nil
}
