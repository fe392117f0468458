package main

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/heroiclabs/nakama-common/runtime"
	"google.golang.org/grpc/codes"

	"setmatch/nakama/internal/text"
	"setmatch/nakama/pb"
)

// maxPayloadBytes bounds what the RPCs read.
const maxPayloadBytes = 4096

// maxPromised is at how many tables a place may be kept for one user who has not come in: a table lives for a minute even
// if nobody comes, and costs its maker nothing but a call.
const maxPromised = 8

// lobby is the RPCs with which matches are created, found and signalled (DESIGN section 6).
type lobby struct {
	shim  *shim
	locks *keyLocks
}

// createAnswer is the answer of set_create_match.
type createAnswer struct {
	MatchID string `json:"matchId"`
}

// findAnswer is the answer of set_find_match.
type findAnswer struct {
	MatchID string `json:"matchId"`
	Created bool   `json:"created"`
}

// signalRequest is the payload of set_signal.
type signalRequest struct {
	MatchID string `json:"matchId"`
	Cmd     string `json:"cmd"`
}

// create is set_create_match: options in, the id of a new match out. Errors: code 3 for bad options, 8 for a user who has
// made too many that nobody has come to, 14 while the service is away.
func (l *lobby) create(
	ctx context.Context, logger runtime.Logger, _ *sql.DB, nk runtime.NakamaModule, payload string,
) (reply string, err error) {
	defer l.shim.recoveredAs(logger, "set_create_match", &err)
	if _, err := l.shim.readOptions(ctx, payload); err != nil {
		return "", err
	}
	unlock, err := l.turn(ctx, "user "+l.seeker(ctx))
	if err != nil {
		return "", err
	}
	defer unlock()
	matchID, err := l.makeTable(ctx, nk, payload, caller(ctx))
	if err != nil {
		return "", err
	}
	return answer(createAnswer{MatchID: matchID})
}

// find is set_find_match: options in, the id of an open match with equal options out, or of a new one. Callers with
// equal options take turns, so that together they create no more matches than they fill.
func (l *lobby) find(
	ctx context.Context, logger runtime.Logger, _ *sql.DB, nk runtime.NakamaModule, payload string,
) (reply string, err error) {
	defer l.shim.recoveredAs(logger, "set_find_match", &err)
	options, err := l.shim.readOptions(ctx, payload)
	if err != nil {
		return "", err
	}
	found, err := l.findOrCreate(ctx, nk, payload, options.Key)
	if err != nil {
		return "", err
	}
	return answer(found)
}

// findOrCreate takes the user's turn before that of the key, so that nobody holds others up by what they wait for
// themselves.
func (l *lobby) findOrCreate(
	ctx context.Context, nk runtime.NakamaModule, options, key string,
) (findAnswer, error) {
	user := l.seeker(ctx)
	for _, one := range []string{"user " + user, "key " + key} {
		unlock, err := l.turn(ctx, one)
		if err != nil {
			return findAnswer{}, err
		}
		defer unlock()
	}
	if key != "" {
		if matchID, ok := l.shim.tables.take(key, user); ok {
			return findAnswer{MatchID: matchID}, nil
		}
	}
	matchID, err := l.makeTable(ctx, nk, options, user)
	return findAnswer{MatchID: matchID, Created: true}, err
}

// turn waits until nobody else works on something.
func (l *lobby) turn(ctx context.Context, on string) (func(), error) {
	unlock, err := l.locks.lock(ctx, on)
	if err != nil {
		return nil, newError(codes.Unavailable, serviceAway)
	}
	return unlock, nil
}

// makeTable creates a match in which a place is kept for its maker; a server that makes one for others names none. It is
// the maker's turn, so that their tables are counted right.
func (l *lobby) makeTable(ctx context.Context, nk runtime.NakamaModule, options, maker string) (string, error) {
	if maker == "" {
		return l.shim.createMatch(ctx, nk, options, nil, nil)
	}
	if l.shim.tables.promised(maker) >= maxPromised {
		return "", newError(codes.ResourceExhausted, fmt.Sprintf("places are kept for you at %d tables, no more are allowed", maxPromised))
	}
	return l.shim.createMatch(ctx, nk, options, []string{maker}, nil)
}

// seeker names the caller; a server that asks for somebody has no user id, and every time asks for somebody else.
func (l *lobby) seeker(ctx context.Context) string {
	if user := caller(ctx); user != "" {
		return user
	}
	return fmt.Sprintf("server call %d", l.shim.calls.Add(1))
}

// signal is set_signal: a command from another server to a match, answered by the match. Players may not use it.
func (l *lobby) signal(
	ctx context.Context, logger runtime.Logger, _ *sql.DB, nk runtime.NakamaModule, payload string,
) (reply string, err error) {
	defer l.shim.recoveredAs(logger, "set_signal", &err)
	if caller(ctx) != "" {
		return "", newError(codes.PermissionDenied, "set_signal is for calls between servers")
	}
	if err := checkPayload(payload); err != nil {
		return "", err
	}
	var request signalRequest
	if err := json.Unmarshal([]byte(payload), &request); err != nil || request.MatchID == "" || request.Cmd == "" {
		return "", errBadRequest(`payload must be {"matchId": text, "cmd": text}`)
	}
	reply, err = nk.MatchSignal(ctx, request.MatchID, request.Cmd)
	return reply, signalError(err)
}

func signalError(err error) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, runtime.ErrMatchNotFound):
		return newError(codes.NotFound, "match not found")
	case errors.Is(err, runtime.ErrMatchIdInvalid):
		return errBadRequest("matchId is not the id of a match")
	default:
		return newError(codes.Unavailable, "match busy, try again")
	}
}

// readOptions asks the service what options mean. Errors are meant for clients.
func (s *shim) readOptions(ctx context.Context, payload string) (*pb.MatchOptionsResponse, error) {
	if err := checkPayload(payload); err != nil {
		return nil, err
	}
	place := int(s.calls.Add(1) & 0xffff)
	req := &pb.MatchOptionsRequest{Options: []byte(payload)}
	deadline := s.limits.initDeadline
	reply, err := invoke(ctx, s, place, "MatchOptions", deadline, pb.MatchHandlerServiceClient.MatchOptions, req)
	if err == nil {
		err = checkOptions(reply)
	}
	if err != nil {
		return nil, clientError(err)
	}
	return reply, nil
}

func checkPayload(payload string) error {
	if len(payload) > maxPayloadBytes {
		return errBadRequest(fmt.Sprintf("payload has %d bytes, allowed are %d", len(payload), maxPayloadBytes))
	}
	if payload != "" && !text.IsObject([]byte(payload)) {
		return errBadRequest("payload must be a JSON object")
	}
	return nil
}

// caller returns the user id of who called an RPC, empty for another server.
func caller(ctx context.Context) string {
	user, _ := ctx.Value(runtime.RUNTIME_CTX_USER_ID).(string)
	return user
}
