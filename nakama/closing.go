package main

import (
	"encoding/json"
	"time"

	"github.com/heroiclabs/nakama-common/runtime"

	"setmatch/nakama/pb"
)

// terminateReserve is kept of the server's grace time, or half of it if that is less, for saying goodbye and writing
// what is left.
const terminateReserve = 2 * time.Second

// rescueTriedFor is how long a rescued match is tried to be written.
const rescueTriedFor = 24 * time.Hour

// rescue is what is kept of a match that had to be closed without the service.
type rescue struct {
	State  []byte          `json:"state"` // base64 in JSON
	Record json.RawMessage `json:"record"`
	Reason string          `json:"reason"`
}

// close ends the match without the service: players are told, and the last state and the record are written to
// storage where only servers can read them.
func (m *matchState) close(d runtime.MatchDispatcher, reason string) {
	m.over = true
	m.unlist()
	m.shim.meters.count(closedMatches, 1)
	m.logger.WithField("reason", reason).Error("set: match closed")
	m.shim.effects.Add([]*pb.Effect{m.rescueEffect(reason)})
	m.notify(d, m.notices.Closed)
}

// rescueEffect keeps the match under a key that begins with the date, as those of records do: so old ones are found.
func (m *matchState) rescueEffect(reason string) *pb.Effect {
	kept := rescue{State: m.state, Record: m.record.array(), Reason: reason}
	value, _ := json.Marshal(kept) // the record's lines were checked to be JSON when they came
	now := m.shim.now()
	key := now.UTC().Format(keyDate) + "." + m.id
	write := &pb.StorageWrite{Collection: m.rescueCollection, Key: key, Value: value}
	return &pb.Effect{
		Kind: &pb.Effect_StorageWrite{StorageWrite: write}, ExpiresUnixMs: now.Add(rescueTriedFor).UnixMilli(),
	}
}

// terminate queues the server's shutdown like any other callback and says until when it may be retried.
func (m *matchState) terminate(graceSeconds int) {
	grace := time.Duration(graceSeconds) * time.Second
	m.terminating = true
	m.giveUpAt = m.shim.now().Add(grace - min(terminateReserve, grace/2))
	m.queue.endTick()
	m.queue.push(pendingItem{terminate: &terminateNotice{graceSeconds: int32(graceSeconds)}})
}
