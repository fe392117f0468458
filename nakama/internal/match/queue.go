package match

import (
	"setmatch/nakama/internal/backlog"
	"setmatch/nakama/pb"
)

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
	leaves []pendingItem   // leaves of the current tick
	counts backlog.Backlog // of the inputs; joins, leaves and terminates have no limit
}

// push appends an item. It returns false and drops the item if it is an input that exceeds a limit.
func (q *pendingQueue) push(item pendingItem) bool {
	if item.input != nil && !q.counts.Admit(item.input.UserId, len(item.input.Data)) {
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
			q.counts.Release(item.input.UserId, len(item.input.Data))
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
