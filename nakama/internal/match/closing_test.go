package match

import (
	"encoding/json"
	"reflect"
	"testing"

	"github.com/heroiclabs/nakama-common/runtime"

	"setmatch/nakama/pb"
)

func TestMatchEndsAfterOutageOfFiveMinutes(t *testing.T) {
	r := newMatch(t)
	r.service.LoopReply(func(s *pb.Step) { s.Log = [][]byte{[]byte(`{"a":1}`), []byte(`2`)} })
	r.loop(r.input("ann", "x"))
	r.disconnect()
	r.loops(1)
	r.out.TakeActions()
	r.advance(299_900)
	if r.loop() == nil {
		t.Fatal("the match ended before five minutes had passed")
	}
	r.advance(100)
	if r.loop() != nil {
		t.Fatal("the match is still running")
	}
	wantActions(t, r, "paused to all", "closed to all")
	if open := r.shared.Open.Oldest("key", 1); len(open) > 0 {
		t.Errorf("%s is listed as open", open)
	}
	r.waitUntil("the rescue", func() bool { return len(r.nakama.Writes()) == 1 })
	wantRescue(t, r.nakama.Writes()[0])
}

func wantRescue(t *testing.T, w *runtime.StorageWrite) {
	t.Helper()
	where := []any{w.Collection, w.Key, w.UserID, w.PermissionRead, w.PermissionWrite, w.Version}
	if want := []any{"rescued", "20261129.match.node", "", 0, 0, ""}; !reflect.DeepEqual(where, want) {
		t.Errorf("written to %v, want %v", where, want)
	}
	var rescued struct {
		State  []byte
		Record []any
	}
	if err := json.Unmarshal([]byte(w.Value), &rescued); err != nil {
		t.Fatal(err)
	}
	if string(rescued.State) != "state 2" || len(rescued.Record) != 2 {
		t.Errorf("stored %s", w.Value)
	}
}
