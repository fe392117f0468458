package effects

import (
	"setmatch/nakama/internal/text"
	"setmatch/nakama/pb"
)

const (
	maxName     = 128     // bytes of a name in Nakama's tables
	maxValue    = 2 << 20 // bytes of a stored value before the record is put in
	maxMetadata = 4 << 10
	maxQuota    = 100
	numberBytes = 4 // of ".100"
)

// Problem returns why an effect can never be written, empty if it can.
func Problem(effect *pb.Effect) string {
	switch {
	case effect.GetExpiresUnixMs() <= 0:
		return "an effect that never expires"
	case effect.GetStorageWrite() != nil:
		return storageProblem(effect.GetStorageWrite())
	case effect.GetLeaderboardWrite() != nil:
		return leaderboardProblem(effect.GetLeaderboardWrite())
	default:
		return "an effect of no known kind"
	}
}

func storageProblem(w *pb.StorageWrite) string {
	switch {
	case !isName(w.Collection) || !isName(w.Key):
		return "a storage write whose collection or key is not text of 1 to 128 bytes"
	case w.UserId != "" && !text.IsUUID(w.UserId):
		return "a storage write for something that is no user id"
	case len(w.Value) > maxValue || !text.IsObject(w.Value):
		return "a storage write whose value is not a JSON object of at most 2 MiB"
	case w.PermissionRead < 0 || w.PermissionRead > 2:
		return "a storage write whose read permission is not 0, 1 or 2"
	}
	return valueProblem("a storage write whose value cannot be stored: ", w.Value)
}

func leaderboardProblem(w *pb.LeaderboardWrite) string {
	switch {
	case !isName(w.LeaderboardId):
		return "a leaderboard write whose leaderboard is not text of 1 to 128 bytes"
	case operators[w.Operator] == "":
		return "a leaderboard write without an operator"
	case !text.IsUUID(w.OwnerId):
		return "a leaderboard write whose owner is no user id"
	case !text.IsPlain(w.Username, maxName):
		return "a leaderboard write whose username is not text of at most 128 bytes"
	case w.Score < 0 || w.Subscore < 0:
		return "a leaderboard write with a negative score"
	case w.Quota != nil && !isQuota(w):
		return "a leaderboard write whose quota has no collection, key, number or metadata"
	case len(w.Metadata) == 0:
		return ""
	case len(w.Metadata) > maxMetadata || !text.IsObject(w.Metadata):
		return "a leaderboard write whose metadata is not a JSON object of at most 4 KiB"
	}
	return valueProblem("a leaderboard write whose metadata cannot be stored: ", w.Metadata)
}

// isQuota reports whether the quota of a write can be kept. Its places are named by the write's metadata, and their keys end with
// a number.
func isQuota(w *pb.LeaderboardWrite) bool {
	quota := w.Quota
	return isName(quota.Collection) && isName(quota.Key) && len(quota.Key) < maxName-numberBytes &&
		quota.Most >= 1 && quota.Most <= maxQuota && len(w.Metadata) > 0
}

func isName(name string) bool {
	return name != "" && text.IsPlain(name, maxName)
}

func valueProblem(where string, value []byte) string {
	if problem := text.JSONProblem(value); problem != "" {
		return where + problem
	}
	return ""
}
