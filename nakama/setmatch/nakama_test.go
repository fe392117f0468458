package setmatch

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/gofrs/uuid/v5"
	"github.com/heroiclabs/nakama-common/api"
	"github.com/heroiclabs/nakama-common/runtime"

	"setmatch/nakama/internal/fake"
)

// missing has the functions of Nakama's module without a fake; they panic.
type missing struct{ runtime.NakamaModule }

// fakeNakama is a fake of the functions of Nakama's module that the shim uses. All others panic.
type fakeNakama struct {
	missing
	*fake.Metrics
	adapter runtime.Match

	mu          sync.Mutex
	uuids       bool // match ids are UUIDs, as in Nakama
	created     []*matchState
	createErr   error
	cancels     []context.CancelFunc
	stored      []*runtime.StorageWrite
	ranked      []string
	boards      []string
	objects     map[string][]*api.StorageObject // by collection, sorted by key
	readErr     error
	deleted     []string
	notified    []*runtime.NotificationSend
	signals     []string
	signalErr   error
	storeScript func(attempt int, w *runtime.StorageWrite) error
	rankScript  func(attempt int) error
	attempts    int
}

func newFakeNakama() *fakeNakama {
	return &fakeNakama{
		Metrics: fake.NewMetrics(), objects: make(map[string][]*api.StorageObject),
	}
}

// MatchCreate works like Nakama's: it calls MatchInit in the caller's goroutine and returns an error without its cause.
func (n *fakeNakama) MatchCreate(_ context.Context, _ string, params map[string]any) (string, error) {
	n.mu.Lock()
	id := fmt.Sprintf("match-%d.node", len(n.cancels))
	if n.uuids {
		id = uuid.Must(uuid.NewV4()).String() + ".node"
	}
	ctx, cancel := matchContext(id)
	n.cancels = append(n.cancels, cancel)
	err := n.createErr
	n.mu.Unlock()
	if err != nil {
		return "", err
	}
	state, _, _ := n.adapter.MatchInit(ctx, &fake.Logger{}, nil, n, params)
	if state == nil {
		return "", errors.New("error creating match: Match initial state must not be nil")
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	n.created = append(n.created, state.(*matchState))
	return id, nil
}

func matchContext(id string) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancel(context.Background())
	ctx = context.WithValue(ctx, runtime.RUNTIME_CTX_MATCH_ID, id) //nolint:staticcheck // Nakama's own keys are strings
	return context.WithValue(ctx, runtime.RUNTIME_CTX_MATCH_NODE, "node"), cancel
}

func (n *fakeNakama) stopMatches() {
	n.mu.Lock()
	defer n.mu.Unlock()
	for _, cancel := range n.cancels {
		cancel()
	}
}

// MatchSignal returns a fixed reply, except for a reservation signal to a match that it has created.
func (n *fakeNakama) MatchSignal(ctx context.Context, id, data string) (string, error) {
	n.mu.Lock()
	n.signals = append(n.signals, id+" "+data)
	var match *matchState
	for _, created := range n.created {
		if created.id == id && strings.HasPrefix(data, reserveCommand) {
			match = created
		}
	}
	err := n.signalErr
	n.mu.Unlock()
	if match == nil {
		return `{"ok":true}`, err
	}
	_, answer := n.adapter.MatchSignal(ctx, fake.NewLogger(), nil, n, &fakeDispatcher{}, 0, match, data)
	return answer, err
}

// StreamUserGet reports every session as a member, as Nakama does from the answer to a join attempt until the leave.
func (n *fakeNakama) StreamUserGet(uint8, string, string, string, string, string) (runtime.PresenceMeta, error) {
	return presence("member"), nil
}

// sentSignals returns the signals so far, each with its match id.
func (n *fakeNakama) sentSignals() []string {
	n.mu.Lock()
	defer n.mu.Unlock()
	return slices.Clone(n.signals)
}

func (n *fakeNakama) StorageWrite(
	_ context.Context, writes []*runtime.StorageWrite,
) ([]*api.StorageObjectAck, error) {
	if attempt := n.attempt(); n.storeScript != nil {
		if err := n.storeScript(attempt, writes[0]); err != nil {
			return nil, err
		}
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	n.stored = append(n.stored, writes...)
	return nil, nil
}

func (n *fakeNakama) LeaderboardRecordWrite(
	_ context.Context, id, owner, _ string, score, _ int64, _ map[string]any, _ *int,
) (*api.LeaderboardRecord, error) {
	if attempt := n.attempt(); n.rankScript != nil {
		if err := n.rankScript(attempt); err != nil {
			return nil, err
		}
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	n.ranked = append(n.ranked, fmt.Sprintf("%s %s %d", id, owner, score))
	return nil, nil
}

// attempt returns the number of the write. Scripts run without the lock, so that a waiting script blocks no other call.
func (n *fakeNakama) attempt() int {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.attempts++
	return n.attempts
}

func (n *fakeNakama) LeaderboardCreate(
	context.Context, string, bool, string, string, string, map[string]any, bool,
) error {
	return nil
}

// LeaderboardList returns two leaderboards per page.
func (n *fakeNakama) LeaderboardList(_ int, cursor string) (*api.LeaderboardList, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	start, _ := strconv.Atoi(cursor)
	page := &api.LeaderboardList{}
	for _, id := range n.boards[start:min(start+2, len(n.boards))] {
		page.Leaderboards = append(page.Leaderboards, &api.Leaderboard{Id: id})
	}
	if start+2 < len(n.boards) {
		page.Cursor = strconv.Itoa(start + 2)
	}
	return page, nil
}

func (n *fakeNakama) LeaderboardDelete(_ context.Context, id string) error {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.deleted = append(n.deleted, id)
	return nil
}

func (n *fakeNakama) StorageList(
	_ context.Context, _, _, collection string, limit int, _ string,
) ([]*api.StorageObject, string, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	list := n.objects[collection]
	return list[:min(limit, len(list))], "", n.readErr
}

func (n *fakeNakama) StorageRead(_ context.Context, reads []*runtime.StorageRead) ([]*api.StorageObject, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	var found []*api.StorageObject
	for _, object := range n.objects[reads[0].Collection] {
		if object.Key == reads[0].Key && object.UserId == reads[0].UserID {
			found = append(found, object)
		}
	}
	return found, n.readErr
}

func (n *fakeNakama) StorageDelete(_ context.Context, deletes []*runtime.StorageDelete) error {
	n.mu.Lock()
	defer n.mu.Unlock()
	for _, one := range deletes {
		n.deleted = append(n.deleted, one.Collection+"/"+one.Key)
		n.objects[one.Collection] = slices.DeleteFunc(n.objects[one.Collection], func(o *api.StorageObject) bool {
			return o.Key == one.Key
		})
	}
	return nil
}

func (n *fakeNakama) NotificationsSend(_ context.Context, list []*runtime.NotificationSend) error {
	n.notified = append(n.notified, list...)
	return nil
}

func (n *fakeNakama) writes() []*runtime.StorageWrite {
	n.mu.Lock()
	defer n.mu.Unlock()
	return slices.Clone(n.stored)
}

func (n *fakeNakama) ranks() []string {
	n.mu.Lock()
	defer n.mu.Unlock()
	return slices.Clone(n.ranked)
}
