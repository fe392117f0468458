package effects

import (
	"context"
	"errors"
	"strings"

	"github.com/heroiclabs/nakama-common/runtime"
	"github.com/jackc/pgx/v5/pgconn"

	"setmatch/nakama/pb"
)

const versionMustNotExist = "*"

// Sink is the part of Nakama's module that effects are written to.
type Sink interface {
	rankSink
}

var (
	errPanicked = errors.New("panic while an effect was written")
	errStopped  = errors.New("the worker was stopped")
)

// permanentClasses are the classes of SQLSTATE that mean that a value can never be written: cardinality violation, data
// exception, integrity constraint violation, program limit exceeded.
var permanentClasses = []string{"21", "22", "23", "54"}

// isPermanent reports whether a write would fail again however often it is repeated. All other errors may pass.
func isPermanent(err error) bool {
	var database *pgconn.PgError
	if !errors.As(err, &database) {
		return false
	}
	for _, class := range permanentClasses {
		if strings.HasPrefix(database.Code, class) {
			return true
		}
	}
	return false
}

// write writes an effect, unless an earlier attempt has written it although the attempt failed: its answer may have been lost.
func write(ctx context.Context, sink Sink, effect *pb.Effect) error {
	if w := effect.GetStorageWrite(); w != nil {
		return store(ctx, sink, w)
	}
	return rank(ctx, sink, effect.GetLeaderboardWrite())
}

// store writes a storage object. One that is to be created and exists was written before.
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

// targetOf names what an effect writes to. Effects on one target wait for each other, so that a repeated leaderboard write
// finds the record as its first attempt left it (decision E34).
func targetOf(effect *pb.Effect) string {
	if w := effect.GetStorageWrite(); w != nil {
		return strings.Join([]string{"storage", w.Collection, w.Key, w.UserId}, " ")
	}
	w := effect.GetLeaderboardWrite()
	return strings.Join([]string{"leaderboard", w.GetLeaderboardId(), w.GetOwnerId()}, " ")
}

// describe names the target of an effect for the log. Of a storage key it shows only the date before the first dot, because
// with the whole key of a record a player could read the record.
func describe(effect *pb.Effect) string {
	if w := effect.GetStorageWrite(); w != nil {
		date, _, _ := strings.Cut(w.Key, ".")
		return strings.Join([]string{"storage", w.Collection, date}, " ")
	}
	return targetOf(effect)
}
