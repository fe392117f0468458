package main

import (
	"encoding/json"

	"github.com/heroiclabs/nakama-common/runtime"

	"setmatch/nakama/pb"
)

// apply applies the checked step of an answered call. What must happen exactly once is committed before anything is sent, so
// that a panic while sending can neither lose the step nor make the call be repeated.
func (m *matchState) apply(step *pb.Step, d runtime.MatchDispatcher) {
	m.commit(step)
	m.succeeded(d)
	m.announce(step, d)
	if m.over {
		m.unlist()
	}
}

func (m *matchState) commit(step *pb.Step) {
	m.state = step.State
	m.wakeAtMs = step.WakeAtMs
	if step.NewRecord {
		m.record = matchRecord{}
	}
	m.record.add(step.Log)
	m.over = m.over || step.End
	m.shim.effects.Add(m.withRecord(step.Effects))
}

// withRecord returns a step's effects with the record in the writes that ask for it.
func (m *matchState) withRecord(list []*pb.Effect) []*pb.Effect {
	for _, effect := range list {
		if w := effect.GetStorageWrite(); w != nil && w.RecordField != "" {
			w.Value = m.record.into(w.Value, w.RecordField)
		}
	}
	return list
}

func (m *matchState) announce(step *pb.Step, d runtime.MatchDispatcher) {
	for _, broadcast := range step.Broadcasts {
		m.send(d, broadcast)
	}
	m.relabel(step, d)
	if targets := m.resolve(step.Kicks); len(targets) > 0 {
		if err := d.MatchKick(targets); err != nil {
			m.logger.WithField("error", err.Error()).Warn("set: could not kick")
		}
	}
}

// send sends a message to an explicit audience. Nakama takes nil for everybody, so a list that resolves to nobody must
// not be sent at all.
func (m *matchState) send(d runtime.MatchDispatcher, b *pb.Broadcast) {
	var targets []runtime.Presence
	if !b.Everyone {
		if targets = m.resolve(b.SessionIds); len(targets) == 0 {
			return
		}
	}
	m.dispatch(d, b.Message, targets)
}

func (m *matchState) dispatch(d runtime.MatchDispatcher, message *pb.Message, targets []runtime.Presence) {
	if err := d.BroadcastMessage(message.OpCode, message.Data, targets, nil, true); err != nil {
		m.shim.meters.count(droppedBroadcasts, 1)
		m.logger.WithField("error", err.Error()).Warn("set: could not send a broadcast")
	}
}

// resolve returns the presences of those sessions that are in the match, and counts the others.
func (m *matchState) resolve(sessions []string) []runtime.Presence {
	known := make([]runtime.Presence, 0, len(sessions))
	for _, id := range sessions {
		if presence, ok := m.presences[id]; ok {
			known = append(known, presence)
		}
	}
	m.shim.meters.count(droppedBroadcasts, len(sessions)-len(known))
	return known
}

// relabel changes the label if it changed.
func (m *matchState) relabel(step *pb.Step, d runtime.MatchDispatcher) {
	if step.Label == nil || *step.Label == m.label {
		return
	}
	m.label = *step.Label
	m.standing.note(m.label)
	m.list()
	if err := d.MatchLabelUpdate(m.label); err != nil {
		m.logger.WithField("error", err.Error()).Warn("set: could not change the label")
	}
}

// lobbyLabel is the part of a label that the lobby reads.
type lobbyLabel struct {
	Open int    `json:"open"`
	Key  string `json:"key"`
}

// list lists the match among the open ones, or takes it from that list, as its label says. A label that cannot be read is that
// of a match that is not open.
func (m *matchState) list() {
	var label lobbyLabel
	if err := json.Unmarshal([]byte(m.label), &label); err != nil {
		label = lobbyLabel{}
	}
	m.shim.open.Update(m.id, label.Key, label.Open != 0 && label.Key != "")
}

// unlist removes the match from the open ones.
func (m *matchState) unlist() {
	m.shim.open.Remove(m.id)
}
