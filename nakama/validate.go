package main

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strings"

	"setmatch/nakama/pb"
)

const (
	maxLabelBytes = 2048
	minTickRate   = 1
	maxTickRate   = 60
)

// checkStep returns what makes a step impossible to apply, or nil. Nothing of a step with an error may be applied.
func checkStep(step *pb.Step) error {
	switch {
	case step == nil:
		return &malformedReply{"no step"}
	case len(step.State) == 0:
		return &malformedReply{"empty state"}
	case step.Label != nil && !isLabel(*step.Label):
		return &malformedReply{"the label is not a JSON object of at most 2048 bytes"}
	}
	for _, check := range []func(*pb.Step) string{broadcastProblem, logProblem, effectProblem} {
		if problem := check(step); problem != "" {
			return &malformedReply{problem}
		}
	}
	return nil
}

func broadcastProblem(step *pb.Step) string {
	for _, b := range step.Broadcasts {
		switch {
		case b.GetMessage() == nil:
			return "a broadcast without a message"
		case b.Everyone && len(b.SessionIds) > 0:
			return "a broadcast to everyone and to some"
		}
	}
	return ""
}

func logProblem(step *pb.Step) string {
	for _, line := range step.Log {
		if !json.Valid(line) {
			return "a log line that is not JSON"
		}
	}
	return ""
}

func effectProblem(step *pb.Step) string {
	for _, batch := range step.Effects {
		for _, effect := range batch.GetEffects() {
			if problem := oneEffectProblem(effect); problem != "" {
				return problem
			}
		}
	}
	return ""
}

func oneEffectProblem(effect *pb.Effect) string {
	switch {
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
	case w.Collection == "" || w.Key == "" || len(w.Key) > 128 || len(w.Collection) > 128:
		return "a storage write whose collection or key is not 1 to 128 bytes long"
	case w.UserId != "" && !isUUID(w.UserId):
		return "a storage write for something that is no user id"
	case !isObject(w.Value):
		return "a storage write whose value is not a JSON object"
	case w.PermissionRead < 0 || w.PermissionRead > 2:
		return "a storage write whose read permission is not 0, 1 or 2"
	}
	return ""
}

func leaderboardProblem(w *pb.LeaderboardWrite) string {
	switch {
	case w.LeaderboardId == "":
		return "a leaderboard write without a leaderboard"
	case !isUUID(w.OwnerId):
		return "a leaderboard write whose owner is no user id"
	case w.Score < 0 || w.Subscore < 0:
		return "a leaderboard write with a negative score"
	case len(w.Metadata) > 0 && !isObject(w.Metadata):
		return "a leaderboard write whose metadata is not a JSON object"
	}
	return ""
}

// checkInit returns what makes a new match impossible to start, or nil.
func checkInit(reply *pb.MatchInitResponse) error {
	if err := checkStep(reply.GetStep()); err != nil {
		return err
	}
	switch {
	case reply.Step.Label == nil:
		return &malformedReply{"no label"}
	case reply.TickRate < minTickRate || reply.TickRate > maxTickRate:
		return &malformedReply{fmt.Sprintf("tick rate %d, allowed are %d to %d", reply.TickRate, minTickRate, maxTickRate)}
	case reply.RescueCollection == "" || len(reply.RescueCollection) > 128:
		return &malformedReply{"the rescue collection's name is not 1 to 128 bytes long"}
	}
	return checkNotices(reply.Notices)
}

func checkNotices(n *pb.Notices) error {
	if n.GetPaused() == nil || n.GetResumed() == nil || n.GetClosed() == nil || n.GetOverflow() == nil {
		return &malformedReply{"a notice is missing"}
	}
	return nil
}

// checkOptions returns what makes an answer about options useless, or nil.
func checkOptions(reply *pb.MatchOptionsResponse) error {
	if reply.GetKey() == "" || reply.GetSeats() < 1 {
		return &malformedReply{"options without a key or without a seat"}
	}
	return nil
}

func isLabel(label string) bool {
	return len(label) <= maxLabelBytes && isObject([]byte(label))
}

func isObject(text []byte) bool {
	trimmed := bytes.TrimSpace(text)
	return len(trimmed) > 0 && trimmed[0] == '{' && json.Valid(trimmed)
}

func isUUID(text string) bool {
	digits, err := hex.DecodeString(strings.ReplaceAll(text, "-", ""))
	return err == nil && len(digits) == 16 && len(text) == 36
}
