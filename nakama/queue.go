package main

import "setmatch/nakama/pb"

// mostOfAll is how much player input the queue of one match may hold (DESIGN section 4). Joins, leaves and the end of the server
// are never refused. The bytes fit into one call: gRPC servers take messages of at most 4 MiB, and a call that never fits would
// block the match for ever.
var mostOfAll = backlog{inputs: 1024, bytes: 1 << 20}

// mostOfOne is how much of that one user may have, so that a flood of one user does not displace the inputs of others.
var mostOfOne = backlog{inputs: 64, bytes: 64 << 10}

// backlog is the size of the inputs in the queue.
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
	leave     *pb.Leave
	join      *pb.Presence
	terminate *terminateNotice
	failures  int // of calls with this input, in a row and by their content
}

// terminateNotice is Nakama's notice that the server shuts down.
type terminateNotice struct {
	graceSeconds int32
}

// kind tells apart the items that go into different calls.
func (i pendingItem) kind() itemKind {
	switch {
	case i.join != nil:
		return joinItem
	case i.terminate != nil:
		return terminateItem
	default:
		return loopItem
	}
}

type itemKind int

const (
	loopItem itemKind = iota // an input or a leave
	joinItem
	terminateItem
)

// pendingQueue holds the items that were not delivered, in their order. A leave waits for the end of its tick, because Nakama
// hands over only then what the connection sent before.
type pendingQueue struct {
	items  []pendingItem
	leaves []pendingItem // of the running tick
	ofAll  backlog
	ofUser map[string]backlog // of users with inputs in the queue
}

// push appends an item. It reports false, and drops the item, if it is an input above the limits.
func (q *pendingQueue) push(item pendingItem) bool {
	if item.input != nil && !q.admit(item.input) {
		return false
	}
	q.items = append(q.items, item)
	return true
}

// leave adds a leave to the running tick.
func (q *pendingQueue) leave(leave *pb.Leave) {
	q.leaves = append(q.leaves, pendingItem{leave: leave})
}

// endTick moves the leaves of the tick behind everything that was pushed before its end.
func (q *pendingQueue) endTick() {
	q.items = append(q.items, q.leaves...)
	q.leaves = nil
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

// dropSpoiled removes the inputs among the oldest count items that made calls fail too often, and returns their number.
func (q *pendingQueue) dropSpoiled(count int) (dropped int) {
	kept := make([]pendingItem, 0, len(q.items))
	for i, item := range q.items {
		if i < count && item.failures >= poisonLimit {
			q.release(item.input)
			dropped++
		} else {
			kept = append(kept, item)
		}
	}
	q.items = kept
	return dropped
}

// hasLoopItems reports whether inputs or leaves wait.
func (q *pendingQueue) hasLoopItems() bool {
	for _, item := range q.items {
		if item.kind() == loopItem {
			return true
		}
	}
	return false
}

// size returns how many items can be delivered.
func (q *pendingQueue) size() int {
	return len(q.items)
}
