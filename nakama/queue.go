package main

import "setmatch/nakama/pb"

// mostOfAll is how much player input one match may have waiting (DESIGN section 4). Joins, leaves and the end of the server
// are never refused. The bytes fit into one call: gRPC servers take messages of at most 4 MiB, and a call that never fits
// would hold a match up for ever.
var mostOfAll = backlog{inputs: 1024, bytes: 1 << 20}

// mostOfOne is how much of that one user may take, so that nobody who floods a match takes the others' room.
var mostOfOne = backlog{inputs: 64, bytes: 64 << 10}

// backlog is player input that waits.
type backlog struct {
	inputs, bytes int
}

func (b backlog) takes(input *pb.Input, most backlog) bool {
	return b.inputs < most.inputs && b.bytes+len(input.Data) <= most.bytes
}

func (b backlog) with(input *pb.Input) backlog {
	return backlog{b.inputs + 1, b.bytes + len(input.Data)}
}

func (b backlog) without(input *pb.Input) backlog {
	return backlog{b.inputs - 1, b.bytes - len(input.Data)}
}

// pendingItem is one callback that the service has not answered yet: exactly one of the pointers is set.
type pendingItem struct {
	input     *pb.Input
	join      *pb.Presence
	leave     *pb.Departure
	terminate *terminateNotice
	failures  int // of calls with this input, in a row and by their content
}

// terminateNotice is the server's word that it shuts down.
type terminateNotice struct {
	graceSeconds int32
}

// kind tells items apart that go into different calls.
func (i pendingItem) kind() itemKind {
	switch {
	case i.input != nil:
		return inputItem
	case i.join != nil:
		return joinItem
	case i.leave != nil:
		return leaveItem
	default:
		return terminateItem
	}
}

type itemKind int

const (
	inputItem itemKind = iota
	joinItem
	leaveItem
	terminateItem
)

// pendingQueue keeps what was not delivered, in the order in which it came. Nakama tells at once who is gone, and with the
// next tick what they sent before: so a departure waits for that tick's inputs, or for whatever else comes before it.
type pendingQueue struct {
	items  []pendingItem
	gone   []pendingItem // departures that wait
	ofAll  backlog
	ofUser map[string]backlog // of those who have some
}

// push appends an item. It reports false, and drops the item, if it is an input and too much input waits.
func (q *pendingQueue) push(item pendingItem) bool {
	switch item.kind() {
	case leaveItem:
		q.gone = append(q.gone, item)
		return true
	case inputItem:
		if !q.admit(item.input) {
			return false
		}
	default:
		q.seeOff()
	}
	q.items = append(q.items, item)
	return true
}

// seeOff gives those who are gone their place behind everything that came so far.
func (q *pendingQueue) seeOff() {
	q.items = append(q.items, q.gone...)
	q.gone = nil
}

func (q *pendingQueue) admit(input *pb.Input) bool {
	own := q.ofUser[input.UserId]
	if !q.ofAll.takes(input, mostOfAll) || !own.takes(input, mostOfOne) {
		return false
	}
	if q.ofUser == nil {
		q.ofUser = make(map[string]backlog)
	}
	q.ofAll, q.ofUser[input.UserId] = q.ofAll.with(input), own.with(input)
	return true
}

func (q *pendingQueue) release(input *pb.Input) {
	q.ofAll = q.ofAll.without(input)
	if q.ofUser[input.UserId] = q.ofUser[input.UserId].without(input); q.ofUser[input.UserId].inputs == 0 {
		delete(q.ofUser, input.UserId)
	}
}

// head returns the oldest items that can go into one call.
func (q *pendingQueue) head() []pendingItem {
	end := 0
	for end < len(q.items) && q.items[end].kind() == q.items[0].kind() {
		end++
	}
	return q.items[:end]
}

// drop removes the oldest count items.
func (q *pendingQueue) drop(count int) {
	for _, item := range q.items[:count] {
		if item.input != nil {
			q.release(item.input)
		}
	}
	clear(q.items[:count])
	q.items = q.items[count:]
	if len(q.items) == 0 {
		q.items = nil
	}
}

// size returns how many items wait.
func (q *pendingQueue) size() int {
	return len(q.items) + len(q.gone)
}
