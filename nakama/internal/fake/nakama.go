package fake

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
)

// missing has the functions of Nakama's module without a fake; they panic.
type missing struct{ runtime.NakamaModule }

// Nakama is a fake of the functions of Nakama's module that the shim uses. All others panic. Set the exported fields before use.
type Nakama struct {
	missing
	*Metrics
	Handler     runtime.Match // of all matches
	UUIDs       bool          // match ids are UUIDs, as in Nakama
	CreateErr   error
	SignalErr   error
	ReadErr     error // of the storage
	Boards      []string
	Objects     map[string][]*api.StorageObject // by collection, sorted by key
	StoreScript func(attempt int, w *runtime.StorageWrite) error

	mu       sync.Mutex
	matches  []match
	cancels  []context.CancelFunc
	stored   []*runtime.StorageWrite
	deleted  []string
	notified []*runtime.NotificationSend
	signals  []string
	attempts int
}

// match is a match that MatchCreate has created.
type match struct {
	id    string
	state any
}

// NewNakama returns a fake without matches and data.
func NewNakama() *Nakama {
	return &Nakama{Metrics: NewMetrics(), Objects: make(map[string][]*api.StorageObject)}
}

// MatchCreate works like Nakama's: it calls MatchInit in the caller's goroutine and returns an error without its cause.
func (n *Nakama) MatchCreate(_ context.Context, _ string, params map[string]any) (string, error) {
	n.mu.Lock()
	id := fmt.Sprintf("match-%d.node", len(n.cancels))
	if n.UUIDs {
		id = uuid.Must(uuid.NewV4()).String() + ".node"
	}
	ctx, cancel := MatchContext(id)
	n.cancels = append(n.cancels, cancel)
	err := n.CreateErr
	n.mu.Unlock()
	if err != nil {
		return "", err
	}
	state, _, _ := n.Handler.MatchInit(ctx, &Logger{}, nil, n, params)
	if state == nil {
		return "", errors.New("error creating match: Match initial state must not be nil")
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	n.matches = append(n.matches, match{id, state})
	return id, nil
}

// MatchContext returns the context of the callbacks of a match.
func MatchContext(id string) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancel(context.Background())
	ctx = context.WithValue(ctx, runtime.RUNTIME_CTX_MATCH_ID, id) //nolint:staticcheck // Nakama's own keys are strings
	return context.WithValue(ctx, runtime.RUNTIME_CTX_MATCH_NODE, "node"), cancel
}

// StopMatches ends the contexts of all matches.
func (n *Nakama) StopMatches() {
	n.mu.Lock()
	defer n.mu.Unlock()
	for _, cancel := range n.cancels {
		cancel()
	}
}

// MatchSignal returns a fixed reply, except for a reservation signal to a match that it has created.
func (n *Nakama) MatchSignal(ctx context.Context, id, data string) (string, error) {
	n.mu.Lock()
	n.signals = append(n.signals, id+" "+data)
	var state any
	for _, created := range n.matches {
		if created.id == id && strings.HasPrefix(data, "set_reserve ") {
			state = created.state
		}
	}
	err := n.SignalErr
	n.mu.Unlock()
	if state == nil {
		return `{"ok":true}`, err
	}
	_, answer := n.Handler.MatchSignal(ctx, NewLogger(), nil, n, &Dispatcher{}, 0, state, data)
	return answer, err
}

// StreamUserGet reports every session as a member, as Nakama does from the answer to a join attempt until the leave.
func (n *Nakama) StreamUserGet(uint8, string, string, string, string, string) (runtime.PresenceMeta, error) {
	return NewPresence("member"), nil
}

// SentSignals returns the signals so far, each with its match id.
func (n *Nakama) SentSignals() []string {
	n.mu.Lock()
	defer n.mu.Unlock()
	return slices.Clone(n.signals)
}

// StorageWrite stores the objects, after the script.
func (n *Nakama) StorageWrite(
	_ context.Context, writes []*runtime.StorageWrite,
) ([]*api.StorageObjectAck, error) {
	if attempt := n.attempt(); n.StoreScript != nil {
		if err := n.StoreScript(attempt, writes[0]); err != nil {
			return nil, err
		}
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	n.stored = append(n.stored, writes...)
	return nil, nil
}

// LeaderboardRecordWrite does nothing.
func (n *Nakama) LeaderboardRecordWrite(
	context.Context, string, string, string, int64, int64, map[string]any, *int,
) (*api.LeaderboardRecord, error) {
	return nil, nil
}

// attempt returns the number of the write. Scripts run without the lock, so that a waiting script blocks no other call.
func (n *Nakama) attempt() int {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.attempts++
	return n.attempts
}

// LeaderboardCreate does nothing.
func (n *Nakama) LeaderboardCreate(
	context.Context, string, bool, string, string, string, map[string]any, bool,
) error {
	return nil
}

// LeaderboardList returns two leaderboards per page.
func (n *Nakama) LeaderboardList(_ int, cursor string) (*api.LeaderboardList, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	start, _ := strconv.Atoi(cursor)
	page := &api.LeaderboardList{}
	for _, id := range n.Boards[start:min(start+2, len(n.Boards))] {
		page.Leaderboards = append(page.Leaderboards, &api.Leaderboard{Id: id})
	}
	if start+2 < len(n.Boards) {
		page.Cursor = strconv.Itoa(start + 2)
	}
	return page, nil
}

// LeaderboardDelete stores the id.
func (n *Nakama) LeaderboardDelete(_ context.Context, id string) error {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.deleted = append(n.deleted, id)
	return nil
}

// StorageList returns the first objects of a collection.
func (n *Nakama) StorageList(
	_ context.Context, _, _, collection string, limit int, _ string,
) ([]*api.StorageObject, string, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	list := n.Objects[collection]
	return list[:min(limit, len(list))], "", n.ReadErr
}

// StorageRead returns the objects with the first key.
func (n *Nakama) StorageRead(_ context.Context, reads []*runtime.StorageRead) ([]*api.StorageObject, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	var found []*api.StorageObject
	for _, object := range n.Objects[reads[0].Collection] {
		if object.Key == reads[0].Key && object.UserId == reads[0].UserID {
			found = append(found, object)
		}
	}
	return found, n.ReadErr
}

// StorageDelete removes the objects and stores their keys.
func (n *Nakama) StorageDelete(_ context.Context, deletes []*runtime.StorageDelete) error {
	n.mu.Lock()
	defer n.mu.Unlock()
	for _, one := range deletes {
		n.deleted = append(n.deleted, one.Collection+"/"+one.Key)
		n.Objects[one.Collection] = slices.DeleteFunc(n.Objects[one.Collection], func(o *api.StorageObject) bool {
			return o.Key == one.Key
		})
	}
	return nil
}

// NotificationsSend stores the notifications.
func (n *Nakama) NotificationsSend(_ context.Context, list []*runtime.NotificationSend) error {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.notified = append(n.notified, list...)
	return nil
}

// Matches returns the states of the created matches.
func (n *Nakama) Matches() []any {
	n.mu.Lock()
	defer n.mu.Unlock()
	states := make([]any, 0, len(n.matches))
	for _, one := range n.matches {
		states = append(states, one.state)
	}
	return states
}

// Notified returns the notifications so far.
func (n *Nakama) Notified() []*runtime.NotificationSend {
	n.mu.Lock()
	defer n.mu.Unlock()
	return slices.Clone(n.notified)
}

// Deleted returns the ids of deleted leaderboards and the collections and keys of deleted objects.
func (n *Nakama) Deleted() []string {
	n.mu.Lock()
	defer n.mu.Unlock()
	return slices.Clone(n.deleted)
}

// Writes returns the objects that were written to the storage.
func (n *Nakama) Writes() []*runtime.StorageWrite {
	n.mu.Lock()
	defer n.mu.Unlock()
	return slices.Clone(n.stored)
}
