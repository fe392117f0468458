package lobby

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/heroiclabs/nakama-common/runtime"
	"google.golang.org/grpc/codes"

	"setmatch/nakama/internal/limits"
	"setmatch/nakama/internal/match"
	"setmatch/nakama/internal/refusal"
	"setmatch/nakama/internal/text"
	"setmatch/nakama/pb"
)

const (
	// maxPayloadBytes is the maximum size of an RPC's payload.
	maxPayloadBytes = 4096
	// maxReserveAttempts is the number of open matches in which set_find_match tries to reserve a seat before it creates a
	// match.
	maxReserveAttempts = 8
)

// findReply is the reply of set_find_match.
type findReply struct {
	match.JoinData
	Created bool `json:"created"`
}

// signalRequest is the payload of set_signal.
type signalRequest struct {
	MatchID string `json:"matchId"`
	Cmd     string `json:"cmd"`
}

// create is the RPC set_create_match. Its payload is options; it returns the id of a new match, and the invitation if it is
// private. Errors: code 3 for invalid options, 8 above a limit, 14 during an outage.
func (l *Lobby) create(
	ctx context.Context, logger runtime.Logger, _ *sql.DB, nk runtime.NakamaModule, payload string,
) (reply string, err error) {
	defer l.Panics.RecoverAs(logger, "set_create_match", &err)
	done, err := l.beginCall(ctx, payload)
	if err != nil {
		return "", err
	}
	defer done()
	if _, err := l.readOptions(ctx, payload); err != nil {
		return "", err
	}
	if user := callerID(ctx); user != "" { // servers have no limit of matches and do not wait for each other
		unlock, err := l.lock(ctx, "user "+user)
		if err != nil {
			return "", err
		}
		defer unlock()
	}
	created, err := l.createFor(ctx, nk, payload)
	if err != nil {
		return "", err
	}
	return encodeReply(created)
}

// find is the RPC set_find_match. Its payload is options; it returns the id of a match with the same options key, in which it
// has reserved a seat for the caller. If no open match has a free seat, it creates one. Calls with the same key are handled one
// after another, so that they create no more matches than they fill. Errors: as for set_create_match, and code 7 for servers,
// which have no user id.
func (l *Lobby) find(
	ctx context.Context, logger runtime.Logger, _ *sql.DB, nk runtime.NakamaModule, payload string,
) (reply string, err error) {
	defer l.Panics.RecoverAs(logger, "set_find_match", &err)
	if callerID(ctx) == "" {
		return "", refusal.New(codes.PermissionDenied, "set_find_match is for players; servers use set_create_match")
	}
	done, err := l.beginCall(ctx, payload)
	if err != nil {
		return "", err
	}
	defer done()
	options, err := l.readOptions(ctx, payload)
	if err != nil {
		return "", err
	}
	found, err := l.findOrCreate(ctx, nk, payload, options.Key)
	if err != nil {
		return "", err
	}
	return encodeReply(found)
}

// findOrCreate locks the user before the key, so that a call that waits for another call of the same user delays no other user.
func (l *Lobby) findOrCreate(ctx context.Context, nk runtime.NakamaModule, options, key string) (findReply, error) {
	for _, name := range []string{"user " + callerID(ctx), "key " + key} {
		unlock, err := l.lock(ctx, name)
		if err != nil {
			return findReply{}, err
		}
		defer unlock()
	}
	if key != "" {
		if found, err := l.reserveIn(ctx, nk, key); err != nil || found != "" {
			return findReply{JoinData: match.JoinData{MatchID: found}}, err
		}
	}
	created, err := l.createFor(ctx, nk, options)
	return findReply{JoinData: created, Created: true}, err
}

// reserveIn reserves a seat for the caller in a match with an options key: in a match of the caller, or else in the oldest open
// match that grants a reservation. It returns the match id, empty if there is none.
func (l *Lobby) reserveIn(ctx context.Context, nk runtime.NakamaModule, key string) (string, error) {
	for _, candidate := range l.candidates(callerID(ctx), key) {
		switch reserved, err := match.Reserve(ctx, nk, candidate, expectedCaller(ctx)); {
		case err != nil:
			return "", err
		case reserved.Granted:
			return candidate, nil
		}
	}
	return "", nil
}

// candidates returns the ids of the matches for reserveIn, in order.
func (l *Lobby) candidates(user, key string) []string {
	var candidates []string
	for _, own := range l.Members.Matches(user) {
		if l.Open.Key(own) == key {
			candidates = append(candidates, own)
		}
	}
	if l.checkMatchLimit(user) != nil {
		return candidates
	}
	return append(candidates, l.Open.Oldest(key, maxReserveAttempts)...)
}

// createFor creates a match with a reservation for the caller, or without one if the caller is a server. For a user, the lock of
// the user must be held, because the limit of the user's matches is checked here.
func (l *Lobby) createFor(ctx context.Context, nk runtime.NakamaModule, options string) (match.JoinData, error) {
	user := callerID(ctx)
	if exceeded := l.checkMatchLimit(user); exceeded != nil {
		return match.JoinData{}, l.refuse(exceeded)
	}
	params := match.Params{Options: options, CreatorID: user, Expected: expectedCaller(ctx)}
	return l.createMatch(ctx, nk, caller(ctx), params)
}

// createMatch creates a match for a caller, within the limits of new and of live matches. Errors are for clients.
func (l *Lobby) createMatch(
	ctx context.Context, nk runtime.NakamaModule, by limits.Caller, params match.Params,
) (match.JoinData, error) {
	if exceeded := l.Limits.Create(by, l.Matches.Live()); exceeded != nil {
		return match.JoinData{}, l.refuse(exceeded)
	}
	return l.Matches.Create(ctx, nk, params)
}

// lock waits until no other call holds the lock of a name.
func (l *Lobby) lock(ctx context.Context, name string) (func(), error) {
	unlock, err := l.locks.lock(ctx, name)
	if err != nil {
		return nil, refusal.New(codes.Unavailable, refusal.ServiceUnavailable)
	}
	return unlock, nil
}

// signal is the RPC set_signal. It sends a command of another server to a match and returns the match's reply. Clients cannot
// use it.
func (l *Lobby) signal(
	ctx context.Context, logger runtime.Logger, _ *sql.DB, nk runtime.NakamaModule, payload string,
) (reply string, err error) {
	defer l.Panics.RecoverAs(logger, "set_signal", &err)
	if callerID(ctx) != "" {
		return "", refusal.New(codes.PermissionDenied, "set_signal is for calls between servers")
	}
	if err := checkPayload(payload); err != nil {
		return "", err
	}
	var request signalRequest
	if err := json.Unmarshal([]byte(payload), &request); err != nil || request.MatchID == "" || request.Cmd == "" {
		return "", refusal.BadRequest(`payload must be {"matchId": text, "cmd": text}`)
	}
	if match.IsOwnSignal(request.Cmd) {
		return "", refusal.BadRequest("cmd is reserved for the plugin")
	}
	reply, err = nk.MatchSignal(ctx, request.MatchID, request.Cmd)
	return reply, signalError(err)
}

func signalError(err error) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, runtime.ErrMatchNotFound):
		return refusal.New(codes.NotFound, "match not found")
	case errors.Is(err, runtime.ErrMatchIdInvalid):
		return refusal.BadRequest("matchId is not the id of a match")
	default:
		return refusal.New(codes.Unavailable, "match busy, try again")
	}
}

// readOptions validates and completes options. Errors are for clients.
func (l *Lobby) readOptions(ctx context.Context, payload string) (*pb.MatchOptionsResponse, error) {
	reply, err := l.Rules.Options(ctx, payload)
	if err != nil {
		return nil, refusal.FromCall(err)
	}
	return reply, nil
}

// encodeReply returns the JSON text of a reply of an RPC.
func encodeReply(value any) (string, error) {
	text, err := json.Marshal(value)
	if err != nil {
		return "", refusal.Internal()
	}
	return string(text), nil
}

func checkPayload(payload string) error {
	if len(payload) > maxPayloadBytes {
		return refusal.BadRequest(fmt.Sprintf("payload has %d bytes, allowed are %d", len(payload), maxPayloadBytes))
	}
	if payload != "" && !text.IsObject([]byte(payload)) {
		return refusal.BadRequest("payload must be a JSON object")
	}
	return nil
}
