package effects

import (
	"strings"
	"testing"

	"setmatch/nakama/pb"
)

func TestProblemRejectsUnwritableEffects(t *testing.T) {
	store := func(change func(*pb.StorageWrite)) *pb.Effect {
		effect := storing("k")
		change(effect.GetStorageWrite())
		return effect
	}
	rank := func(change func(*pb.LeaderboardWrite)) *pb.Effect {
		effect := ranking("b", 1)
		change(effect.GetLeaderboardWrite())
		return effect
	}
	long := strings.Repeat("x", 129)
	for name, effect := range map[string]*pb.Effect{
		"no kind":           expiring(&pb.Effect{}),
		"no expiry":         {Kind: storing("k").Kind},
		"no collection":     store(func(w *pb.StorageWrite) { w.Collection = "" }),
		"no key":            store(func(w *pb.StorageWrite) { w.Key = "" }),
		"long key":          store(func(w *pb.StorageWrite) { w.Key = long }),
		"NUL in key":        store(func(w *pb.StorageWrite) { w.Key = "a\x00" }),
		"key no UTF-8":      store(func(w *pb.StorageWrite) { w.Key = "\xff" }),
		"storage user":      store(func(w *pb.StorageWrite) { w.UserId = "ann" }),
		"value no object":   store(func(w *pb.StorageWrite) { w.Value = []byte("[]") }),
		"value no JSON":     store(func(w *pb.StorageWrite) { w.Value = []byte("{") }),
		"NUL in value":      store(func(w *pb.StorageWrite) { w.Value = []byte(`{"a":"\u0000"}`) }),
		"value too large":   store(func(w *pb.StorageWrite) { w.Value = []byte(`{"a":"` + strings.Repeat("x", maxValue) + `"}`) }),
		"read permission":   store(func(w *pb.StorageWrite) { w.PermissionRead = 3 }),
		"no leaderboard":    rank(func(w *pb.LeaderboardWrite) { w.LeaderboardId = "" }),
		"no operator":       rank(func(w *pb.LeaderboardWrite) { w.Operator = 0 }),
		"owner":             rank(func(w *pb.LeaderboardWrite) { w.OwnerId = "" }),
		"NUL in name":       rank(func(w *pb.LeaderboardWrite) { w.Username = "a\x00b" }),
		"score":             rank(func(w *pb.LeaderboardWrite) { w.Score = -1 }),
		"subscore":          rank(func(w *pb.LeaderboardWrite) { w.Subscore = -1 }),
		"metadata":          rank(func(w *pb.LeaderboardWrite) { w.Metadata = []byte("[1]") }),
		"NUL in metadata":   rank(func(w *pb.LeaderboardWrite) { w.Metadata = []byte(`{"a\u0000":1}`) }),
		"metadata too long": rank(func(w *pb.LeaderboardWrite) { w.Metadata = []byte(`{"a":"` + strings.Repeat("x", maxMetadata) + `"}`) }),
	} {
		if Problem(effect) == "" {
			t.Errorf("%s: accepted", name)
		}
	}
	for _, effect := range []*pb.Effect{storing("k"), ranking("b", 1)} {
		if problem := Problem(effect); problem != "" {
			t.Errorf("%v: %s", effect, problem)
		}
	}
}
