package effects

import (
	"context"
	"fmt"
	"testing"

	"github.com/heroiclabs/nakama-common/api"
	"github.com/heroiclabs/nakama-common/runtime"

	"setmatch/nakama/pb"
)

// quotaBoard is a leaderboard that adds scores, with storage that accepts each key once.
type quotaBoard struct {
	*winsBoard
	objects map[string]string
	lose    map[int]bool // numbers of the storage writes whose response is lost
	stores  int
}

func (b *quotaBoard) StorageWrite(_ context.Context, writes []*runtime.StorageWrite) ([]*api.StorageObjectAck, error) {
	w := writes[0]
	b.stores++
	if _, exists := b.objects[w.Key]; exists {
		return nil, runtime.ErrStorageRejectedVersion
	}
	b.objects[w.Key] = w.Value
	if b.lose[b.stores] {
		return nil, errDatabase
	}
	return nil, nil
}

func (b *quotaBoard) StorageRead(_ context.Context, reads []*runtime.StorageRead) ([]*api.StorageObject, error) {
	return []*api.StorageObject{{Value: b.objects[reads[0].Key]}}, nil
}

func winWithQuota(game string) *pb.Effect {
	effect := winOf(game)
	effect.GetLeaderboardWrite().Quota = &pb.Quota{Collection: "pairs", Key: "20261130.ann.bob", Most: 3}
	return effect
}

func TestQuotaLimitsCountedWins(t *testing.T) {
	for name, c := range map[string]struct{ store, rank map[int]bool }{
		"no response is lost":                         {},
		"response of the first unit is lost":          {store: map[int]bool{1: true}},
		"response of the last unit is lost":           {store: map[int]bool{6: true}},
		"response of the first win is lost":           {rank: map[int]bool{1: true}},
		"responses of a unit and of its win are lost": {store: map[int]bool{1: true}, rank: map[int]bool{1: true}},
	} {
		t.Run(name, func(t *testing.T) {
			b := newTestWorker(t, "")
			board := &quotaBoard{winsBoard: &winsBoard{fakeSink: b.sink, lose: c.rank}, objects: map[string]string{}, lose: c.store}
			b.Worker.Sink = board
			for game := range 5 {
				b.add(winWithQuota(fmt.Sprint("m.", game)))
			}
			b.waitIdle()
			if board.score != 3 || len(board.objects) != 3 {
				t.Errorf("%d wins were counted, units %v", board.score, board.objects)
			}
		})
	}
}
