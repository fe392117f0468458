package main

import (
	"context"
	"encoding/json"
	"testing"

	"github.com/heroiclabs/nakama-common/api"

	"setmatch/nakama/pb"
)

// winsBoard is a leaderboard that adds up, as Nakama's does, whose answers can be lost.
type winsBoard struct {
	*fakeNakama
	score    int64
	metadata string
	writes   int
	lose     map[int]bool // the writes whose answer is lost
	drop     map[int]bool // the writes that are lost themselves
	lookups  int
	lookErr  error
}

func (b *winsBoard) LeaderboardRecordWrite(
	_ context.Context, _, _, _ string, score, _ int64, metadata map[string]any, _ *int,
) (*api.LeaderboardRecord, error) {
	b.writes++
	if b.drop[b.writes] {
		return nil, errDatabase
	}
	b.score += score
	if metadata != nil {
		text, _ := json.MarshalIndent(metadata, "", " ") // the database writes objects its own way
		b.metadata = string(text)
	}
	if b.lose[b.writes] {
		return nil, errDatabase
	}
	return nil, nil
}

func (b *winsBoard) LeaderboardRecordsList(
	_ context.Context, id string, owners []string, limit int, _ string, _ int64,
) ([]*api.LeaderboardRecord, []*api.LeaderboardRecord, string, string, error) {
	b.lookups++
	if err := b.lookErr; err != nil {
		b.lookErr = nil
		return nil, nil, "", "", err
	}
	if id != "wins" || len(owners) != 1 || owners[0] != "ann" || limit != 0 || b.score == 0 {
		return nil, nil, "", "", nil
	}
	return nil, []*api.LeaderboardRecord{{Score: b.score, Metadata: b.metadata}}, "", "", nil
}

func winOf(record string) *pb.Effect {
	w := &pb.LeaderboardWrite{LeaderboardId: "wins", OwnerId: "ann", Score: 1, Metadata: []byte(`{"recordKey":"` + record + `"}`)}
	return &pb.Effect{Kind: &pb.Effect_LeaderboardWrite{LeaderboardWrite: w}}
}

// writeWins lets a worker write wins of one user to the board.
func writeWins(t *testing.T, board *winsBoard, wins ...*pb.Effect) {
	t.Helper()
	board.fakeNakama = newFakeNakama()
	w, _ := newWorker(board.fakeNakama)
	w.sink = board
	w.add("m", batchOf(wins...))
	finish(t, w)
}

func TestAWinCountsOnceWhateverIsLostOfItsWriting(t *testing.T) {
	for name, c := range map[string]struct {
		board         *winsBoard
		writes, looks int
	}{
		"nothing":                       {&winsBoard{}, 2, 0},
		"the first answer":              {&winsBoard{lose: map[int]bool{1: true}}, 2, 1},
		"the second answer":             {&winsBoard{lose: map[int]bool{2: true}}, 2, 1},
		"the write":                     {&winsBoard{drop: map[int]bool{1: true}}, 3, 1},
		"the write of the second":       {&winsBoard{drop: map[int]bool{2: true}}, 3, 1},
		"the answer, then the look too": {&winsBoard{lose: map[int]bool{1: true}, lookErr: errDatabase}, 2, 2},
		"the write, then the answer":    {&winsBoard{drop: map[int]bool{1: true}, lose: map[int]bool{2: true}}, 3, 2},
	} {
		t.Run(name, func(t *testing.T) {
			writeWins(t, c.board, winOf("m.1"), winOf("m.2"))
			if c.board.score != 2 || c.board.writes != c.writes || c.board.lookups != c.looks {
				t.Errorf("%d wins after %d writes and %d looks, want 2, %d, %d",
					c.board.score, c.board.writes, c.board.lookups, c.writes, c.looks)
			}
		})
	}
}

func TestAResultThatNamesNothingIsWrittenAgain(t *testing.T) {
	board := &winsBoard{lose: map[int]bool{1: true}}
	writeWins(t, board, ranking(7))
	if board.score != 14 || board.lookups != 0 || board.metadata != "" {
		t.Errorf("score %d after %d looks, metadata %q", board.score, board.lookups, board.metadata)
	}
}
