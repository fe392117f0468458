package main

import "testing"

// isSet is the literal rule: each attribute is all the same or all different.
func isSet(cards [3]int) bool {
	for digit := 1; digit < 81; digit *= 3 {
		a, b, c := cards[0]/digit%3, cards[1]/digit%3, cards[2]/digit%3
		if !(a == b && b == c || a != b && b != c && a != c) {
			return false
		}
	}
	return true
}

func TestThirdIsTheOnlyCardThatCompletesASet(t *testing.T) {
	for first := range 81 {
		for second := range 81 {
			for last := range 81 {
				if first != second && isSet([3]int{first, second, last}) != (third(first, second) == last) {
					t.Fatalf("cards %d, %d and %d", first, second, last)
				}
			}
		}
	}
}

func TestFindSetReturnsASetIfThereIsOne(t *testing.T) {
	found, ok := board{0: 0, 4: 13, 7: 26, 9: 1}.findSet()
	if !ok || !isSet(found) {
		t.Errorf("found %v, %v", found, ok)
	}
	if found, ok := (board{0: 0, 1: 1, 2: 3, 3: 4}).findSet(); ok {
		t.Errorf("found %v on a board without a Set", found)
	}
}

func TestBoardAppliesMessages(t *testing.T) {
	b := board{0: 5, 1: 6}
	if _, err := b.apply(opClaimResult, []byte(`{"slots":[{"index":0},{"index":1,"cardId":0},{"index":2,"cardId":9}]}`)); err != nil {
		t.Fatal(err)
	}
	if len(b) != 2 || b[1] != 0 || b[2] != 9 {
		t.Errorf("after a claim the board is %v", b)
	}
	if _, err := b.apply(opMatchStarted, []byte(`{"slots":[{"index":4,"cardId":80}]}`)); err != nil {
		t.Fatal(err)
	}
	if len(b) != 1 || b[4] != 80 {
		t.Errorf("after the start of a game the board is %v", b)
	}
	if _, err := b.apply(opClaimResult, []byte(`no JSON`)); err == nil {
		t.Error("invalid JSON was accepted")
	}
}
