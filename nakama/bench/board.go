package main

import "encoding/json"

// Op codes of the match, as in client.proto.
const (
	opClaim         = 1
	opRematch       = 4
	opSnapshot      = 101
	opMatchStarted  = 102
	opClaimResult   = 103
	opClaimRejected = 104
	opMatchEnded    = 107
)

// heard is what the client reads of the match's messages.
type heard struct {
	ClaimID string `json:"claimId"`
	Valid   bool   `json:"valid"`
	Slots   []slot `json:"slots"`
}

type slot struct {
	Index  int  `json:"index"`
	CardID *int `json:"cardId"`
}

// board is the cards that lie open, by their place.
type board map[int]int

// follow takes over what a message shows.
func (b board) follow(opCode int64, data []byte) (heard, error) {
	var h heard
	if err := json.Unmarshal(data, &h); err != nil {
		return h, err
	}
	if opCode == opMatchStarted || opCode == opSnapshot {
		clear(b)
	}
	for _, s := range h.Slots {
		if s.CardID == nil {
			delete(b, s.Index)
		} else {
			b[s.Index] = *s.CardID
		}
	}
	return h, nil
}

// findSet returns three cards that are a Set, if there are any.
func (b board) findSet() ([3]int, bool) {
	lies := map[int]bool{}
	for _, card := range b {
		lies[card] = true
	}
	for first := range lies {
		for second := range lies {
			if last := third(first, second); first != second && lies[last] {
				return [3]int{first, second, last}, true
			}
		}
	}
	return [3]int{}, false
}

// third returns the one card that makes two others a Set: in each of the four base-3 digits of their ids all three are
// equal or all different, so they sum to a multiple of three.
func third(first, second int) int {
	card := 0
	for digit := 1; digit < 81; digit *= 3 {
		card += (6 - first/digit%3 - second/digit%3) % 3 * digit
	}
	return card
}
