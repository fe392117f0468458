package arrival

import (
	"context"
	"database/sql"

	"github.com/gofrs/uuid/v5"
	"github.com/heroiclabs/nakama-common/rtapi"
	"github.com/heroiclabs/nakama-common/runtime"
	"google.golang.org/grpc/codes"
)

// matchStream is the mode of the stream in which Nakama tracks the presences of authoritative matches.
const matchStream = 6

// noMatch is the id of a match that does not exist on any node, because Nakama's ids are random. Nakama drops a message to it
// without an error and without a log line, because the sender is not a member.
var noMatch = uuid.Nil.String() + ".none"

var errInternal = runtime.NewError("internal error", int(codes.Internal))

// Hook is the hook for RegisterBeforeRt("MatchDataSend"). Nakama calls it on the goroutine that reads the sender's session,
// before it checks that the sender is a member of the match. The hook adds a message to the inbox of its match, and returns a
// message that Nakama drops. Messages to other matches are returned unchanged.
//
// The result always contains a message or an error, because Nakama closes the session otherwise. A panic becomes an error,
// which Nakama sends to the client; an unrecovered panic would end the goroutine that reads the session.
func (r *Registry) Hook(
	ctx context.Context, _ runtime.Logger, _ *sql.DB, _ runtime.NakamaModule, in *rtapi.Envelope,
) (out *rtapi.Envelope, err error) {
	defer func() {
		if value := recover(); value != nil {
			r.Panicked(value)
			out, err = nil, errInternal
		}
	}()
	data := in.GetMatchDataSend()
	i := r.find(data.GetMatchId())
	if i == nil {
		return in, nil
	}
	m := Message{
		UserID:    valueOf(ctx, runtime.RUNTIME_CTX_USER_ID),
		SessionID: valueOf(ctx, runtime.RUNTIME_CTX_SESSION_ID),
		OpCode:    data.GetOpCode(),
		Data:      data.GetData(),
	}
	if i.isMember(m.UserID, m.SessionID) {
		i.add(m)
	}
	return dropped(), nil
}

// isMember reports whether Nakama accepts messages of a session to the match: from the answer to its join until its leave. An
// error means an invalid id, which no session has.
func (i *Inbox) isMember(userID, sessionID string) bool {
	presence, err := i.config.Nakama.StreamUserGet(matchStream, i.subject, "", i.node, userID, sessionID)
	return err == nil && presence != nil
}

// dropped returns the message that replaces one in an inbox.
func dropped() *rtapi.Envelope {
	return &rtapi.Envelope{Message: &rtapi.Envelope_MatchDataSend{MatchDataSend: &rtapi.MatchDataSend{MatchId: noMatch}}}
}

func valueOf(ctx context.Context, key string) string {
	text, _ := ctx.Value(key).(string)
	return text
}
