package setmatch

import "setmatch/nakama/pb"

// matchInputLimit is the maximum of player input in the queue of one match (DESIGN section 4). Joins, leaves and terminates
// have no limit. All bytes fit into one call, because gRPC servers accept messages of at most 4 MiB, and a larger call would
// block the match forever.
var matchInputLimit = backlog{inputs: 1024, bytes: 1 << 20}

// userInputLimit is the maximum of one user, so that a flood of one user does not displace the inputs of others.
var userInputLimit = backlog{inputs: 64, bytes: 64 << 10}

// backlog is the size of the inputs in the queue.
type backlog struct {
	inputs int
	bytes  int // of the inputs' data
}

// hasRoom reports whether an input can be added within a limit.
func (b backlog) hasRoom(input *pb.Input, limit backlog) bool {
	return b.inputs < limit.inputs && b.bytes+len(input.Data) <= limit.bytes
}

func (b backlog) with(input *pb.Input) backlog {
	return backlog{b.inputs + 1, b.bytes + len(input.Data)}
}

func (b backlog) without(input *pb.Input) backlog {
	return backlog{b.inputs - 1, b.bytes - len(input.Data)}
}

// pendingItem is a callback that is not delivered yet. Exactly one of the pointers is set.
type pendingItem struct {
	input     *pb.Input
	leave     *pb.Leave
	join      *pb.Presence
	terminate *terminateNotice
	failures  int // consecutive poison failures of calls with only this input, each directly after a success without it
}

// terminateNotice is Nakama's notice that the server shuts down.
type terminateNotice struct {
	graceSeconds int32 // until the server stops
}

// kind returns the kind of call in which the item is sent.
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

// itemKind is the kind of call in which items are sent.
type itemKind int

const (
	loopItem itemKind = iota // an input or a leave
	joinItem
	terminateItem
)

// pendingQueue is the queue of items that are not delivered yet, in order. A leave is added at the end of its tick, because
// only then does Nakama pass the inputs that the connection sent before.
type pendingQueue struct {
	items  []pendingItem
	leaves []pendingItem // leaves of the current tick
	total  backlog
	byUser map[string]backlog // of users with inputs in the queue
}

// push appends an item. It returns false and drops the item if it is an input that exceeds a limit.
func (q *pendingQueue) push(item pendingItem) bool {
	if item.input != nil && !q.admit(item.input) {
		return false
	}
	q.items = append(q.items, item)
	return true
}

// leave adds a leave to the current tick.
func (q *pendingQueue) leave(leave *pb.Leave) {
	q.leaves = append(q.leaves, pendingItem{leave: leave})
}

// endTick appends the leaves of the tick to the queue.
func (q *pendingQueue) endTick() {
	q.items = append(q.items, q.leaves...)
	q.leaves = nil
}

// admit counts an input if it does not exceed a limit, and reports whether it was counted.
func (q *pendingQueue) admit(input *pb.Input) bool {
	own := q.byUser[input.UserId]
	if !q.total.hasRoom(input, matchInputLimit) || !own.hasRoom(input, userInputLimit) {
		return false
	}
	if q.byUser == nil {
		q.byUser = make(map[string]backlog)
	}
	q.total, q.byUser[input.UserId] = q.total.with(input), own.with(input)
	return true
}

// release removes an input from the counts.
func (q *pendingQueue) release(input *pb.Input) {
	q.total = q.total.without(input)
	if q.byUser[input.UserId] = q.byUser[input.UserId].without(input); q.byUser[input.UserId].inputs == 0 {
		delete(q.byUser, input.UserId)
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

// hasLoopItems reports whether the queue contains inputs or leaves.
func (q *pendingQueue) hasLoopItems() bool {
	for _, item := range q.items {
		if item.kind() == loopItem {
			return true
		}
	}
	return false
}

// size returns the number of items in the queue, without leaves of the current tick.
func (q *pendingQueue) size() int {
	return len(q.items)
}
