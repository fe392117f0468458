package lobby

import (
	"context"
	"database/sql"
	"errors"

	"github.com/heroiclabs/nakama-common/runtime"
	"google.golang.org/grpc/codes"

	"setmatch/nakama/internal/limits"
	"setmatch/nakama/internal/match"
	"setmatch/nakama/internal/refusal"
)

const (
	unavailableSubject = "set_unavailable"
	unavailableCode    = 1
)

// matched creates a match with a reservation for each user. It ignores a group without tickets of this game. A group with
// tickets of other games too gets no match: Nakama then creates a token for a relayed match, which the guards reject, so the
// users of this game's tickets get a notification.
func (l *Lobby) matched(
	ctx context.Context, logger runtime.Logger, _ *sql.DB, nk runtime.NakamaModule, entries []runtime.MatchmakerEntry,
) (matchID string, err error) {
	defer l.Panics.RecoverAs(logger, "matchmaker", &err)
	setTickets := ticketsForSet(entries)
	if len(setTickets) == 0 {
		return "", nil
	}
	if len(setTickets) < len(entries) {
		l.notify(ctx, logger, nk, setTickets, refusal.BadRequest("your ticket was matched with tickets of another game"))
		return "", nil
	}
	matchID, err = l.createForTickets(ctx, nk, entries)
	if err != nil {
		l.notify(ctx, logger, nk, entries, err)
	}
	return matchID, err
}

func ticketsForSet(entries []runtime.MatchmakerEntry) []runtime.MatchmakerEntry {
	var setTickets []runtime.MatchmakerEntry
	for _, entry := range entries {
		if entry.GetProperties()[gameProperty] == match.Module {
			setTickets = append(setTickets, entry)
		}
	}
	return setTickets
}

func (l *Lobby) createForTickets(
	ctx context.Context, nk runtime.NakamaModule, entries []runtime.MatchmakerEntry,
) (string, error) {
	first := entries[0].GetProperties()
	expected := make([]match.User, 0, len(entries))
	users := make(map[string]bool, len(entries))
	for _, entry := range entries {
		user := entry.GetPresence()
		if entry.GetProperties()[keyProperty] != first[keyProperty] {
			return "", refusal.BadRequest("the matched tickets have different options")
		}
		if users[user.GetUserId()] {
			return "", refusal.BadRequest("two of the matched tickets are of one user")
		}
		users[user.GetUserId()] = true
		expected = append(expected, match.User{UserID: user.GetUserId(), Username: user.GetUsername()})
	}
	options, _ := first[optionsProperty].(string)
	params := match.Params{Options: options, Expected: expected}
	created, err := l.createMatch(ctx, nk, limits.Caller{}, params)
	return created.MatchID, err
}

func (l *Lobby) notify(
	ctx context.Context, logger runtime.Logger, nk runtime.NakamaModule, entries []runtime.MatchmakerEntry, cause error,
) {
	logger.WithFields(map[string]any{"tickets": len(entries), "error": cause.Error()}).Warn("set: could not create a match for matched tickets")
	notices := make([]*runtime.NotificationSend, 0, len(entries))
	for _, entry := range entries {
		notices = append(notices, &runtime.NotificationSend{
			UserID: entry.GetPresence().GetUserId(), Subject: unavailableSubject, Code: unavailableCode,
			Content: map[string]any{"reason": cause.Error(), "ticket": entry.GetTicket(), "code": codeOf(cause)},
		})
	}
	if err := nk.NotificationsSend(ctx, notices); err != nil {
		logger.WithField("error", err.Error()).Error("set: could not notify the users of matched tickets")
	}
}

func codeOf(err error) int {
	var converted *runtime.Error
	if errors.As(err, &converted) {
		return converted.Code
	}
	return int(codes.Internal)
}
