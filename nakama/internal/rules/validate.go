package rules

import (
	"fmt"

	"setmatch/nakama/internal/failure"
	"setmatch/nakama/internal/text"
	"setmatch/nakama/pb"
)

const (
	MaxLabelBytes = 2048 // maximum of a label
	MinTickRate   = 1    // ticks per second
	MaxTickRate   = 60   // ticks per second
	OtherOpCode   = 0    // key of the overflow notice for all op codes without a notice of their own
	maxNameBytes  = 128  // maximum of a name in Nakama's tables
)

// CheckStep returns an error if a step cannot be applied. No part of such a step may be applied.
func CheckStep(step *pb.Step) error {
	switch {
	case step == nil:
		return failure.Malformed("no step")
	case len(step.State) == 0:
		return failure.Malformed("empty state")
	case step.Label != nil && !IsLabel(*step.Label):
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

// CheckInit returns an error if a match cannot be started with a response.
func CheckInit(reply *pb.MatchInitResponse) error {
	if err := CheckStep(reply.GetStep()); err != nil {
		return err
	}
	switch {
	case reply.Step.Label == nil:
		return failure.Malformed("no label")
	case reply.TickRate < MinTickRate || reply.TickRate > MaxTickRate:
		return failure.Malformed(fmt.Sprintf("tick rate %d, allowed are %d to %d", reply.TickRate, MinTickRate, MaxTickRate))
	case reply.RescueCollection == "" || !text.IsPlain(reply.RescueCollection, maxNameBytes):
		return failure.Malformed("the rescue collection's name is not text of 1 to 128 bytes")
	}
	return checkNotices(reply.Notices)
}

func checkNotices(n *pb.Notices) error {
	if n.GetPaused() == nil || n.GetResumed() == nil || n.GetClosed() == nil || n.GetOverflow()[OtherOpCode] == nil {
		return failure.Malformed("a notice is missing")
	}
	return nil
}

// CheckOptions returns an error if a response about options cannot be used.
func CheckOptions(reply *pb.MatchOptionsResponse) error {
	if reply.GetSeats() < 1 {
		return failure.Malformed("options without a seat")
	}
	return nil
}

// IsLabel reports whether a text is a label that Nakama accepts: a JSON object of limited size.
func IsLabel(label string) bool {
	return len(label) <= MaxLabelBytes && text.IsObject([]byte(label))
}
