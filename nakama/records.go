package main

import (
	"context"
	"database/sql"
	"encoding/json"
	"regexp"

	"github.com/heroiclabs/nakama-common/runtime"
	"google.golang.org/grpc/codes"
)

const (
	// recordCollection is where the service stores the records of games.
	recordCollection = "set_matches"
	// keyDate is how the keys of records and rescued matches begin: so the oldest come first in a listing.
	keyDate = "20060102"
)

// recordKeyForm is the form of a record's key: the date and 128 random bits, without which a record cannot be read.
var recordKeyForm = regexp.MustCompile(`^[0-9]{8}\.[0-9a-f]{32}$`)

// recordRequest is the payload of set_record.
type recordRequest struct {
	RecordKey string `json:"recordKey"`
}

// record is set_record: the key from MATCH_ENDED in, the record of the game out. Errors: code 3 for what is no key, 5 for a
// game without a record or whose record is not written yet or was deleted, 14 while the database cannot be read.
func (l *lobbyCalls) record(
	ctx context.Context, logger runtime.Logger, _ *sql.DB, nk runtime.NakamaModule, payload string,
) (reply string, err error) {
	defer l.shim.recoveredAs(logger, "set_record", &err)
	done, err := l.shim.beginCall(ctx)
	if err != nil {
		return "", err
	}
	defer done()
	if err := checkPayload(payload); err != nil {
		return "", err
	}
	var request recordRequest
	if err := json.Unmarshal([]byte(payload), &request); err != nil || !recordKeyForm.MatchString(request.RecordKey) {
		return "", errBadRequest(`payload must be {"recordKey": the recordKey of MATCH_ENDED}`)
	}
	found, err := nk.StorageRead(ctx, []*runtime.StorageRead{{Collection: recordCollection, Key: request.RecordKey}})
	switch {
	case err != nil:
		logger.WithField("error", err.Error()).Warn("set: record not read")
		return "", newError(codes.Unavailable, "the record cannot be read, try again")
	case len(found) == 0:
		return "", newError(codes.NotFound, "no record has this key")
	}
	return found[0].Value, nil
}
