package main

import (
	"fmt"
	"testing"

	"setmatch/nakama/pb"
)

var (
	anInput    = pendingItem{input: &pb.Input{}}
	aLeave     = pendingItem{leave: &pb.Leave{}}
	aJoin      = pendingItem{join: &pb.Presence{}}
	aTerminate = pendingItem{terminate: &terminateNotice{}}
)

func TestItemsOfOneKindGoIntoOneCall(t *testing.T) {
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
	if none := (backlog{}); q.size() != 0 || q.ofAll != none || len(q.ofUser) != 0 {
		t.Errorf("%d items, %v of all and %v are left", q.size(), q.ofAll, q.ofUser)
	}
}

func TestALeaveFollowsTheInputsOfItsTick(t *testing.T) {
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

func TestOnlySpoiledInputsAreDropped(t *testing.T) {
	var q pendingQueue
	q.push(inputOf("bad", 1))
	q.push(aLeave)
	q.push(inputOf("good", 1))
	q.items[0].failures = poisonLimit
	if dropped := q.dropSpoiled(3); dropped != 1 || q.size() != 2 || q.ofAll.inputs != 1 {
		t.Errorf("dropped %d, %d items are left, %v of all", dropped, q.size(), q.ofAll)
	}
}

// inputOf is an input of a certain size.
func inputOf(user string, size int) pendingItem {
	return pendingItem{input: &pb.Input{UserId: user, Data: make([]byte, size)}}
}

// fill lets as many users as it takes send inputs until no more are taken, and returns how many were.
func fill(q *pendingQueue, size int) int {
	for taken := 0; ; taken++ {
		if !q.push(inputOf(fmt.Sprint("user ", taken/mostOfOne.inputs), size)) {
			return taken
		}
	}
}

func TestInputsAreBounded(t *testing.T) {
	var q pendingQueue
	if got := fill(&q, 1); got != mostOfAll.inputs {
		t.Errorf("%d inputs were taken", got)
	}
	for _, item := range []pendingItem{aJoin, aLeave, aTerminate} {
		if !q.push(item) {
			t.Errorf("%v was refused", item)
		}
	}
	q.drop(1)
	if !q.push(inputOf("another", 1)) {
		t.Error("an input was refused although there is room again")
	}
}

func TestInputsAreBoundedByTheirSizeToo(t *testing.T) {
	var q pendingQueue
	each := mostOfOne.bytes / mostOfOne.inputs
	if got := fill(&q, each); got != mostOfAll.bytes/each {
		t.Errorf("%d inputs of %d bytes were taken", got, each)
	}
	q.drop(1)
	if q.push(inputOf("another", each+1)) || !q.push(inputOf("another", each)) {
		t.Error("what fits is not what became free")
	}
}

func TestNobodyTakesTheRoomOfOthers(t *testing.T) {
	sizes := map[string]int{"many": 1, "large": mostOfOne.bytes}
	for name, size := range sizes {
		var q pendingQueue
		for range mostOfAll.inputs {
			q.push(inputOf("flooder", size))
		}
		if got := q.ofUser["flooder"]; got.inputs > mostOfOne.inputs || got.bytes > mostOfOne.bytes || got.inputs == 0 {
			t.Errorf("%s: %v of one user wait", name, got)
		}
		if !q.push(inputOf("player", 100)) {
			t.Errorf("%s: the input of another was refused", name)
		}
		q.drop(1)
		if !q.push(inputOf("flooder", size)) {
			t.Errorf("%s: refused although there is room again", name)
		}
	}
}
