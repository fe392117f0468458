package main

import (
	"fmt"
	"slices"
	"testing"

	"setmatch/nakama/pb"
)

func TestRunsOfOneKindGoTogether(t *testing.T) {
	var q pendingQueue
	for _, kind := range []itemKind{joinItem, joinItem, inputItem, leaveItem, inputItem, inputItem, terminateItem} {
		q.push(itemOf(kind))
		q.seeOff()
	}
	want := []struct {
		kind itemKind
		size int
	}{{joinItem, 2}, {inputItem, 1}, {leaveItem, 1}, {inputItem, 2}, {terminateItem, 1}}
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

func TestADepartureFollowsWhatThePlayerSent(t *testing.T) {
	var q pendingQueue
	for _, kind := range []itemKind{leaveItem, inputItem, leaveItem, inputItem, joinItem, leaveItem} {
		q.push(itemOf(kind))
	}
	if q.size() != 6 {
		t.Errorf("%d items wait, want 6", q.size())
	}
	q.seeOff()
	var got []itemKind
	for _, item := range q.items {
		got = append(got, item.kind())
	}
	if want := []itemKind{inputItem, inputItem, leaveItem, leaveItem, joinItem, leaveItem}; !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

func itemOf(kind itemKind) pendingItem {
	switch kind {
	case inputItem:
		return pendingItem{input: &pb.Input{}}
	case joinItem:
		return pendingItem{join: &pb.Presence{}}
	case leaveItem:
		return pendingItem{leave: &pb.Departure{}}
	default:
		return pendingItem{terminate: &terminateNotice{}}
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
	for _, kind := range []itemKind{joinItem, leaveItem, terminateItem} {
		if !q.push(itemOf(kind)) {
			t.Errorf("kind %d was refused", kind)
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
