package main

import "setmatch/nakama/pb"

// maxPendingInputs is how many player inputs one match may have waiting (DESIGN section 4). Joins, leaves and the end
// of the server are never refused.
const maxPendingInputs = 1024

// maxPendingBytes bounds what those inputs hold together, so that they fit into one call: gRPC servers take messages of
// at most 4 MiB, and a call that never fits would hold a match up for ever.
const maxPendingBytes = 1 << 20

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

// pendingQueue keeps what was not delivered, in the order in which it came.
type pendingQueue struct {
	items  []pendingItem
	inputs int
	bytes  int
}

// push appends an item. It reports false, and drops the item, if it is an input and too much input waits.
func (q *pendingQueue) push(item pendingItem) bool {
	if item.input != nil {
		if q.inputs >= maxPendingInputs || q.bytes+len(item.input.Data) > maxPendingBytes {
			return false
		}
		q.inputs++
		q.bytes += len(item.input.Data)
	}
	q.items = append(q.items, item)
	return true
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
			q.inputs--
			q.bytes -= len(item.input.Data)
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
	return len(q.items)
}
