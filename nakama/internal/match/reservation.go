package match

import (
	"context"
	"encoding/json"
	"errors"
	"strings"

	"github.com/heroiclabs/nakama-common/runtime"
	"google.golang.org/grpc/codes"

	"setmatch/nakama/internal/arrival"
	"setmatch/nakama/internal/refusal"
	"setmatch/nakama/pb"
)

// reserveCommand is the prefix of signals with which the plugin reserves seats; a JSON array of users follows. Signals are
// used because they are the only way into the goroutine of a match.
const reserveCommand = "set_reserve "

// IsOwnSignal reports whether a signal is one of the plugin's own. Other servers may not send it.
func IsOwnSignal(signal string) bool {
	return strings.HasPrefix(signal, reserveCommand) || signal == arrival.WakeSignal
}

// Reservation is the reply to a reservation signal.
type Reservation struct {
	Granted     bool   `json:"granted"`
	Unavailable bool   `json:"unavailable,omitempty"` // the call to the service failed or could not be made
	Reason      string `json:"reason,omitempty"`      // why the service did not grant it
}

// Reserve reserves a seat in a match for each user, or for none. A stopped or busy match grants no reservation. Errors are for
// clients.
func Reserve(ctx context.Context, nk runtime.NakamaModule, matchID string, users []User) (Reservation, error) {
	list, err := json.Marshal(users)
	if err != nil {
		return Reservation{}, refusal.Internal()
	}
	text, err := nk.MatchSignal(ctx, matchID, reserveCommand+string(list))
	if errors.Is(err, runtime.ErrMatchNotFound) || errors.Is(err, runtime.ErrMatchBusy) {
		return Reservation{}, nil
	}
	var reply Reservation
	if err != nil || json.Unmarshal([]byte(text), &reply) != nil || reply.Unavailable {
		return Reservation{}, refusal.New(codes.Unavailable, refusal.ServiceUnavailable)
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
	result := Reservation{Reason: "not a list of users"}
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
) Reservation {
	delivered := m.deliver(tick, d)
	if m.ending.over {
		return Reservation{Reason: joinOver}
	}
	if !delivered || !m.canCall(tick, d) {
		return Reservation{Unavailable: true}
	}
	start := m.startCall(tick)
	reply, err := m.sendReserve(ctx, start, users)
	if err != nil {
		m.recordUnretriedFailure(d, start, "MatchReserve", err)
		return Reservation{Unavailable: true}
	}
	m.apply(reply.Step, d)
	if reply.Granted {
		m.addReservations(users)
	}
	return Reservation{Granted: reply.Granted, Reason: reply.Reason}
}

// addReservations counts reservations for the users' limit of matches. How long a seat is reserved is decided by the service.
func (m *matchState) addReservations(users []*pb.Presence) {
	m.changed = true
	until := m.shared.now().Add(m.shared.timing.reservedFor)
	for _, user := range users {
		m.shared.Members.Reserve(m.id, user.UserId, until)
	}
}
