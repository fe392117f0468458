package match

import (
	"encoding/json"
	"time"

	"github.com/heroiclabs/nakama-common/runtime"

	"setmatch/nakama/internal/effects"
	"setmatch/nakama/internal/telemetry"
	"setmatch/nakama/pb"
)

// terminateReserve is the part of the server's grace time, at most half of it, that is reserved for the closed notice and
// for the remaining writes.
const terminateReserve = 2 * time.Second

// rescueRetryTime is how long the write of a rescued match is retried.
const rescueRetryTime = 24 * time.Hour

// rescue is the stored data of a match that was closed without the service.
type rescue struct {
	State  []byte          `json:"state"` // base64 in JSON
	Record json.RawMessage `json:"record"`
	Reason string          `json:"reason"` // why the match was closed
}

// close ends the match without the service: it sends the closed notice and writes the last state and the record to storage,
// where only servers can read them.
func (m *matchState) close(d runtime.MatchDispatcher, reason string) {
	m.ending.over = true
	m.unlist()
	m.shared.Meters.Count(telemetry.ClosedMatches, 1)
	m.logger.WithField("reason", reason).Error("set: match closed")
	m.persist([]*pb.Effect{m.rescueEffect(reason)})
	m.notify(d, m.service.notices.Closed)
}

// rescueEffect returns the write of the rescued match. Its key begins with the date, as a record's key does, so that
// retention can find old ones.
func (m *matchState) rescueEffect(reason string) *pb.Effect {
	rescued := rescue{State: m.service.state, Record: m.service.record.array(), Reason: reason}
	value, _ := json.Marshal(rescued) // cannot fail: rules.CheckStep has checked that the record's lines are JSON
	now := m.shared.now()
	key := now.UTC().Format(effects.KeyDate) + "." + m.id
	write := &pb.StorageWrite{Collection: m.service.rescueCollection, Key: key, Value: value}
	return &pb.Effect{
		Kind: &pb.Effect_StorageWrite{StorageWrite: write}, ExpiresUnixMs: now.Add(rescueRetryTime).UnixMilli(),
	}
}

// terminate queues the server's shutdown like any other callback and sets the time limit of its retries.
func (m *matchState) terminate(graceSeconds int) {
	grace := time.Duration(graceSeconds) * time.Second
	m.ending.giveUpAt = m.shared.now().Add(grace - min(terminateReserve, grace/2))
	m.queue.endTick()
	m.queue.push(pendingItem{terminate: &terminateNotice{graceSeconds: int32(graceSeconds)}})
}
