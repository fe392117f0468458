package effects

import (
	"context"
	"encoding/json"
	"fmt"
	"testing"

	"github.com/heroiclabs/nakama-common/api"

	"setmatch/nakama/pb"
)

// winsBoard is a leaderboard that adds scores, as Nakama's does. Writes and responses can be lost.
type winsBoard struct {
	*fakeSink
	score    int64
	metadata string
	writes   int
	lose     map[int]bool // numbers of the writes whose response is lost
	drop     map[int]bool // numbers of the writes that are lost
	reads    int
	readErr  error // of the next read
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
		text, _ := json.MarshalIndent(metadata, "", " ") // the database changes the formatting
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
	b.reads++
	if err := b.readErr; err != nil {
		b.readErr = nil
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

// writeWins writes wins of one user to the board.
func writeWins(t *testing.T, board *winsBoard, wins ...*pb.Effect) {
	t.Helper()
	b := newTestWorker(t, "")
	board.fakeSink = b.sink
	b.Worker.Sink = board
	b.add(wins...)
	b.waitIdle()
}

func TestWinCountsOnceAfterLostWritesOrResponses(t *testing.T) {
	for name, c := range map[string]struct {
		board  *winsBoard
		writes int
	}{
		"nothing is lost":                {&winsBoard{}, 2},
		"the first response":             {&winsBoard{lose: map[int]bool{1: true}}, 2},
		"the second response":            {&winsBoard{lose: map[int]bool{2: true}}, 2},
		"the first write":                {&winsBoard{drop: map[int]bool{1: true}}, 3},
		"the second write":               {&winsBoard{drop: map[int]bool{2: true}}, 3},
		"the response and the next read": {&winsBoard{lose: map[int]bool{1: true}, readErr: errDatabase}, 2},
		"the write, then the response":   {&winsBoard{drop: map[int]bool{1: true}, lose: map[int]bool{2: true}}, 3},
	} {
		t.Run(name, func(t *testing.T) {
			writeWins(t, c.board, winOf("m.1"), winOf("m.1"), winOf("m.2"))
			if c.board.score != 2 || c.board.writes != c.writes {
				t.Errorf("%d wins after %d writes, want 2 after %d", c.board.score, c.board.writes, c.writes)
			}
		})
	}
}

func TestResultWithoutMetadataIsWrittenTwice(t *testing.T) {
	board := &winsBoard{lose: map[int]bool{1: true}}
	writeWins(t, board, ranking("wins", 7))
	if board.score != 14 || board.reads != 0 || board.metadata != "" {
		t.Errorf("score %d after %d reads, metadata %q", board.score, board.reads, board.metadata)
	}
}

func TestWinCountsOnceAfterOtherWins(t *testing.T) {
	wins := []*pb.Effect{winOf("m.0")}
	for game := range maxEarlier {
		wins = append(wins, winOf(fmt.Sprintf("m.%d", game+1)))
	}
	board := &winsBoard{}
	writeWins(t, board, append(wins, wins...)...)
	if board.score != int64(len(wins)) {
		t.Errorf("%d wins, want %d", board.score, len(wins))
	}
	if len(board.metadata) > 4<<10 {
		t.Errorf("the metadata has %d bytes", len(board.metadata))
	}
}
