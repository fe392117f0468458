package main

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"google.golang.org/protobuf/proto"

	"setmatch/nakama/internal/text"
	"setmatch/nakama/pb"
)

// fuzzedMatch is a match that ann is in, with nothing around it that a reply could not reach.
func fuzzedMatch(t *testing.T) (*matchState, *fakeNakama, *fakeDispatcher) {
	t.Helper()
	nakama := newFakeNakama()
	s := newShim(nakama, newFakeLogger(), generous())
	ctx, cancel := matchContext("match.node")
	t.Cleanup(cancel)
	m := s.emptyMatch(ctx, newFakeLogger())
	m.state, m.label = []byte("before"), `{"before":1}`
	m.presences["ann"] = presence("ann")
	return m, nakama, &fakeDispatcher{}
}

func wire(message proto.Message) []byte {
	data, err := proto.Marshal(message)
	if err != nil {
		panic(err)
	}
	return data
}

// wholeStep uses every field of a step.
func wholeStep() *pb.Step {
	return &pb.Step{
		State: []byte("state"), Label: proto.String(`{"open":0}`), Kicks: []string{"ann"}, End: true, WakeAtMs: proto.Int64(5),
		Broadcasts: []*pb.Broadcast{
			{Message: notice("all"), Everyone: true}, {Message: notice("ann"), SessionIds: []string{"ann"}},
			{Message: notice("nobody")},
		},
		Log:       [][]byte{[]byte(`{"atMs":1}`)},
		NewRecord: true,
		Effects: []*pb.Effect{
			{Kind: &pb.Effect_StorageWrite{StorageWrite: &pb.StorageWrite{
				Collection: "set_matches", Key: "m.1", Value: []byte(`{"format":1}`), RecordField: "log", PermissionRead: 2,
			}}, ExpiresUnixMs: farAway},
			{Kind: &pb.Effect_LeaderboardWrite{LeaderboardWrite: &pb.LeaderboardWrite{
				LeaderboardId: "set_wins", OwnerId: someUser, Score: 1, Operator: pb.Operator_OPERATOR_INCREMENT,
			}}, ExpiresUnixMs: farAway},
		},
	}
}

// FuzzStep applies any step that the shim accepts, and wants what it does to be whole.
func FuzzStep(f *testing.F) {
	f.Add(wire(wholeStep()))
	f.Add(wire(&pb.Step{State: []byte("s"), Label: proto.String("[]")}))
	f.Add(wire(&pb.Step{State: []byte("s"), Broadcasts: []*pb.Broadcast{{}}}))
	f.Add(wire(&pb.Step{State: []byte("s"), Log: [][]byte{[]byte("}")}}))
	f.Add([]byte{})
	f.Fuzz(func(t *testing.T, data []byte) {
		step := &pb.Step{}
		if proto.Unmarshal(data, step) != nil || checkStep(step) != nil {
			return
		}
		m, nakama, out := fuzzedMatch(t)
		m.apply(step, out)
		wantWhole(t, m, step, out)
		wantEffectsWhole(t, m, nakama)
	})
}

func wantWhole(t *testing.T, m *matchState, step *pb.Step, out *fakeDispatcher) {
	t.Helper()
	if string(m.state) != string(step.State) || m.over != step.End || !isLabel(m.label) {
		t.Errorf("applied half: state %q, over %t, label %q", m.state, m.over, m.label)
	}
	toAll, everyone := 0, 0
	for _, did := range out.did {
		if strings.HasSuffix(did, " to all") {
			toAll++
		}
	}
	for _, b := range step.Broadcasts {
		if b.Everyone || strings.HasSuffix(string(b.Message.Data), " to all") {
			everyone++
		}
	}
	if toAll > everyone {
		t.Errorf("%d messages went to all, %d were meant to", toAll, everyone)
	}
}

func wantEffectsWhole(t *testing.T, m *matchState, nakama *fakeNakama) {
	t.Helper()
	for end := time.Now().Add(hung); !m.shim.effects.Idle(); time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("the effects never end")
		}
	}
	if !json.Valid(m.record.array()) {
		t.Errorf("the record is no JSON: %q", m.record.array())
	}
	nakama.mu.Lock()
	defer nakama.mu.Unlock()
	for _, stored := range nakama.stored {
		if !json.Valid([]byte(stored.Value)) {
			t.Errorf("stored what is no JSON: %q", stored.Value)
		}
	}
}

// FuzzInit starts a match from any reply that the shim accepts.
func FuzzInit(f *testing.F) {
	f.Add(wire((&fakeService{}).initReply(`{"open":1,"players":0,"seats":2,"key":"key"}`)))
	f.Add(wire((&fakeService{}).initReply(`{"open":"1","players":-1,"seats":1e99,"key":7}`)))
	f.Add(wire(&pb.MatchInitResponse{Step: wholeStep(), TickRate: 61}))
	f.Fuzz(func(t *testing.T, data []byte) {
		reply := &pb.MatchInitResponse{}
		if proto.Unmarshal(data, reply) != nil || checkInit(reply) != nil {
			return
		}
		m, nakama, _ := fuzzedMatch(t)
		m.start(reply, creationParams{creatorID: "ann", expected: []expectedUser{{UserID: "ann"}}})
		wantEffectsWhole(t, m, nakama)
		if m.notices.GetOverflow() == nil || !isLabel(m.label) || m.rescueCollection == "" {
			t.Errorf("a match began without what it needs: %v", reply)
		}
	})
}

// FuzzRecord puts any lines into any object, and wants JSON that holds both.
func FuzzRecord(f *testing.F) {
	f.Add([]byte(`{"a":1}`), []byte(`{"b":2}`), "log")
	f.Add([]byte(` { } `), []byte(`"x"`), "l\"og")
	f.Add([]byte(`{"log":[]}`), []byte(`{}`), "log")
	f.Fuzz(func(t *testing.T, object, line []byte, field string) {
		if !text.IsObject(object) || !json.Valid(line) {
			return
		}
		record := matchRecord{}
		record.add([][]byte{line, line})
		written := record.into(object, field)
		if !json.Valid(written) || len(record.lines) > 0 {
			t.Errorf("%q with %q in %q became %q", object, line, field, written)
		}
	})
}

// FuzzPayload sends anything to the calls of the lobby: they answer or refuse, and never panic.
func FuzzPayload(f *testing.F) {
	for _, payload := range []string{``, `{}`, `[]`, `{"maxPlayers":3}`, `{"matchId":"m.node","cmd":"close"}`, "\xff", `{"matchId":7}`} {
		f.Add(payload)
	}
	f.Fuzz(func(t *testing.T, payload string) {
		s := newShim(newFakeNakama(), newFakeLogger(), generous())
		if err := checkPayload(payload); err == nil && payload != "" && !text.IsObject([]byte(payload)) {
			t.Errorf("%q was taken for an object", payload)
		}
		l := &lobbyCalls{shim: s}
		answer, err := l.signal(context.Background(), newFakeLogger(), nil, newFakeNakama(), payload)
		if err == nil && !json.Valid([]byte(answer)) {
			t.Errorf("%q was answered with %q", payload, answer)
		}
		if s.meters.nk.(*fakeNakama).counters[recoveredPanics] > 0 {
			t.Errorf("%q made it panic", payload)
		}
		_, _ = expectedUsers(payload)
	})
}
