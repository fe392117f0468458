package arrival

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/heroiclabs/nakama-common/rtapi"
	"github.com/heroiclabs/nakama-common/runtime"
)

const (
	matchUUID = "0b4a8e4c-6c4d-4d57-9a43-0a3f6f0a1d55"
	matchID   = matchUUID + ".node1"
)

// fakeNakama stores the members of a match and counts signals. Its signal function is Nakama's MatchSignal.
type fakeNakama struct {
	mu      sync.Mutex
	members map[string]bool // by session id
	signals int
	signal  func(ctx context.Context) error
}

func (n *fakeNakama) StreamUserGet(
	mode uint8, subject, subcontext, label, userID, sessionID string,
) (runtime.PresenceMeta, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if sessionID == "panic" {
		panic("secret")
	}
	if mode != 6 || subject != matchUUID || subcontext != "" || label != "node1" || userID == "" || !n.members[sessionID] {
		return nil, nil
	}
	return meta{}, nil
}

func (n *fakeNakama) MatchSignal(ctx context.Context, id, data string) (string, error) {
	if id != matchID || data != WakeSignal {
		return "", errors.New("wrong signal")
	}
	n.mu.Lock()
	n.signals++
	signal := n.signal
	n.mu.Unlock()
	return "", signal(ctx)
}

func (n *fakeNakama) setMember(session string, member bool) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.members[session] = member
}

type meta struct{ runtime.PresenceMeta }

// fixture is a match with an inbox. By default the match collects its arrivals in each signal.
type fixture struct {
	t        *testing.T
	nakama   *fakeNakama
	registry *Registry
	inbox    *Inbox
	stop     context.CancelFunc // stops the match
	panics   []any
	arrived  Arrivals
	woken    []time.Duration // times of the handled signals since the start
	start    time.Time
}

// run runs a test in a bubble in which time passes only while all goroutines wait, so that times and counts are exact.
func run(t *testing.T, test func(t *testing.T, f *fixture)) {
	synctest.Test(t, func(t *testing.T) { test(t, newFixture(t)) })
}

// pass advances the time, and waits until all goroutines are blocked.
func pass(d time.Duration) {
	time.Sleep(d)
	synctest.Wait()
}

func newFixture(t *testing.T) *fixture {
	f := &fixture{t: t, nakama: &fakeNakama{members: make(map[string]bool)}, start: time.Now()}
	f.nakama.signal = func(context.Context) error {
		f.collect(f.inbox.Woken())
		f.woken = append(f.woken, time.Since(f.start))
		return nil
	}
	f.registry = New(Config{Nakama: f.nakama, Now: time.Now, Panicked: func(value any) { f.panics = append(f.panics, value) }})
	ctx, stop := context.WithCancel(context.Background())
	f.stop = stop
	t.Cleanup(stop)
	inbox, err := f.registry.Open(ctx, matchID)
	if err != nil {
		t.Fatal(err)
	}
	f.inbox = inbox
	return f
}

func (f *fixture) collect(a Arrivals) {
	f.arrived.Messages = append(f.arrived.Messages, a.Messages...)
	f.arrived.Refusals = append(f.arrived.Refusals, a.Refusals...)
}

// admit lets a session send, before its MatchJoin.
func (f *fixture) admit(session string) {
	f.inbox.Admit(session)
	f.nakama.setMember(session, true)
}

func (f *fixture) join(session string) {
	f.admit(session)
	f.inbox.Join(session)
}

// send sends a message of the user with the name of the session through the hook.
func (f *fixture) send(session string, opCode int64, data string) {
	f.t.Helper()
	in := envelope(matchID, opCode, data)
	out, err := f.registry.Hook(caller(session, session), nil, nil, nil, in)
	if err != nil || out.GetMatchDataSend().GetMatchId() != noMatch {
		f.t.Fatalf("hook returned %v, %v", out, err)
	}
}

func caller(user, session string) context.Context {
	ctx := context.WithValue(context.Background(), runtime.RUNTIME_CTX_USER_ID, user)
	return context.WithValue(ctx, runtime.RUNTIME_CTX_SESSION_ID, session)
}

func envelope(id string, opCode int64, data string) *rtapi.Envelope {
	return &rtapi.Envelope{Message: &rtapi.Envelope_MatchDataSend{MatchDataSend: &rtapi.MatchDataSend{
		MatchId: id, OpCode: opCode, Data: []byte(data), Reliable: true,
	}}}
}

// wantMessages checks senders and data of messages, as "session:data".
func wantMessages(t *testing.T, messages []Message, want ...string) {
	t.Helper()
	var got []string
	for _, m := range messages {
		got = append(got, m.SessionID+":"+string(m.Data))
	}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("messages are %v, want %v", got, want)
	}
}

func wantCount(t *testing.T, what string, got, want int) {
	t.Helper()
	if got != want {
		t.Errorf("%s: %d, want %d", what, got, want)
	}
}
