package main

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/heroiclabs/nakama-common/runtime"
	"google.golang.org/grpc/codes"

	"setmatch/nakama/internal/limits"
	"setmatch/nakama/internal/text"
	"setmatch/nakama/pb"
)

const (
	// maxPayloadBytes bounds the payloads that the RPCs read.
	maxPayloadBytes = 4096
	// maxTries is in how many open matches set_find_match tries to reserve a seat before it creates one.
	maxTries = 8
)

// lobbyCalls is the RPCs with which matches are created, found and signalled (DESIGN section 6).
type lobbyCalls struct {
	shim  *shim
	locks *keyLocks
}

// createAnswer is the answer of set_create_match.
type createAnswer struct {
	MatchID    string `json:"matchId"`
	Invitation string `json:"invitation,omitempty"`
}

// findAnswer is the answer of set_find_match.
type findAnswer struct {
	createAnswer
	Created bool `json:"created"`
}

// signalRequest is the payload of set_signal.
type signalRequest struct {
	MatchID string `json:"matchId"`
	Cmd     string `json:"cmd"`
}

// create is set_create_match: options in, the id of a new match out, and the invitation if it is private. Errors: code 3 for
// bad options, 8 above a limit, 14 during an outage of the service.
func (l *lobbyCalls) create(
	ctx context.Context, logger runtime.Logger, _ *sql.DB, nk runtime.NakamaModule, payload string,
) (reply string, err error) {
	defer l.shim.recoveredAs(logger, "set_create_match", &err)
	done, err := l.shim.beginCall(ctx)
	if err != nil {
		return "", err
	}
	defer done()
	if _, err := l.shim.readOptions(ctx, payload); err != nil {
		return "", err
	}
	unlock, err := l.lock(ctx, "user "+callerID(ctx))
	if err != nil {
		return "", err
	}
	defer unlock()
	created, err := l.createFor(ctx, nk, payload)
	if err != nil {
		return "", err
	}
	return answer(created)
}

// find is set_find_match: options in, the id of a match with equal options out in which a seat is reserved for the caller.
// Where no match has a seat, it creates one. Calls with equal options are handled one after the other, so that together they
// create no more matches than they fill. Errors: as set_create_match, and code 7 for servers, which have no user id.
func (l *lobbyCalls) find(
	ctx context.Context, logger runtime.Logger, _ *sql.DB, nk runtime.NakamaModule, payload string,
) (reply string, err error) {
	defer l.shim.recoveredAs(logger, "set_find_match", &err)
	if callerID(ctx) == "" {
		return "", newError(codes.PermissionDenied, "set_find_match is for players; servers use set_create_match")
	}
	done, err := l.shim.beginCall(ctx)
	if err != nil {
		return "", err
	}
	defer done()
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

// findOrCreate takes the user's lock before that of the key, so that a call that waits for another call of its user delays no
// other user.
func (l *lobbyCalls) findOrCreate(ctx context.Context, nk runtime.NakamaModule, options, key string) (findAnswer, error) {
	for _, one := range []string{"user " + callerID(ctx), "key " + key} {
		unlock, err := l.lock(ctx, one)
		if err != nil {
			return findAnswer{}, err
		}
		defer unlock()
	}
	if key != "" {
		if found, err := l.reserveIn(ctx, nk, key); err != nil || found != "" {
			return findAnswer{createAnswer: createAnswer{MatchID: found}}, err
		}
	}
	created, err := l.createFor(ctx, nk, options)
	return findAnswer{createAnswer: created, Created: true}, err
}

// reserveIn reserves a seat for the caller in a match with a key: in one that the caller is in already, or else in the oldest
// open one that has a seat for the caller. It returns an empty id if there is none.
func (l *lobbyCalls) reserveIn(ctx context.Context, nk runtime.NakamaModule, key string) (string, error) {
	user, _ := ctx.Value(runtime.RUNTIME_CTX_USERNAME).(string)
	caller := []expectedUser{{UserID: callerID(ctx), Username: user}}
	for _, match := range l.candidates(callerID(ctx), key) {
		switch reserved, err := l.shim.reserve(ctx, nk, match, caller); {
		case err != nil:
			return "", err
		case reserved.Granted:
			return match, nil
		}
	}
	return "", nil
}

func (l *lobbyCalls) candidates(user, key string) []string {
	var candidates []string
	own := l.shim.members.Matches(user)
	for _, match := range own {
		if l.shim.open.Key(match) == key {
			candidates = append(candidates, match)
		}
	}
	if l.shim.limits.Matches(limits.Caller{UserID: user}, len(own)) != nil {
		return candidates
	}
	return append(candidates, l.shim.open.Oldest(key, maxTries)...)
}

// createFor creates a match with a seat reserved for the caller; a server that creates one for others has no seat in it. The
// caller's lock must be held, so that the caller's matches are counted right.
func (l *lobbyCalls) createFor(ctx context.Context, nk runtime.NakamaModule, options string) (createAnswer, error) {
	user := callerID(ctx)
	if exceeded := l.shim.limits.Matches(caller(ctx), len(l.shim.members.Matches(user))); exceeded != nil {
		return createAnswer{}, l.shim.refuse(exceeded)
	}
	var expected []expectedUser
	if user != "" {
		name, _ := ctx.Value(runtime.RUNTIME_CTX_USERNAME).(string)
		expected = []expectedUser{{UserID: user, Username: name}}
	}
	return l.shim.createMatch(ctx, nk, caller(ctx), creationParams{options: options, creatorID: user, expected: expected})
}

// lock waits until no other call works on something.
func (l *lobbyCalls) lock(ctx context.Context, on string) (func(), error) {
	unlock, err := l.locks.lock(ctx, on)
	if err != nil {
		return nil, newError(codes.Unavailable, serviceAway)
	}
	return unlock, nil
}

// signal is set_signal: a command from another server to a match, answered by the match. Players may not use it.
func (l *lobbyCalls) signal(
	ctx context.Context, logger runtime.Logger, _ *sql.DB, nk runtime.NakamaModule, payload string,
) (reply string, err error) {
	defer l.shim.recoveredAs(logger, "set_signal", &err)
	if callerID(ctx) != "" {
		return "", newError(codes.PermissionDenied, "set_signal is for calls between servers")
	}
	if err := checkPayload(payload); err != nil {
		return "", err
	}
	var request signalRequest
	if err := json.Unmarshal([]byte(payload), &request); err != nil || request.MatchID == "" || request.Cmd == "" {
		return "", errBadRequest(`payload must be {"matchId": text, "cmd": text}`)
	}
	if strings.HasPrefix(request.Cmd, reserveCommand) {
		return "", errBadRequest("cmd is reserved for the plugin")
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

// readOptions lets the service check and complete options. Errors are meant for clients.
func (s *shim) readOptions(ctx context.Context, payload string) (*pb.MatchOptionsResponse, error) {
	if err := checkPayload(payload); err != nil {
		return nil, err
	}
	place := int(s.calls.Add(1) & 0xffff)
	req := &pb.MatchOptionsRequest{Options: []byte(payload)}
	reply, err := invoke(ctx, s, place, "MatchOptions", s.timing.initDeadline, pb.MatchHandlerServiceClient.MatchOptions, req)
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
