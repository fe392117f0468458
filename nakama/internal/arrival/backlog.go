package arrival

// matchLimit is the maximum of undrained messages in the inbox of one match.
var matchLimit = backlog{messages: 1024, bytes: 1 << 20}

// userLimit is the maximum of one user, so that a flood of one user does not displace the messages of others.
var userLimit = backlog{messages: 64, bytes: 64 << 10}

// backlog is a number of messages.
type backlog struct {
	messages int
	bytes    int // of the messages' data
}

// hasRoom reports whether a message can be added within a limit.
func (b backlog) hasRoom(m Message, limit backlog) bool {
	return b.messages < limit.messages && b.bytes+len(m.Data) <= limit.bytes
}

func (b backlog) with(m Message) backlog {
	return backlog{b.messages + 1, b.bytes + len(m.Data)}
}

func (b backlog) without(m Message) backlog {
	return backlog{b.messages - 1, b.bytes - len(m.Data)}
}

// backlogs counts the messages of an inbox.
type backlogs struct {
	total  backlog
	byUser map[string]backlog // of users with messages in the inbox
}

// admit counts a message if it exceeds no limit, and reports whether it was counted.
func (b *backlogs) admit(m Message) bool {
	own := b.byUser[m.UserID]
	if !b.total.hasRoom(m, matchLimit) || !own.hasRoom(m, userLimit) {
		return false
	}
	if b.byUser == nil {
		b.byUser = make(map[string]backlog)
	}
	b.total, b.byUser[m.UserID] = b.total.with(m), own.with(m)
	return true
}

// release removes messages from the counts.
func (b *backlogs) release(messages []Message) {
	for _, m := range messages {
		b.total = b.total.without(m)
		if b.byUser[m.UserID] = b.byUser[m.UserID].without(m); b.byUser[m.UserID].messages == 0 {
			delete(b.byUser, m.UserID)
		}
	}
}
