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

// serverMessage has the fields of the match's messages that the client reads.
type serverMessage struct {
	ClaimID string `json:"claimId"`
	Valid   bool   `json:"valid"`
	Slots   []slot `json:"slots"`
}

type slot struct {
	Index  int  `json:"index"`
	CardID *int `json:"cardId"`
}

// board maps slots to card ids.
type board map[int]int

// apply applies the slots of a message to the board.
func (b board) apply(opCode int64, data []byte) (serverMessage, error) {
	var message serverMessage
	if err := json.Unmarshal(data, &message); err != nil {
		return message, err
	}
	if opCode == opMatchStarted || opCode == opSnapshot {
		clear(b)
	}
	for _, s := range message.Slots {
		if s.CardID == nil {
			delete(b, s.Index)
		} else {
			b[s.Index] = *s.CardID
		}
	}
	return message, nil
}

// findSet returns a Set of the board, and false if there is none.
func (b board) findSet() ([3]int, bool) {
	onBoard := map[int]bool{}
	for _, card := range b {
		onBoard[card] = true
	}
	for first := range onBoard {
		for second := range onBoard {
			if last := third(first, second); first != second && onBoard[last] {
				return [3]int{first, second, last}, true
			}
		}
	}
	return [3]int{}, false
}

// third returns the card that completes two cards to a Set. In a Set, each of the four base-3 digits of the ids is all the
// same or all different, so the sum of each digit is a multiple of three.
func third(first, second int) int {
	card := 0
	for digit := 1; digit < 81; digit *= 3 {
		card += (6 - first/digit%3 - second/digit%3) % 3 * digit
	}
	return card
}
