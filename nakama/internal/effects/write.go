package effects

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/heroiclabs/nakama-common/api"
	"github.com/heroiclabs/nakama-common/runtime"

	"setmatch/nakama/internal/sqlstate"
	"setmatch/nakama/pb"
)

const (
	// RecordCollection is the storage collection for the records of games.
	RecordCollection = "set_matches"
	// KeyDate is the format of the date at the beginning of the keys of records and rescued matches. Because of it, a listing
	// begins with the oldest.
	KeyDate = "20060102"

	versionMustNotExist = "*"
)

// Sink is the part of Nakama's module that effects are written to.
type Sink interface {
	StorageRead(ctx context.Context, reads []*runtime.StorageRead) ([]*api.StorageObject, error)
	StorageWrite(ctx context.Context, writes []*runtime.StorageWrite) ([]*api.StorageObjectAck, error)
	LeaderboardCreate(ctx context.Context, id string, authoritative bool, sortOrder, operator, resetSchedule string,
		metadata map[string]interface{}, enableRanks bool) error
	LeaderboardRecordWrite(ctx context.Context, id, ownerID, username string, score, subscore int64,
		metadata map[string]interface{}, overrideOperator *int) (*api.LeaderboardRecord, error)
	LeaderboardRecordsList(ctx context.Context, id string, ownerIDs []string, limit int, cursor string, expiry int64,
	) (records, ownerRecords []*api.LeaderboardRecord, nextCursor, prevCursor string, err error)
}

var (
	errPanicked = errors.New("panic while an effect was written")
	errStopped  = errors.New("the worker was stopped")
)

// permanentClasses are the classes of SQLSTATE that mean that a value can never be written: cardinality violation, data
// exception, integrity constraint violation, program limit exceeded.
var permanentClasses = []string{"21", "22", "23", "54"}

// isPermanent reports whether retries of a write are useless. All other errors may be transient.
func isPermanent(err error) bool {
	return slices.Contains(permanentClasses, sqlstate.Class(err))
}

// write writes an effect. It has no effect if an earlier attempt was successful and only its response was lost.
func write(ctx context.Context, sink Sink, effect *pb.Effect) error {
	if w := effect.GetStorageWrite(); w != nil {
		return store(ctx, sink, w)
	}
	return rank(ctx, sink, effect.GetLeaderboardWrite())
}

// store writes a storage object. If an object with CreateOnly exists, an earlier attempt has written it.
func store(ctx context.Context, sink Sink, w *pb.StorageWrite) error {
	_, err := sink.StorageWrite(ctx, []*runtime.StorageWrite{toStorage(w)})
	if w.CreateOnly && errors.Is(err, runtime.ErrStorageRejectedVersion) {
		return nil
	}
	return err
}

func toStorage(w *pb.StorageWrite) *runtime.StorageWrite {
	write := &runtime.StorageWrite{
		Collection: w.Collection, Key: w.Key, UserID: w.UserId, Value: string(w.Value),
		PermissionRead: int(w.PermissionRead), PermissionWrite: runtime.STORAGE_PERMISSION_NO_WRITE,
	}
	if w.CreateOnly {
		write.Version = versionMustNotExist
	}
	return write
}

// targetOf returns a name for the target of an effect. Effects on one target are written in order, so that between two attempts
// of a leaderboard write no other write changes the record (decision E34).
func targetOf(effect *pb.Effect) string {
	if w := effect.GetStorageWrite(); w != nil {
		return strings.Join([]string{"storage", w.Collection, w.Key, w.UserId}, " ")
	}
	w := effect.GetLeaderboardWrite()
	return strings.Join([]string{"leaderboard", w.GetLeaderboardId(), w.GetOwnerId()}, " ")
}

// describe returns the target of an effect for the log. It shows only the date of a storage key (the part before the first dot),
// because the complete key of a record allows a player to read the record.
func describe(effect *pb.Effect) string {
	if w := effect.GetStorageWrite(); w != nil {
		date, _, _ := strings.Cut(w.Key, ".")
		return strings.Join([]string{"storage", w.Collection, date}, " ")
	}
	return targetOf(effect)
}
