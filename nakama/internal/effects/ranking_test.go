package effects

import (
	"context"
	"encoding/json"
	"testing"

	"github.com/heroiclabs/nakama-common/api"

	"setmatch/nakama/pb"
)

// winsBoard is a leaderboard that adds up, as Nakama's does, whose answers can be lost.
type winsBoard struct {
	*fakeSink
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
	if id != "wins" || len(owners) != 1 || owners[0] != ann || limit != 0 || b.score == 0 {
		return nil, nil, "", "", nil
	}
	return nil, []*api.LeaderboardRecord{{Score: b.score, Metadata: b.metadata}}, "", "", nil
}

func winOf(game string) *pb.Effect {
	effect := ranking("wins", 1)
	effect.GetLeaderboardWrite().Metadata = []byte(`{"game": "` + game + `"}`)
	return effect
}

// writeWins lets a worker write wins of one user to the board.
func writeWins(t *testing.T, board *winsBoard, wins ...*pb.Effect) {
	t.Helper()
	b := newTestWorker(t, "")
	board.fakeSink = b.sink
	b.Worker.Sink = board
	b.add(wins...)
	b.finish()
}

func TestAWinCountsOnceWhateverIsLostOfItsWriting(t *testing.T) {
	for name, c := range map[string]struct {
		board  *winsBoard
		writes int
	}{
		"nothing":                       {&winsBoard{}, 2},
		"the first answer":              {&winsBoard{lose: map[int]bool{1: true}}, 2},
		"the second answer":             {&winsBoard{lose: map[int]bool{2: true}}, 2},
		"the write":                     {&winsBoard{drop: map[int]bool{1: true}}, 3},
		"the write of the second":       {&winsBoard{drop: map[int]bool{2: true}}, 3},
		"the answer, then the look too": {&winsBoard{lose: map[int]bool{1: true}, lookErr: errDatabase}, 2},
		"the write, then the answer":    {&winsBoard{drop: map[int]bool{1: true}, lose: map[int]bool{2: true}}, 3},
	} {
		t.Run(name, func(t *testing.T) {
			writeWins(t, c.board, winOf("m.1"), winOf("m.1"), winOf("m.2"))
			if c.board.score != 2 || c.board.writes != c.writes {
				t.Errorf("%d wins after %d writes, want 2 after %d", c.board.score, c.board.writes, c.writes)
			}
		})
	}
}

func TestAResultThatNamesNothingIsWrittenAgain(t *testing.T) {
	board := &winsBoard{lose: map[int]bool{1: true}}
	writeWins(t, board, ranking("wins", 7))
	if board.score != 14 || board.lookups != 0 || board.metadata != "" {
		t.Errorf("score %d after %d looks, metadata %q", board.score, board.lookups, board.metadata)
	}
}
