// Package main is the plugin that Nakama loads, `set.so`.
package main

import (
	"context"
	"database/sql"

	"github.com/heroiclabs/nakama-common/runtime"

	"setmatch/nakama/setmatch"
)

// InitModule is the entry point that Nakama calls when it loads the plugin.
func InitModule(
	ctx context.Context, logger runtime.Logger, db *sql.DB, nk runtime.NakamaModule, initializer runtime.Initializer,
) error {
	return setmatch.Register(ctx, logger, db, nk, initializer)
}
