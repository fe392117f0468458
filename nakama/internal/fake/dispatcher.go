package fake

import (
	"errors"
	"fmt"

	"github.com/heroiclabs/nakama-common/runtime"
)

// Presence is a connection of a user. Its session id is its name.
type Presence struct {
	Reason runtime.PresenceReason // of a leave
	name   string
}

// NewPresence returns the connection of a name.
func NewPresence(name string) *Presence { return &Presence{name: name} }

// Presences returns the connections of names.
func Presences(names []string) []runtime.Presence {
	list := make([]runtime.Presence, 0, len(names))
	for _, name := range names {
		list = append(list, NewPresence(name))
	}
	return list
}

func (p *Presence) GetHidden() bool                   { return false }
func (p *Presence) GetPersistence() bool              { return false }
func (p *Presence) GetUsername() string               { return "name of " + p.name }
func (p *Presence) GetStatus() string                 { return "" }
func (p *Presence) GetReason() runtime.PresenceReason { return p.Reason }
func (p *Presence) GetUserId() string                 { return "user of " + p.name }
func (p *Presence) GetSessionId() string              { return p.name }
func (p *Presence) GetNodeId() string                 { return "node" }

// Input is a message of a player with op code 1.
type Input struct {
	*Presence
	ReceivedUnixMs int64
	data           string
}

// NewInput returns a message of the connection of a name, with its time of receipt in milliseconds since 1970.
func NewInput(name, data string, receivedUnixMs int64) *Input {
	return &Input{NewPresence(name), receivedUnixMs, data}
}

func (i *Input) GetOpCode() int64      { return 1 }
func (i *Input) GetData() []byte       { return []byte(i.data) }
func (i *Input) GetReliable() bool     { return true }
func (i *Input) GetReceiveTime() int64 { return i.ReceivedUnixMs }

// Dispatcher stores the actions of a match in order: broadcasts, labels and kicks.
type Dispatcher struct {
	Broken  bool // all actions fail
	Panics  bool // BroadcastMessage panics
	actions []string
}

// BroadcastMessage stores a message and its targets.
func (d *Dispatcher) BroadcastMessage(
	op int64, data []byte, targets []runtime.Presence, sender runtime.Presence, reliable bool,
) error {
	if d.Panics {
		panic("scripted")
	}
	if !reliable || sender != nil {
		return errors.New("unexpected arguments")
	}
	return d.do(fmt.Sprintf("%s to %s", data, audience(targets)))
}

// BroadcastMessageDeferred fails: the shim does not use it.
func (d *Dispatcher) BroadcastMessageDeferred(int64, []byte, []runtime.Presence, runtime.Presence, bool) error {
	return errors.New("unexpected arguments")
}

// MatchKick stores the removal of connections.
func (d *Dispatcher) MatchKick(targets []runtime.Presence) error {
	return d.do("kick " + audience(targets))
}

// MatchLabelUpdate stores a label.
func (d *Dispatcher) MatchLabelUpdate(label string) error {
	return d.do("label " + label)
}

func (d *Dispatcher) do(what string) error {
	if d.Broken {
		return errors.New("scripted")
	}
	d.actions = append(d.actions, what)
	return nil
}

func audience(targets []runtime.Presence) string {
	if targets == nil {
		return "all"
	}
	names := []string{}
	for _, target := range targets {
		names = append(names, target.GetSessionId())
	}
	return fmt.Sprint(names)
}

// TakeActions returns the actions since the last call.
func (d *Dispatcher) TakeActions() []string {
	actions := d.actions
	d.actions = nil
	if actions == nil {
		return []string{}
	}
	return actions
}
