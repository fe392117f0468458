package main

import (
	"context"
	"database/sql"
	"errors"

	"github.com/heroiclabs/nakama-common/runtime"
	"google.golang.org/grpc/codes"
)

const (
	gameProperty       = "game"
	optionsProperty    = "options"
	unavailableSubject = "set_unavailable"
	unavailableCode    = 1
)

// matchmaker turns tickets that Nakama matched into a match (DESIGN section 6).
type matchmaker struct {
	shim *shim
}

// matched creates a match with the seats of the tickets' users reserved. Tickets of another game are left alone. On
// failure Nakama hands out a token for a match without a referee, which the guards refuse; so the users are told.
func (k *matchmaker) matched(
	ctx context.Context, logger runtime.Logger, _ *sql.DB, nk runtime.NakamaModule, entries []runtime.MatchmakerEntry,
) (matchID string, err error) {
	defer k.shim.recoveredAs(logger, "matchmaker", &err)
	if !anyForSet(entries) {
		return "", nil
	}
	matchID, err = k.create(ctx, nk, entries)
	if err != nil {
		k.notify(ctx, logger, nk, entries, err)
	}
	return matchID, err
}

func anyForSet(entries []runtime.MatchmakerEntry) bool {
	for _, entry := range entries {
		if entry.GetProperties()[gameProperty] == moduleName {
			return true
		}
	}
	return false
}

func (k *matchmaker) create(
	ctx context.Context, nk runtime.NakamaModule, entries []runtime.MatchmakerEntry,
) (string, error) {
	options, err := k.sharedOptions(ctx, entries)
	if err != nil {
		return "", err
	}
	expected := expectedOf(entries)
	return k.shim.createMatch(ctx, nk, options, userIDs(expected), expected)
}

func userIDs(users []expectedUser) []string {
	ids := make([]string, 0, len(users))
	for _, user := range users {
		ids = append(ids, user.UserID)
	}
	return ids
}

// sharedOptions returns the options that all tickets ask for; tickets without options agree to any.
func (k *matchmaker) sharedOptions(ctx context.Context, entries []runtime.MatchmakerEntry) (string, error) {
	var shared, key string
	for _, entry := range entries {
		options := textOf(entry.GetProperties()[optionsProperty])
		if options == "" || options == shared {
			continue
		}
		read, err := k.shim.readOptions(ctx, options)
		if err != nil {
			return "", err
		}
		if shared != "" && (read.Key == "" || read.Key != key) {
			return "", errBadRequest("the matched tickets ask for different options")
		}
		shared, key = options, read.Key
	}
	return shared, nil
}

func expectedOf(entries []runtime.MatchmakerEntry) []expectedUser {
	users := make([]expectedUser, 0, len(entries))
	for _, entry := range entries {
		who := entry.GetPresence()
		users = append(users, expectedUser{UserID: who.GetUserId(), Username: who.GetUsername()})
	}
	return users
}

func (k *matchmaker) notify(
	ctx context.Context, logger runtime.Logger, nk runtime.NakamaModule, entries []runtime.MatchmakerEntry, cause error,
) {
	logger.WithField("tickets", len(entries)).Warn("set: no match for matched tickets")
	notices := make([]*runtime.NotificationSend, 0, len(entries))
	for _, entry := range entries {
		notices = append(notices, &runtime.NotificationSend{
			UserID: entry.GetPresence().GetUserId(), Subject: unavailableSubject, Code: unavailableCode,
			Content: map[string]any{"reason": cause.Error(), "ticket": entry.GetTicket(), "code": codeOf(cause)},
		})
	}
	if err := nk.NotificationsSend(ctx, notices); err != nil {
		logger.WithField("error", err.Error()).Error("set: could not tell the users of matched tickets")
	}
}

func codeOf(err error) int {
	var told *runtime.Error
	if errors.As(err, &told) {
		return told.Code
	}
	return int(codes.Internal)
}
