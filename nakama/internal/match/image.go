package match

import (
	"slices"

	"setmatch/nakama/internal/checkpoint"
	"setmatch/nakama/pb"
)

// matchImage is an immutable image of a match, for its row. It shares only data that is never changed: states, messages, and
// record lines, which are only appended.
type matchImage struct {
	id           string
	unixMs       int64
	state        []byte
	wakeAtMs     *int64
	clockMs      int64
	clockStopped bool
	onArrival    bool
	answeredMs   int64
	lastTick     int64
	tickRate     int32
	label        string
	ended        bool
	notices      *pb.Notices
	rescue       string
	creatorID    string
	reservations []*pb.Reservation
	connections  []*pb.Connection
	queue        []pendingItem
	record       matchRecord
	effects      []*pb.Effect
}

// image returns an image of the match. Its effects are added by the saver.
func (m *matchState) image() matchImage {
	now := m.shared.now()
	image := matchImage{
		id: m.id, unixMs: now.UnixMilli(), state: m.service.state, wakeAtMs: m.service.wakeAtMs, clockMs: m.clock.nowMs(now),
		clockStopped: m.clock.frozen, onArrival: m.inbox != nil, answeredMs: m.calls.answeredMs, lastTick: m.lastTick, tickRate: m.service.tickRate, label: m.service.label,
		ended: m.ending.over, notices: m.service.notices, rescue: m.service.rescueCollection, creatorID: m.creatorID, record: m.service.record,
	}
	image.record.lines = slices.Clip(m.service.record.lines)
	if m.ending.over {
		return image
	}
	image.queue = slices.Concat(m.queue.items, m.queue.leaves)
	image.connections = m.connections()
	for user, until := range m.shared.Members.Reservations(m.id) {
		image.reservations = append(image.reservations, &pb.Reservation{UserId: user, UntilUnixMs: until.UnixMilli()})
	}
	return image
}

// connections returns all connections whose leave is not in the queue.
func (m *matchState) connections() []*pb.Connection {
	var all []*pb.Connection
	for _, presence := range m.revival.joined {
		all = append(all, &pb.Connection{Presence: presence, Joined: true})
	}
	for _, presence := range m.presences {
		all = append(all, &pb.Connection{Presence: toPresence(presence), Joined: true})
	}
	for _, presence := range m.revival.admitted {
		all = append(all, &pb.Connection{Presence: presence})
	}
	for _, admitted := range m.admitted {
		all = append(all, &pb.Connection{Presence: admitted.presence})
	}
	return all
}

// Encode returns the data of the row.
func (i matchImage) Encode() ([]byte, error) {
	message := &pb.Checkpoint{
		MatchId: i.id, UnixTimeMs: i.unixMs, State: i.state, WakeAtMs: i.wakeAtMs, ClockMs: i.clockMs,
		ClockStopped: i.clockStopped, JudgeOnArrival: i.onArrival, AnsweredMs: i.answeredMs, LastTick: i.lastTick, TickRate: i.tickRate, Label: i.label,
		Ended: i.ended, Notices: i.notices, RescueCollection: i.rescue, CreatorId: i.creatorID, Reservations: i.reservations,
		Connections: i.connections, RecordLines: i.record.lines, MissingRecordLines: int64(i.record.missing), Effects: i.effects,
	}
	for _, item := range i.queue {
		message.Queue = append(message.Queue, item.message())
	}
	return checkpoint.Encode(message)
}

// message returns the item as a part of a row. A saved match has no terminate in its queue.
func (i pendingItem) message() *pb.QueueItem {
	item := &pb.QueueItem{Failures: int32(i.failures)}
	switch {
	case i.input != nil:
		item.Kind = &pb.QueueItem_Input{Input: i.input}
	case i.leave != nil:
		item.Kind = &pb.QueueItem_Leave{Leave: i.leave}
	default:
		item.Kind = &pb.QueueItem_Join{Join: i.join}
	}
	return item
}

// toItem returns the item of the queue in a row.
func toItem(message *pb.QueueItem) pendingItem {
	return pendingItem{
		input: message.GetInput(), leave: message.GetLeave(), join: message.GetJoin(), failures: int(message.Failures),
	}
}
