package effects

import (
	"context"
	"encoding/json"
	"reflect"
	"slices"

	"setmatch/nakama/pb"
)

// operators are Nakama's names of the operators.
var operators = map[pb.Operator]string{
	pb.Operator_OPERATOR_BEST:      "best",
	pb.Operator_OPERATOR_INCREMENT: "incr",
}

const (
	// earlierField is the field of a record's metadata with the metadata of earlier results, the newest first.
	earlierField = "earlier"
	// maxEarlier is the maximum number of earlier results in the metadata of a record.
	maxEarlier = 16
)

// rank writes a result to its leaderboard and creates the leaderboard if necessary. A retried write would add a result twice, so
// rank reads the owner's record first: its metadata identifies the last added results (decision E34).
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
		added, err := addedResults(ctx, sink, l)
		if err != nil || slices.ContainsFunc(added, func(one any) bool { return reflect.DeepEqual(one, any(metadata)) }) {
			return err
		}
		if len(added) > 0 {
			metadata[earlierField] = added[:min(len(added), maxEarlier)]
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

// addedResults returns the metadata of the results that were last added to the owner's record, the newest first.
func addedResults(ctx context.Context, sink Sink, l *pb.LeaderboardWrite) ([]any, error) {
	_, owned, _, _, err := sink.LeaderboardRecordsList(ctx, l.LeaderboardId, []string{l.OwnerId}, 0, "", 0)
	if err != nil || len(owned) == 0 {
		return nil, err
	}
	newest, err := metadataOf([]byte(owned[0].Metadata))
	if err != nil || newest == nil {
		return nil, nil // written by another program
	}
	earlier, _ := newest[earlierField].([]any)
	delete(newest, earlierField)
	return append([]any{newest}, earlier...), nil
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
