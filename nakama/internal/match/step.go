package match

import (
	"encoding/json"

	"github.com/heroiclabs/nakama-common/runtime"

	"setmatch/nakama/internal/telemetry"
	"setmatch/nakama/pb"
)

// apply applies the checked step of a successful call. It commits the step before it sends anything, so that a panic while
// sending neither loses the step nor repeats the call.
func (m *matchState) apply(step *pb.Step, d runtime.MatchDispatcher) {
	if !m.commit(step) {
		return
	}
	m.recordSuccess(d)
	m.publish(step, d)
	if m.ending.over {
		m.unlist()
	}
}

// commit stores the state, record lines, wake time and effects of a step. It reports whether this process still has the match.
func (m *matchState) commit(step *pb.Step) bool {
	m.service.state = step.State
	m.service.wakeAtMs = step.WakeAtMs
	if step.NewRecord {
		m.service.record = matchRecord{}
	}
	m.service.record.add(step.Log)
	m.ending.over = m.ending.over || step.End
	return m.persist(m.withRecord(step.Effects))
}

// withRecord inserts the record into the writes that have a record field, and returns all effects.
func (m *matchState) withRecord(list []*pb.Effect) []*pb.Effect {
	for _, effect := range list {
		if w := effect.GetStorageWrite(); w != nil && w.RecordField != "" {
			w.Value = m.service.record.insertInto(w.Value, w.RecordField)
		}
	}
	return list
}

// publish sends the broadcasts, the label and the kicks of a step.
func (m *matchState) publish(step *pb.Step, d runtime.MatchDispatcher) {
	for _, broadcast := range step.Broadcasts {
		m.sendBroadcast(d, broadcast)
	}
	m.updateLabel(step, d)
	if targets := m.resolve(step.Kicks); len(targets) > 0 {
		if err := d.MatchKick(targets); err != nil {
			m.logger.WithField("error", err.Error()).Warn("set: could not kick")
		}
	}
}

// sendBroadcast sends a message to its connections. Nakama treats nil as all connections, so a broadcast whose
// sessions have all left must not be sent.
func (m *matchState) sendBroadcast(d runtime.MatchDispatcher, b *pb.Broadcast) {
	if m.saver.Lost() {
		return
	}
	var targets []runtime.Presence
	if !b.Everyone {
		if targets = m.resolve(b.SessionIds); len(targets) == 0 {
			return
		}
	}
	if err := d.BroadcastMessage(b.Message.OpCode, b.Message.Data, targets, nil, true); err != nil {
		m.shared.Meters.Count(telemetry.DroppedBroadcasts, 1)
		m.logger.WithField("error", err.Error()).Warn("set: could not send a broadcast")
	}
}

// resolve returns the presences of the sessions that are in the match. It counts the other sessions as dropped broadcasts.
func (m *matchState) resolve(sessions []string) []runtime.Presence {
	known := make([]runtime.Presence, 0, len(sessions))
	for _, id := range sessions {
		if presence, ok := m.presences[id]; ok {
			known = append(known, presence)
		}
	}
	m.shared.Meters.Count(telemetry.DroppedBroadcasts, len(sessions)-len(known))
	return known
}

// updateLabel passes a changed label to Nakama.
func (m *matchState) updateLabel(step *pb.Step, d runtime.MatchDispatcher) {
	if step.Label == nil || *step.Label == m.service.label {
		return
	}
	m.changed = true
	m.service.label = *step.Label
	m.gauges.phase.Update(m.service.label)
	m.list()
	if err := d.MatchLabelUpdate(m.service.label); err != nil {
		m.logger.WithField("error", err.Error()).Warn("set: could not update the label")
	}
}

// lobbyLabel is the part of a label that the lobby uses.
type lobbyLabel struct {
	Open int    `json:"open"` // not 0: open
	Key  string `json:"key"`  // options key; empty: the match is never offered
}

// list adds the match to the open matches or removes it, depending on its label. A match with an invalid label is not open.
func (m *matchState) list() {
	var label lobbyLabel
	if err := json.Unmarshal([]byte(m.service.label), &label); err != nil {
		label = lobbyLabel{}
	}
	m.shared.Open.Update(m.id, label.Key, label.Open != 0 && label.Key != "")
}

// unlist removes the match from the open matches.
func (m *matchState) unlist() {
	m.shared.Open.Remove(m.id)
}
