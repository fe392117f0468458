package main

import (
	"testing"

	"setmatch/nakama/pb"
)

func TestRunsOfOneKindGoTogether(t *testing.T) {
	var q pendingQueue
	for _, kind := range []itemKind{joinItem, joinItem, inputItem, leaveItem, inputItem, inputItem, terminateItem} {
		q.push(itemOf(kind))
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
	if q.size() != 0 || q.inputs != 0 {
		t.Errorf("%d items, %d inputs are left", q.size(), q.inputs)
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

func TestInputsAreBoundedByTheirSizeToo(t *testing.T) {
	var q pendingQueue
	half := pendingItem{input: &pb.Input{Data: make([]byte, maxPendingBytes/2)}}
	one := pendingItem{input: &pb.Input{Data: []byte{1}}}
	if !q.push(half) || !q.push(half) {
		t.Fatal("inputs within the bound were refused")
	}
	if q.push(one) {
		t.Error("an input beyond the bound was taken")
	}
	q.drop(1)
	if !q.push(one) {
		t.Error("an input was refused although there is room again")
	}
	q.drop(2)
	if q.bytes != 0 {
		t.Errorf("an empty queue counts %d bytes", q.bytes)
	}
}

func TestOnlyInputsAreBounded(t *testing.T) {
	var q pendingQueue
	for range maxPendingInputs {
		if !q.push(itemOf(inputItem)) {
			t.Fatal("an input within the bound was refused")
		}
	}
	if q.push(itemOf(inputItem)) {
		t.Error("an input beyond the bound was taken")
	}
	for _, kind := range []itemKind{joinItem, leaveItem, terminateItem} {
		if !q.push(itemOf(kind)) {
			t.Errorf("kind %d was refused", kind)
		}
	}
	q.drop(1)
	if !q.push(itemOf(inputItem)) {
		t.Error("an input was refused although there is room again")
	}
}
