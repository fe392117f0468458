package setmatch

import (
	"fmt"

	"setmatch/nakama/internal/failure"
	"setmatch/nakama/internal/text"
	"setmatch/nakama/pb"
)

const (
	maxLabelBytes = 2048
	maxNameBytes  = 128 // maximum of a name in Nakama's tables
	minTickRate   = 1
	maxTickRate   = 60
)

// checkStep returns an error if a step cannot be applied. No part of such a step may be applied.
func checkStep(step *pb.Step) error {
	switch {
	case step == nil:
		return failure.Malformed("no step")
	case len(step.State) == 0:
		return failure.Malformed("empty state")
	case step.Label != nil && !isLabel(*step.Label):
		return failure.Malformed("the label is not a JSON object of at most 2048 bytes")
	}
	for _, check := range []func(*pb.Step) string{broadcastProblem, logProblem} {
		if problem := check(step); problem != "" {
			return failure.Malformed(problem)
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
		if problem := text.JSONProblem(line); problem != "" {
			return "a log line that cannot be stored: " + problem
		}
	}
	return ""
}

// checkInit returns an error if a match cannot be started with a response.
func checkInit(reply *pb.MatchInitResponse) error {
	if err := checkStep(reply.GetStep()); err != nil {
		return err
	}
	switch {
	case reply.Step.Label == nil:
		return failure.Malformed("no label")
	case reply.TickRate < minTickRate || reply.TickRate > maxTickRate:
		return failure.Malformed(fmt.Sprintf("tick rate %d, allowed are %d to %d", reply.TickRate, minTickRate, maxTickRate))
	case reply.RescueCollection == "" || !text.IsPlain(reply.RescueCollection, maxNameBytes):
		return failure.Malformed("the rescue collection's name is not text of 1 to 128 bytes")
	}
	return checkNotices(reply.Notices)
}

func checkNotices(n *pb.Notices) error {
	if n.GetPaused() == nil || n.GetResumed() == nil || n.GetClosed() == nil || n.GetOverflow()[otherOpCode] == nil {
		return failure.Malformed("a notice is missing")
	}
	return nil
}

// checkOptions returns an error if a response about options cannot be used.
func checkOptions(reply *pb.MatchOptionsResponse) error {
	if reply.GetSeats() < 1 {
		return failure.Malformed("options without a seat")
	}
	return nil
}

func isLabel(label string) bool {
	return len(label) <= maxLabelBytes && text.IsObject([]byte(label))
}
