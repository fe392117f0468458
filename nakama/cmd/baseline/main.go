// Package main is a plugin with a match handler that only echoes messages. The load test compares it with the real match
// handler. It is built by `make load` and is not part of a release.
package main

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"

	"github.com/heroiclabs/nakama-common/runtime"
)

const moduleName = "load_echo"

// createRequest is the payload of load_create_echo.
type createRequest struct {
	AnswerBytes int `json:"answerBytes"` // minimum length of a broadcast; spaces are appended
	TickRate    int `json:"tickRate"`    // ticks per second
}

// InitModule is called by Nakama when it loads the plugin.
func InitModule(
	_ context.Context, _ runtime.Logger, _ *sql.DB, _ runtime.NakamaModule, initializer runtime.Initializer,
) error {
	return errors.Join(
		initializer.RegisterMatch(moduleName, newEcho),
		initializer.RegisterRpc("load_create_echo", create),
		initializer.RegisterRpc("load_noop", noop),
	)
}

func newEcho(context.Context, runtime.Logger, *sql.DB, runtime.NakamaModule) (runtime.Match, error) {
	return echo{}, nil
}

// noop returns its payload: the shortest way of a message to Nakama and back.
func noop(_ context.Context, _ runtime.Logger, _ *sql.DB, _ runtime.NakamaModule, payload string) (string, error) {
	return payload, nil
}

func create(ctx context.Context, _ runtime.Logger, _ *sql.DB, nk runtime.NakamaModule, payload string) (string, error) {
	var request createRequest
	if err := json.Unmarshal([]byte(payload), &request); err != nil {
		return "", err
	}
	id, err := nk.MatchCreate(ctx, moduleName, map[string]any{"answerBytes": request.AnswerBytes, "tickRate": request.TickRate})
	if err != nil {
		return "", err
	}
	response, err := json.Marshal(map[string]string{"matchId": id})
	return string(response), err
}
