// Package retention deletes old data of the plugin from Nakama's database and from the folder of saved effects.
package retention

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

// Store is the part of Nakama's module with which old data is deleted.
type Store interface {
	StorageList(ctx context.Context, callerID, userID, collection string, limit int, cursor string,
	) ([]*api.StorageObject, string, error)
	StorageDelete(ctx context.Context, deletes []*runtime.StorageDelete) error
	LeaderboardList(limit int, cursor string) (*api.LeaderboardList, error)
	LeaderboardDelete(ctx context.Context, id string) error
}

// Config is the data to clean, and its age.
type Config struct {
	Store  Store             // Nakama's storage and leaderboards
	Saves  *checkpoint.Store // nil: none
	Days   int               // age at which data is deleted; 0: never
	Folder string            // folder of effects that were set aside; empty: none
	Logger runtime.Logger    // logs the number of deleted objects, and failures
}

// Cleaner deletes old records, rescued matches, daily leaderboards, files of effects and rows of saved matches. It deletes the daily
// numbers of wins of pairs of users after two days.
type Cleaner struct {
	Config
	now func() time.Time
}

// New returns a cleaner.
func New(c Config) *Cleaner {
	return &Cleaner{Config: c, now: time.Now}
}

// Run deletes old data immediately and then every hour, until the context ends.
func (c *Cleaner) Run(ctx context.Context) {
	ticker := time.NewTicker(cleanUpInterval)
	defer ticker.Stop()
	for {
		c.cleanUp(ctx)
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
	}
}

// cleanUp deletes old data. The next run retries a failed deletion.
func (c *Cleaner) cleanUp(ctx context.Context) {
	c.cleanBefore(c.daysAgo(pairDays), func(oldest string) (int, error) { return c.cleanCollection(ctx, pairCollection, oldest) })
	if c.Days == 0 {
		return
	}
	c.cleanBefore(c.daysAgo(c.Days),
		func(oldest string) (int, error) { return c.cleanCollection(ctx, effects.RecordCollection, oldest) },
		func(oldest string) (int, error) { return c.cleanCollection(ctx, rescueCollection, oldest) },
		func(oldest string) (int, error) { return c.cleanBoards(ctx, oldest) },
		func(oldest string) (int, error) { return effects.CleanFolder(c.Folder, oldest) },
		func(string) (int, error) {
			deleted, err := c.Saves.Clean(ctx, time.Duration(c.Days)*24*time.Hour)
			return int(deleted), err
		},
	)
}

func (c *Cleaner) daysAgo(days int) string {
	return c.now().UTC().AddDate(0, 0, -days).Format(effects.KeyDate)
}

// cleanBefore runs functions that delete data from before a date, and logs their result.
func (c *Cleaner) cleanBefore(oldest string, cleans ...func(oldest string) (int, error)) {
	deleted := 0
	for _, clean := range cleans {
		count, err := clean(oldest)
		deleted += count
		if err != nil {
			c.Logger.WithField("error", err.Error()).Warn("set: could not delete old data, retrying in an hour")
		}
	}
	if deleted > 0 {
		c.Logger.WithFields(map[string]any{"deleted": deleted, "older than": oldest}).Info("set: old data deleted")
	}
}

// cleanCollection deletes the objects whose keys begin with an earlier date. Nakama lists them first.
func (c *Cleaner) cleanCollection(ctx context.Context, collection, oldest string) (deleted int, err error) {
	for {
		page, _, err := c.Store.StorageList(ctx, "", "", collection, cleanUpPage, "")
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
		if err := c.Store.StorageDelete(ctx, old); err != nil {
			return deleted, err
		}
		deleted += len(old)
	}
}

// cleanBoards deletes the leaderboards of earlier days.
func (c *Cleaner) cleanBoards(ctx context.Context, oldest string) (deleted int, err error) {
	var old []string
	for cursor := ""; ; {
		page, err := c.Store.LeaderboardList(cleanUpPage, cursor)
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
		if err := c.Store.LeaderboardDelete(ctx, id); err != nil {
			return deleted, err
		}
		deleted++
	}
	return deleted, nil
}
