package main

import (
	"bytes"
	"context"
	"database/sql"

	"github.com/heroiclabs/nakama-common/runtime"
)

const opClaimResult = 103 // the op code of the real claim result

// echo is the match handler.
type echo struct{}

// echoState is the state of one match.
type echoState struct {
	answerBytes int  // minimum length of a broadcast
	connections int  // current connections
	joined      bool // at least one user has joined
}

// MatchInit reads the minimum length of a broadcast and the tick rate.
func (echo) MatchInit(
	_ context.Context, _ runtime.Logger, _ *sql.DB, _ runtime.NakamaModule, params map[string]any,
) (any, int, string) {
	size, _ := params["answerBytes"].(int)
	rate, _ := params["tickRate"].(int)
	return &echoState{answerBytes: size}, rate, ""
}

// MatchJoinAttempt accepts every user.
func (echo) MatchJoinAttempt(
	_ context.Context, _ runtime.Logger, _ *sql.DB, _ runtime.NakamaModule, _ runtime.MatchDispatcher,
	_ int64, state any, _ runtime.Presence, _ map[string]string,
) (any, bool, string) {
	return state, true, ""
}

// MatchJoin counts the new connections.
func (echo) MatchJoin(
	_ context.Context, _ runtime.Logger, _ *sql.DB, _ runtime.NakamaModule, _ runtime.MatchDispatcher,
	_ int64, state any, presences []runtime.Presence,
) any {
	s := state.(*echoState)
	s.connections += len(presences)
	s.joined = true
	return s
}

// MatchLeave counts the connections that left.
func (echo) MatchLeave(
	_ context.Context, _ runtime.Logger, _ *sql.DB, _ runtime.NakamaModule, _ runtime.MatchDispatcher,
	_ int64, state any, presences []runtime.Presence,
) any {
	s := state.(*echoState)
	s.connections -= len(presences)
	return s
}

// MatchLoop broadcasts every message, and ends the match after the last connection has left.
func (echo) MatchLoop(
	_ context.Context, _ runtime.Logger, _ *sql.DB, _ runtime.NakamaModule, d runtime.MatchDispatcher,
	_ int64, state any, messages []runtime.MatchData,
) any {
	s := state.(*echoState)
	for _, message := range messages {
		_ = d.BroadcastMessage(opClaimResult, s.pad(message.GetData()), nil, nil, true)
	}
	if s.joined && s.connections == 0 {
		return nil
	}
	return s
}

// MatchTerminate ends the match.
func (echo) MatchTerminate(
	context.Context, runtime.Logger, *sql.DB, runtime.NakamaModule, runtime.MatchDispatcher, int64, any, int,
) any {
	return nil
}

// MatchSignal returns an empty text.
func (echo) MatchSignal(
	_ context.Context, _ runtime.Logger, _ *sql.DB, _ runtime.NakamaModule, _ runtime.MatchDispatcher,
	_ int64, state any, _ string,
) (any, string) {
	return state, ""
}

// pad appends spaces to a message up to the minimum length.
func (s *echoState) pad(message []byte) []byte {
	missing := s.answerBytes - len(message)
	if missing <= 0 {
		return message
	}
	return append(bytes.Clone(message), bytes.Repeat([]byte{' '}, missing)...)
}
