package lobby

import (
	"context"
	"database/sql"
	"fmt"
	"strings"

	"github.com/heroiclabs/nakama-common/rtapi"
	"github.com/heroiclabs/nakama-common/runtime"

	"setmatch/nakama/internal/match"
	"setmatch/nakama/internal/refusal"
)

// The string properties of a ticket. Clients send the first two; the hooks complete the options and add the others.
const (
	gameProperty    = "game"     // "set"
	optionsProperty = "options"  // a JSON object
	keyProperty     = "set_key"  // options key; equal for tickets that can be matched
	userProperty    = "set_user" // user id without hyphens, which are operators in a query
)

// beforeTicket checks and completes the ticket of one user.
func (l *Lobby) beforeTicket(
	ctx context.Context, logger runtime.Logger, _ *sql.DB, _ runtime.NakamaModule, in *rtapi.Envelope,
) (out *rtapi.Envelope, err error) {
	defer l.Panics.RecoverAs(logger, "hook of MatchmakerAdd", &err)
	ticket := in.GetMatchmakerAdd()
	ticket.Query, err = l.completeTicket(ctx, ticket.StringProperties, ticket.Query, int(ticket.MaxCount))
	return in, err
}

// beforePartyTicket checks and completes the ticket of a party.
func (l *Lobby) beforePartyTicket(
	ctx context.Context, logger runtime.Logger, _ *sql.DB, _ runtime.NakamaModule, in *rtapi.Envelope,
) (out *rtapi.Envelope, err error) {
	defer l.Panics.RecoverAs(logger, "hook of PartyMatchmakerAdd", &err)
	ticket := in.GetPartyMatchmakerAdd()
	ticket.Query, err = l.completeTicket(ctx, ticket.StringProperties, ticket.Query, int(ticket.MaxCount))
	return in, err
}

// completeTicket completes the properties of a ticket for this game and returns a query that matches only tickets of other users
// with the same options key. It does not change tickets of other games.
func (l *Lobby) completeTicket(
	ctx context.Context, properties map[string]string, query string, maxCount int,
) (string, error) {
	if properties[gameProperty] != match.Module {
		return query, nil
	}
	done, err := l.beginCall(ctx, properties[optionsProperty])
	if err != nil {
		return "", err
	}
	defer done()
	if exceeded := l.checkMatchLimit(callerID(ctx)); exceeded != nil {
		return "", l.refuse(exceeded)
	}
	options, err := l.readOptions(ctx, properties[optionsProperty])
	switch {
	case err != nil:
		return "", err
	case options.Key == "":
		return "", refusal.BadRequest("options with a seed, or of a private match, cannot be matched")
	case maxCount > int(options.Seats):
		return "", refusal.BadRequest(fmt.Sprintf("the maximum count is %d: allowed are up to %d, the seats of the options", maxCount, options.Seats))
	}
	user := strings.ReplaceAll(callerID(ctx), "-", "")
	properties[optionsProperty], properties[keyProperty], properties[userProperty] = string(options.Options), options.Key, user
	query = strings.TrimSpace(query)
	if query == "*" {
		query = ""
	}
	return strings.TrimSpace(fmt.Sprintf(
		"+properties.%s:%s +properties.%s:%s -properties.%s:%s %s",
		gameProperty, match.Module, keyProperty, options.Key, userProperty, user, query)), nil
}
