package main

import (
	"bytes"
	"context"
	"database/sql"

	"github.com/heroiclabs/nakama-common/runtime"
)

const (
	tickRate = 20  // the same as the real match's
	opAnswer = 103 // the op code of the real match's answers to claims
)

// echo is the match handler.
type echo struct{}

// table is the state of one match.
type table struct {
	answerBytes int
	people      int
	begun       bool
}

// MatchInit reads how long answers are.
func (echo) MatchInit(
	_ context.Context, _ runtime.Logger, _ *sql.DB, _ runtime.NakamaModule, params map[string]any,
) (any, int, string) {
	size, _ := params["answerBytes"].(int)
	return &table{answerBytes: size}, tickRate, ""
}

// MatchJoinAttempt lets everybody in.
func (echo) MatchJoinAttempt(
	_ context.Context, _ runtime.Logger, _ *sql.DB, _ runtime.NakamaModule, _ runtime.MatchDispatcher,
	_ int64, state any, _ runtime.Presence, _ map[string]string,
) (any, bool, string) {
	return state, true, ""
}

// MatchJoin counts who comes.
func (echo) MatchJoin(
	_ context.Context, _ runtime.Logger, _ *sql.DB, _ runtime.NakamaModule, _ runtime.MatchDispatcher,
	_ int64, state any, presences []runtime.Presence,
) any {
	t := state.(*table)
	t.people += len(presences)
	t.begun = true
	return t
}

// MatchLeave counts who goes.
func (echo) MatchLeave(
	_ context.Context, _ runtime.Logger, _ *sql.DB, _ runtime.NakamaModule, _ runtime.MatchDispatcher,
	_ int64, state any, presences []runtime.Presence,
) any {
	t := state.(*table)
	t.people -= len(presences)
	return t
}

// MatchLoop answers every message to everybody, and ends when the last has gone.
func (echo) MatchLoop(
	_ context.Context, _ runtime.Logger, _ *sql.DB, _ runtime.NakamaModule, d runtime.MatchDispatcher,
	_ int64, state any, messages []runtime.MatchData,
) any {
	t := state.(*table)
	for _, message := range messages {
		_ = d.BroadcastMessage(opAnswer, t.fill(message.GetData()), nil, nil, true)
	}
	if t.begun && t.people == 0 {
		return nil
	}
	return t
}

// MatchTerminate ends the match.
func (echo) MatchTerminate(
	context.Context, runtime.Logger, *sql.DB, runtime.NakamaModule, runtime.MatchDispatcher, int64, any, int,
) any {
	return nil
}

// MatchSignal has nothing to say.
func (echo) MatchSignal(
	_ context.Context, _ runtime.Logger, _ *sql.DB, _ runtime.NakamaModule, _ runtime.MatchDispatcher,
	_ int64, state any, _ string,
) (any, string) {
	return state, ""
}

func (t *table) fill(message []byte) []byte {
	missing := t.answerBytes - len(message)
	if missing <= 0 {
		return message
	}
	return append(bytes.Clone(message), bytes.Repeat([]byte{' '}, missing)...)
}
