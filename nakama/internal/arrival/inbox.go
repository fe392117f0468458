package arrival

import (
	"context"
	"sync"
	"time"

	"setmatch/nakama/internal/backlog"
)

// maxRefusals is the maximum of different op codes in the refusals of one connection between two drains.
const maxRefusals = 8

// Message is a message of a client to a match.
type Message struct {
	UserID    string
	SessionID string
	OpCode    int64
	Data      []byte
	Received  time.Time // when the hook received it; never decreases within an inbox, except at a join (see Inbox.Join)
}

// Refusal is the number of messages of one connection that exceeded a limit of the inbox since the last drain.
type Refusal struct {
	SessionID string
	OpCode    int64 // of the messages; the last one of a connection can include messages with further op codes
	Count     int
}

// Arrivals are the contents of a drained inbox: the messages in the order of their arrival, and the refusals.
type Arrivals struct {
	Messages []Message
	Refusals []Refusal
}

// Inbox keeps the messages to one match until the match drains them. The hook fills it from the goroutines of the sessions. The
// exported methods are for the goroutine of the match, in its callbacks.
//
// A session passes through Admit, Join and Leave. Between Admit and Join its messages are kept, because Nakama lets a session
// send after MatchJoinAttempt, possibly before MatchJoin. Messages before Admit or after Leave are dropped: Nakama's membership
// check passes none before Admit, and after Leave only one that was checked while the server closed the session.
type Inbox struct {
	config  Config
	ctx     context.Context // ends when the match stops
	id      string          // match id with the node
	subject string          // match id without the node
	node    string

	mu          sync.Mutex
	closed      bool
	connections map[string]*connection // by session id
	ready       []Message              // of connections that have joined
	refusing    []*connection          // connections that have joined and have refusals
	counts      backlog.Backlog        // of all messages
	wakeUp      wakeUp
	timer       wakeTimer
}

// connection is a session that was admitted to the match and has not left it.
type connection struct {
	joined   bool
	kept     []Message // until the join
	refusals []Refusal // since the last drain, at most maxRefusals
}

// Admit accepts messages of a session. MatchJoinAttempt must call it before it allows the session to join.
func (i *Inbox) Admit(sessionID string) {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.connect(sessionID)
}

// Join returns the arrivals after the joins of sessions, with the messages that were kept until then. These follow all messages
// of earlier drains, although they can have an earlier time of receipt. The inbox must be drained before, so that only messages
// after the join are in the result.
func (i *Inbox) Join(sessionIDs ...string) Arrivals {
	i.mu.Lock()
	defer i.mu.Unlock()
	for _, sessionID := range sessionIDs {
		if c := i.connect(sessionID); c != nil {
			i.release(c)
		}
	}
	return i.drain()
}

// Leave returns the arrivals before the leaves of sessions: all messages that the sessions have sent, and none of them will
// follow.
func (i *Inbox) Leave(sessionIDs ...string) Arrivals {
	i.mu.Lock()
	defer i.mu.Unlock()
	for _, sessionID := range sessionIDs {
		if c := i.connections[sessionID]; c != nil {
			i.release(c)
			delete(i.connections, sessionID)
		}
	}
	return i.drain()
}

// Drain returns the arrivals since the last drain, in any callback.
func (i *Inbox) Drain() Arrivals {
	i.mu.Lock()
	defer i.mu.Unlock()
	return i.drain()
}

// Woken returns the arrivals in the callback MatchSignal with the text WakeSignal.
func (i *Inbox) Woken() Arrivals {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.wakeUp = wakeUp{number: i.wakeUp.number + 1}
	return i.drain()
}

// connect returns the connection of a session, and creates it if necessary. It returns nil if the inbox is closed.
func (i *Inbox) connect(sessionID string) *connection {
	c := i.connections[sessionID]
	if c == nil && !i.closed {
		c = &connection{}
		i.connections[sessionID] = c
	}
	return c
}

// release makes the kept messages of a connection ready.
func (i *Inbox) release(c *connection) {
	i.ready = append(i.ready, c.kept...)
	if !c.joined && len(c.refusals) > 0 {
		i.refusing = append(i.refusing, c)
	}
	c.joined, c.kept = true, nil
}

func (i *Inbox) drain() Arrivals {
	arrivals := Arrivals{Messages: i.ready}
	for _, c := range i.refusing {
		arrivals.Refusals = append(arrivals.Refusals, c.refusals...)
		c.refusals = nil
	}
	for _, m := range i.ready {
		i.counts.Release(m.UserID, len(m.Data))
	}
	i.ready, i.refusing = nil, nil
	i.wakeUp.drained = i.config.Now()
	return arrivals
}

// add appends a message and wakes the match, or refuses the message if a limit is exceeded. The time of receipt is taken under
// the lock, so that its order is the order of the messages.
func (i *Inbox) add(m Message) {
	i.mu.Lock()
	defer i.mu.Unlock()
	c := i.connections[m.SessionID]
	if c == nil {
		return
	}
	m.Received = i.config.Now()
	switch {
	case !i.counts.Admit(m.UserID, len(m.Data)):
		i.refuse(c, m)
	case c.joined:
		i.ready = append(i.ready, m)
	default:
		c.kept = append(c.kept, m)
	}
	i.requestWakeUp()
}

// refuse counts a message that exceeded a limit.
func (i *Inbox) refuse(c *connection, m Message) {
	if c.joined && len(c.refusals) == 0 {
		i.refusing = append(i.refusing, c)
	}
	for n := range c.refusals {
		if c.refusals[n].OpCode == m.OpCode {
			c.refusals[n].Count++
			return
		}
	}
	if len(c.refusals) == maxRefusals {
		c.refusals[maxRefusals-1].Count++
		return
	}
	c.refusals = append(c.refusals, Refusal{SessionID: m.SessionID, OpCode: m.OpCode, Count: 1})
}

// close drops everything and stops the timers, because the match has stopped.
func (i *Inbox) close() {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.closed = true
	i.connections, i.ready, i.refusing, i.counts = nil, nil, nil, backlog.Backlog{}
	i.wakeUp.stop()
	i.timer.stop()
}
