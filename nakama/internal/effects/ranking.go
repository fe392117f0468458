package effects

import (
	"context"
	"encoding/json"
	"reflect"

	"setmatch/nakama/pb"
)

// operators are Nakama's names of the operators.
var operators = map[pb.Operator]string{
	pb.Operator_OPERATOR_BEST:      "best",
	pb.Operator_OPERATOR_INCREMENT: "incr",
}

// rank writes a result to its leaderboard and creates the leaderboard if necessary. A retried write would add a result twice, so
// rank reads the owner's record first: its metadata identifies the last added result (decision E34).
func rank(ctx context.Context, sink Sink, l *pb.LeaderboardWrite) error {
	metadata, err := metadataOf(l.Metadata)
	if err != nil {
		return err
	}
	// Nakama checks its memory first, so this needs a query only once.
	if err := sink.LeaderboardCreate(ctx, l.LeaderboardId, true, "desc", operators[l.Operator], "", nil, true); err != nil {
		return err
	}
	if metadata != nil {
		if ranked, err := isRanked(ctx, sink, l, metadata); err != nil || ranked {
			return err
		}
	}
	if l.Quota != nil {
		if taken, err := takeQuota(ctx, sink, l.Quota, l.Metadata); err != nil || !taken {
			return err
		}
	}
	_, err = sink.LeaderboardRecordWrite(ctx, l.LeaderboardId, l.OwnerId, l.Username, l.Score, l.Subscore, metadata, nil)
	return err
}

func isRanked(ctx context.Context, sink Sink, l *pb.LeaderboardWrite, metadata map[string]any) (bool, error) {
	_, owned, _, _, err := sink.LeaderboardRecordsList(ctx, l.LeaderboardId, []string{l.OwnerId}, 0, "", 0)
	if err != nil || len(owned) == 0 {
		return false, err
	}
	stored, err := metadataOf([]byte(owned[0].Metadata))
	return err == nil && reflect.DeepEqual(stored, metadata), nil
}

// metadataOf parses a JSON object. An empty text returns nil; with nil Nakama keeps the metadata of the record.
func metadataOf(object []byte) (map[string]any, error) {
	if len(object) == 0 {
		return nil, nil
	}
	var metadata map[string]any
	err := json.Unmarshal(object, &metadata)
	return metadata, err
}
