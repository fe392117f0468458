package setmatch

import (
	"context"
	"encoding/json"
	"errors"
	"strings"

	"github.com/heroiclabs/nakama-common/runtime"
	"google.golang.org/grpc/codes"

	"setmatch/nakama/internal/refusal"
	"setmatch/nakama/pb"
)

// reserveCommand is the prefix of signals with which the plugin reserves seats; a JSON array of users follows. Signals are
// used because they are the only way into the goroutine of a match. set_signal rejects this prefix.
const reserveCommand = "set_reserve "

// reservation is the reply to a reservation signal.
type reservation struct {
	Granted     bool   `json:"granted"`
	Unavailable bool   `json:"unavailable,omitempty"` // the call to the service failed or could not be made
	Reason      string `json:"reason,omitempty"`      // why the service did not grant it
}

// reserve reserves a seat in a match for each user, or for none. A stopped or busy match grants no reservation. Errors are for
// clients.
func (s *shim) reserve(
	ctx context.Context, nk runtime.NakamaModule, matchID string, users []expectedUser,
) (reservation, error) {
	list, err := json.Marshal(users)
	if err != nil {
		return reservation{}, refusal.Internal()
	}
	text, err := nk.MatchSignal(ctx, matchID, reserveCommand+string(list))
	if errors.Is(err, runtime.ErrMatchNotFound) || errors.Is(err, runtime.ErrMatchBusy) {
		return reservation{}, nil
	}
	var reply reservation
	if err != nil || json.Unmarshal([]byte(text), &reply) != nil || reply.Unavailable {
		return reservation{}, refusal.New(codes.Unavailable, refusal.ServiceUnavailable)
	}
	return reply, nil
}

// handleReservation handles a reservation signal. For any other signal, ok is false.
func (m *matchState) handleReservation(
	ctx context.Context, tick int64, d runtime.MatchDispatcher, text string,
) (reply string, ok bool) {
	list, ok := strings.CutPrefix(text, reserveCommand)
	if !ok {
		return "", false
	}
	users, err := expectedUsers(list)
	result := reservation{Reason: "not a list of users"}
	if err == nil {
		result = m.reserveSeats(ctx, tick, d, toPresences(users))
	}
	encoded, err := json.Marshal(result)
	if err != nil {
		return signalUnavailable, true
	}
	return string(encoded), true
}

func (m *matchState) reserveSeats(
	ctx context.Context, tick int64, d runtime.MatchDispatcher, users []*pb.Presence,
) reservation {
	delivered := m.deliver(tick, d)
	if m.ending.over {
		return reservation{Reason: joinOver}
	}
	if !delivered || !m.canCall(tick, d) {
		return reservation{Unavailable: true}
	}
	start := m.startCall(tick)
	reply, err := m.sendReserve(ctx, start, users)
	if err != nil {
		m.recordUnretriedFailure(d, start, "MatchReserve", err)
		return reservation{Unavailable: true}
	}
	m.apply(reply.Step, d)
	if reply.Granted {
		m.addReservations(users)
	}
	return reservation{Granted: reply.Granted, Reason: reply.Reason}
}

// addReservations counts reservations for the users' limit of matches. How long a seat is reserved is decided by the service.
func (m *matchState) addReservations(users []*pb.Presence) {
	m.changed = true
	until := m.shim.now().Add(m.shim.timing.reservedFor)
	for _, user := range users {
		m.shim.members.Reserve(m.id, user.UserId, until)
	}
}
