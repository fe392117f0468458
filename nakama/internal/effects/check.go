package effects

import (
	"setmatch/nakama/internal/text"
	"setmatch/nakama/pb"
)

const (
	maxName     = 128     // bytes of a name in Nakama's tables
	maxValue    = 2 << 20 // bytes of a stored value
	maxMetadata = 4 << 10 // bytes
	maxQuota    = 100
	numberBytes = 4 // length of the longest suffix, ".100"
)

// Problem returns the reason why an effect can never be written, or an empty text.
func Problem(effect *pb.Effect) string {
	switch {
	case effect.GetExpiresUnixMs() <= 0:
		return "effect without expiry"
	case effect.GetStorageWrite() != nil:
		return storageProblem(effect.GetStorageWrite())
	case effect.GetLeaderboardWrite() != nil:
		return leaderboardProblem(effect.GetLeaderboardWrite())
	default:
		return "effect of unknown kind"
	}
}

func storageProblem(w *pb.StorageWrite) string {
	switch {
	case !isName(w.Collection) || !isName(w.Key):
		return "storage write: collection or key is not text of 1 to 128 bytes"
	case w.UserId != "" && !text.IsUUID(w.UserId):
		return "storage write: invalid user id"
	case len(w.Value) > maxValue || !text.IsObject(w.Value):
		return "storage write: the value is not a JSON object of at most 2 MiB"
	case w.PermissionRead < 0 || w.PermissionRead > 2:
		return "storage write: the read permission is not 0, 1 or 2"
	}
	return valueProblem("storage write: the value cannot be stored: ", w.Value)
}

func leaderboardProblem(w *pb.LeaderboardWrite) string {
	switch {
	case !isName(w.LeaderboardId):
		return "leaderboard write: the leaderboard id is not text of 1 to 128 bytes"
	case operators[w.Operator] == "":
		return "leaderboard write: no operator"
	case !text.IsUUID(w.OwnerId):
		return "leaderboard write: invalid owner id"
	case !text.IsPlain(w.Username, maxName):
		return "leaderboard write: the username is not text of at most 128 bytes"
	case w.Score < 0 || w.Subscore < 0:
		return "leaderboard write: negative score"
	case w.Quota != nil && !isQuota(w):
		return "leaderboard write: the quota has no valid collection, key, number or metadata"
	case len(w.Metadata) == 0:
		return ""
	case len(w.Metadata) > maxMetadata || !text.IsObject(w.Metadata):
		return "leaderboard write: the metadata is not a JSON object of at most 4 KiB"
	}
	return valueProblem("leaderboard write: the metadata cannot be stored: ", w.Metadata)
}

// isQuota reports whether the quota of a write is valid. The keys of its storage objects end with a number, and their values are
// the metadata of the writes.
func isQuota(w *pb.LeaderboardWrite) bool {
	quota := w.Quota
	return isName(quota.Collection) && isName(quota.Key) && len(quota.Key) < maxName-numberBytes &&
		quota.Most >= 1 && quota.Most <= maxQuota && len(w.Metadata) > 0
}

func isName(name string) bool {
	return name != "" && text.IsPlain(name, maxName)
}

func valueProblem(prefix string, value []byte) string {
	if problem := text.JSONProblem(value); problem != "" {
		return prefix + problem
	}
	return ""
}
