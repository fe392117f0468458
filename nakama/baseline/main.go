// Package main is a plugin with a match handler that does nothing but answer every message: what the load test compares
// the real one with. It is built by `make load` only and is part of nothing that is shipped.
package main

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"

	"github.com/heroiclabs/nakama-common/runtime"
)

const moduleName = "load_echo"

// wish is the payload of load_create_echo.
type wish struct {
	AnswerBytes int `json:"answerBytes"` // each answer is filled up with spaces to that length
}

// InitModule is called by Nakama when it loads the plugin.
func InitModule(
	_ context.Context, _ runtime.Logger, _ *sql.DB, _ runtime.NakamaModule, initializer runtime.Initializer,
) error {
	return errors.Join(
		initializer.RegisterMatch(moduleName, newEcho),
		initializer.RegisterRpc("load_create_echo", create),
	)
}

func newEcho(context.Context, runtime.Logger, *sql.DB, runtime.NakamaModule) (runtime.Match, error) {
	return echo{}, nil
}

func create(ctx context.Context, _ runtime.Logger, _ *sql.DB, nk runtime.NakamaModule, payload string) (string, error) {
	var w wish
	if err := json.Unmarshal([]byte(payload), &w); err != nil {
		return "", err
	}
	id, err := nk.MatchCreate(ctx, moduleName, map[string]any{"answerBytes": w.AnswerBytes})
	if err != nil {
		return "", err
	}
	answer, err := json.Marshal(map[string]string{"matchId": id})
	return string(answer), err
}
