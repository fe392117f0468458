package main

import (
	"context"
	"encoding/json"
	"errors"
	"strings"

	"github.com/heroiclabs/nakama-common/runtime"
	"google.golang.org/grpc/codes"

	"setmatch/nakama/pb"
)

// reserveCommand begins the signals with which the plugin itself reserves seats; the users follow as JSON. A signal is the only
// way into the goroutine of a match. set_signal does not forward it.
const reserveCommand = "set_reserve "

// reservation is the answer to such a signal.
type reservation struct {
	Granted bool   `json:"granted"`
	Away    bool   `json:"away,omitempty"` // the service could not be asked
	Reason  string `json:"reason,omitempty"`
}

// reserve reserves a seat for each user in a match, or for none. A match that has stopped or is busy grants nothing. Errors are
// meant for clients.
func (s *shim) reserve(
	ctx context.Context, nk runtime.NakamaModule, matchID string, users []expectedUser,
) (reservation, error) {
	list, err := json.Marshal(users)
	if err != nil {
		return reservation{}, errInternal()
	}
	text, err := nk.MatchSignal(ctx, matchID, reserveCommand+string(list))
	if errors.Is(err, runtime.ErrMatchNotFound) || errors.Is(err, runtime.ErrMatchBusy) {
		return reservation{}, nil
	}
	var reply reservation
	if err != nil || json.Unmarshal([]byte(text), &reply) != nil || reply.Away {
		return reservation{}, newError(codes.Unavailable, serviceAway)
	}
	return reply, nil
}

// reserved handles a signal that reserves seats; it reports false for any other signal.
func (m *matchState) reserved(
	ctx context.Context, tick int64, d runtime.MatchDispatcher, text string,
) (reply string, is bool) {
	list, is := strings.CutPrefix(text, reserveCommand)
	if !is {
		return "", false
	}
	users, err := expectedUsers(list)
	granted := reservation{Reason: "not a list of users"}
	if err == nil {
		granted = m.reserveSeats(ctx, tick, d, toPresences(users))
	}
	encoded, err := json.Marshal(granted)
	if err != nil {
		return signalAway, true
	}
	return string(encoded), true
}

func (m *matchState) reserveSeats(
	ctx context.Context, tick int64, d runtime.MatchDispatcher, users []*pb.Presence,
) reservation {
	delivered := m.deliver(tick, d)
	if m.over {
		return reservation{Reason: joinOver}
	}
	if !delivered || !m.mayCall(tick, d) {
		return reservation{Away: true}
	}
	a := m.begin(tick)
	reply, err := m.sendReserve(ctx, a, users)
	if err != nil {
		m.failedAside(a, "MatchReserve", err)
		return reservation{Away: true}
	}
	m.apply(reply.Step, d)
	if reply.Granted {
		m.remember(users)
	}
	return reservation{Granted: reply.Granted, Reason: reply.Reason}
}

// remember registers reservations. The service alone decides how long they last; here they count for the limit of matches.
func (m *matchState) remember(users []*pb.Presence) {
	until := m.shim.now().Add(m.shim.timing.reservedFor)
	for _, user := range users {
		m.shim.members.Reserve(m.id, user.UserId, until)
	}
}
