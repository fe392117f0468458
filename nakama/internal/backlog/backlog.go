// Package backlog counts the inputs that a match has received and not yet delivered, and limits them (docs/decisions.md, E31).
package backlog

// Size is a number of inputs.
type Size struct {
	Inputs int
	Bytes  int // of the inputs' data
}

// Match is the maximum of one match. All bytes fit into one call, because gRPC servers accept messages of at most 4 MiB, and a
// larger call would block the match forever.
var Match = Size{Inputs: 1024, Bytes: 1 << 20}

// User is the maximum of one user, so that a flood of one user does not displace the inputs of others.
var User = Size{Inputs: 64, Bytes: 64 << 10}

// Backlog is the size of the inputs of a match. Its zero value is empty.
type Backlog struct {
	total  Size
	byUser map[string]Size // of users with inputs
}

// Admit counts an input of a user, with a number of bytes. It returns false and counts nothing if a limit is exceeded.
func (b *Backlog) Admit(user string, bytes int) bool {
	own := b.byUser[user]
	if !b.total.hasRoom(bytes, Match) || !own.hasRoom(bytes, User) {
		return false
	}
	if b.byUser == nil {
		b.byUser = make(map[string]Size)
	}
	b.total, b.byUser[user] = b.total.with(1, bytes), own.with(1, bytes)
	return true
}

// Release removes an input that was admitted.
func (b *Backlog) Release(user string, bytes int) {
	b.total = b.total.with(-1, -bytes)
	if b.byUser[user] = b.byUser[user].with(-1, -bytes); b.byUser[user].Inputs == 0 {
		delete(b.byUser, user)
	}
}

// Total returns the size of all inputs.
func (b *Backlog) Total() Size {
	return b.total
}

// Of returns the size of the inputs of a user.
func (b *Backlog) Of(user string) Size {
	return b.byUser[user]
}

func (s Size) hasRoom(bytes int, limit Size) bool {
	return s.Inputs < limit.Inputs && s.Bytes+bytes <= limit.Bytes
}

func (s Size) with(inputs, bytes int) Size {
	return Size{s.Inputs + inputs, s.Bytes + bytes}
}
