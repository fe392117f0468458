package lobby

import (
	"context"
	"database/sql"
	"encoding/json"
	"regexp"

	"github.com/heroiclabs/nakama-common/runtime"
	"google.golang.org/grpc/codes"

	"setmatch/nakama/internal/effects"
	"setmatch/nakama/internal/refusal"
)

// recordKeyForm is the form of a record key: the date and 128 random bits, so that keys cannot be guessed.
var recordKeyForm = regexp.MustCompile(`^[0-9]{8}\.[0-9a-f]{32}$`)

// recordRequest is the payload of set_record.
type recordRequest struct {
	RecordKey string `json:"recordKey"`
}

// record is the RPC set_record. Its payload contains the record key from MATCH_ENDED; it returns the record of the game.
// Errors: code 3 for an invalid key; 5 if no record has the key, or it is not written yet or was deleted; 14 if the database
// cannot be read.
func (l *Lobby) record(
	ctx context.Context, logger runtime.Logger, _ *sql.DB, nk runtime.NakamaModule, payload string,
) (reply string, err error) {
	defer l.Panics.RecoverAs(logger, "set_record", &err)
	done, err := l.beginCall(ctx, payload)
	if err != nil {
		return "", err
	}
	defer done()
	var request recordRequest
	if err := json.Unmarshal([]byte(payload), &request); err != nil || !recordKeyForm.MatchString(request.RecordKey) {
		return "", refusal.BadRequest(`payload must be {"recordKey": the recordKey of MATCH_ENDED}`)
	}
	found, err := nk.StorageRead(ctx, []*runtime.StorageRead{{Collection: effects.RecordCollection, Key: request.RecordKey}})
	switch {
	case err != nil:
		logger.WithField("error", err.Error()).Warn("set: could not read a record")
		return "", refusal.New(codes.Unavailable, "the record cannot be read, try again")
	case len(found) == 0:
		return "", refusal.New(codes.NotFound, "no record has this key")
	}
	return found[0].Value, nil
}
