package match

import (
	"fmt"
	"testing"

	"setmatch/nakama/internal/backlog"
	"setmatch/nakama/pb"
)

var (
	anInput    = pendingItem{input: &pb.Input{}}
	aLeave     = pendingItem{leave: &pb.Leave{}}
	aJoin      = pendingItem{join: &pb.Presence{}}
	aTerminate = pendingItem{terminate: &terminateNotice{}}
)

func TestHeadReturnsItemsOfOneKind(t *testing.T) {
	var q pendingQueue
	for _, item := range []pendingItem{aJoin, aJoin, anInput, aLeave, anInput, aTerminate} {
		q.push(item)
	}
	want := []struct {
		kind itemKind
		size int
	}{{joinItem, 2}, {loopItem, 3}, {terminateItem, 1}}
	for _, w := range want {
		run := q.head()
		if run[0].kind() != w.kind || len(run) != w.size {
			t.Fatalf("got %d of kind %d, want %d of kind %d", len(run), run[0].kind(), w.size, w.kind)
		}
		q.drop(len(run))
	}
	if none := (backlog.Size{}); q.size() != 0 || q.counts.Total() != none {
		t.Errorf("%d items with inputs of %v are left", q.size(), q.counts.Total())
	}
}

func TestLeaveIsQueuedAfterInputsOfItsTick(t *testing.T) {
	var q pendingQueue
	q.leave(&pb.Leave{})
	q.push(anInput)
	if q.size() != 1 {
		t.Errorf("%d items can be delivered before the end of the tick, want 1", q.size())
	}
	q.endTick()
	if q.size() != 2 || q.items[1].leave == nil {
		t.Errorf("items %v", q.items)
	}
}

// inputOf returns an input with data of a size in bytes.
func inputOf(user string, size int) pendingItem {
	return pendingItem{input: &pb.Input{UserId: user, Data: make([]byte, size)}}
}

// fillQueue pushes inputs of several users until one is rejected, and returns the number of accepted inputs.
func fillQueue(q *pendingQueue, size int) int {
	for accepted := 0; ; accepted++ {
		if !q.push(inputOf(fmt.Sprint("user ", accepted/backlog.User.Inputs), size)) {
			return accepted
		}
	}
}

func TestQueueLimitsNumberOfInputs(t *testing.T) {
	var q pendingQueue
	if got := fillQueue(&q, 1); got != backlog.Match.Inputs {
		t.Errorf("%d inputs were accepted", got)
	}
	for _, item := range []pendingItem{aJoin, aLeave, aTerminate} {
		if !q.push(item) {
			t.Errorf("%v was rejected", item)
		}
	}
	q.drop(1)
	if !q.push(inputOf("another", 1)) {
		t.Error("an input was rejected although there is room again")
	}
}

func TestQueueLimitsBytesOfInputs(t *testing.T) {
	var q pendingQueue
	each := backlog.User.Bytes / backlog.User.Inputs
	if got := fillQueue(&q, each); got != backlog.Match.Bytes/each {
		t.Errorf("%d inputs of %d bytes were accepted", got, each)
	}
	q.drop(1)
	if q.push(inputOf("another", each+1)) || !q.push(inputOf("another", each)) {
		t.Error("the accepted size is not the freed size")
	}
}

func TestUserCannotUseQueueSpaceOfOthers(t *testing.T) {
	sizes := map[string]int{"many": 1, "large": backlog.User.Bytes}
	for name, size := range sizes {
		var q pendingQueue
		for range backlog.Match.Inputs {
			q.push(inputOf("flooder", size))
		}
		if got := q.counts.Of("flooder"); got.Inputs > backlog.User.Inputs || got.Bytes > backlog.User.Bytes || got.Inputs == 0 {
			t.Errorf("%s: %v of one user in the queue", name, got)
		}
		if !q.push(inputOf("player", 100)) {
			t.Errorf("%s: the input of another user was rejected", name)
		}
		q.drop(1)
		if !q.push(inputOf("flooder", size)) {
			t.Errorf("%s: rejected although there is room again", name)
		}
	}
}
