package match

import (
	"encoding/json"
	"strings"
	"testing"

	"google.golang.org/protobuf/proto"

	"setmatch/nakama/internal/fake"
	"setmatch/nakama/internal/rules"
	"setmatch/nakama/internal/text"
	"setmatch/nakama/pb"
)

// newFuzzMatch returns a match of the player ann without a service.
func newFuzzMatch(t *testing.T) (*matchState, *fake.Nakama, *fake.Dispatcher) {
	t.Helper()
	nakama := fake.NewNakama()
	s := New(nakama, fake.NewLogger(), highLimits())
	ctx, cancel := fake.MatchContext("match.node")
	t.Cleanup(cancel)
	m := s.emptyMatch(ctx, fake.NewLogger())
	m.service.state, m.service.label = []byte("before"), `{"before":1}`
	m.presences["ann"] = fake.NewPresence("ann")
	return m, nakama, &fake.Dispatcher{}
}

func marshal(message proto.Message) []byte {
	data, err := proto.Marshal(message)
	if err != nil {
		panic(err)
	}
	return data
}

// fullStep returns a step with all fields set.
func fullStep() *pb.Step {
	return &pb.Step{
		State: []byte("state"), Label: proto.String(`{"open":0}`), Kicks: []string{"ann"}, End: true, WakeAtMs: proto.Int64(5),
		Broadcasts: []*pb.Broadcast{
			{Message: fake.Notice("all"), Everyone: true}, {Message: fake.Notice("ann"), SessionIds: []string{"ann"}},
			{Message: fake.Notice("none")},
		},
		Log:       [][]byte{[]byte(`{"atMs":1}`)},
		NewRecord: true,
		Effects: []*pb.Effect{
			{Kind: &pb.Effect_StorageWrite{StorageWrite: &pb.StorageWrite{
				Collection: "set_matches", Key: "m.1", Value: []byte(`{"format":1}`), RecordField: "log", PermissionRead: 2,
			}}, ExpiresUnixMs: farFuture},
			{Kind: &pb.Effect_LeaderboardWrite{LeaderboardWrite: &pb.LeaderboardWrite{
				LeaderboardId: "set_wins", OwnerId: someUser, Score: 1, Operator: pb.Operator_OPERATOR_INCREMENT,
			}}, ExpiresUnixMs: farFuture},
		},
	}
}

// FuzzStep checks that every accepted step is applied completely.
func FuzzStep(f *testing.F) {
	f.Add(marshal(fullStep()))
	f.Add(marshal(&pb.Step{State: []byte("s"), Label: proto.String("[]")}))
	f.Add(marshal(&pb.Step{State: []byte("s"), Broadcasts: []*pb.Broadcast{{}}}))
	f.Add(marshal(&pb.Step{State: []byte("s"), Log: [][]byte{[]byte("}")}}))
	f.Add([]byte{})
	f.Fuzz(func(t *testing.T, data []byte) {
		step := &pb.Step{}
		if proto.Unmarshal(data, step) != nil || rules.CheckStep(step) != nil {
			return
		}
		m, nakama, out := newFuzzMatch(t)
		m.apply(step, out)
		wantApplied(t, m, step, out)
		wantValidEffects(t, m, nakama)
	})
}

func wantApplied(t *testing.T, m *matchState, step *pb.Step, out *fake.Dispatcher) {
	t.Helper()
	if string(m.service.state) != string(step.State) || m.ending.over != step.End || !rules.IsLabel(m.service.label) {
		t.Errorf("partly applied: state %q, over %t, label %q", m.service.state, m.ending.over, m.service.label)
	}
	toAll, everyone := 0, 0
	for _, actions := range out.TakeActions() {
		if strings.HasSuffix(actions, " to all") {
			toAll++
		}
	}
	for _, b := range step.Broadcasts {
		if b.Everyone || strings.HasSuffix(string(b.Message.Data), " to all") {
			everyone++
		}
	}
	if toAll > everyone {
		t.Errorf("%d messages were sent to all, want %d", toAll, everyone)
	}
}

func wantValidEffects(t *testing.T, m *matchState, nakama *fake.Nakama) {
	t.Helper()
	fake.WaitUntil(t, "the effects", m.shared.Effects.Idle)
	if !json.Valid(m.service.record.array()) {
		t.Errorf("the record is not JSON: %q", m.service.record.array())
	}
	for _, stored := range nakama.Writes() {
		if !json.Valid([]byte(stored.Value)) {
			t.Errorf("the stored value is not JSON: %q", stored.Value)
		}
	}
}

// FuzzInit checks that a match can be started with every accepted response.
func FuzzInit(f *testing.F) {
	f.Add(marshal((&fake.Service{}).InitReply(`{"open":1,"players":0,"seats":2,"key":"key"}`)))
	f.Add(marshal((&fake.Service{}).InitReply(`{"open":"1","players":-1,"seats":1e99,"key":7}`)))
	f.Add(marshal(&pb.MatchInitResponse{Step: fullStep(), TickRate: 61}))
	f.Fuzz(func(t *testing.T, data []byte) {
		reply := &pb.MatchInitResponse{}
		if proto.Unmarshal(data, reply) != nil || rules.CheckInit(reply) != nil {
			return
		}
		m, nakama, _ := newFuzzMatch(t)
		m.start(reply, Params{CreatorID: "ann", Expected: []User{{UserID: "ann"}}})
		wantValidEffects(t, m, nakama)
		if m.service.notices.GetOverflow() == nil || !rules.IsLabel(m.service.label) || m.service.rescueCollection == "" {
			t.Errorf("a match was started with an incomplete response: %v", reply)
		}
	})
}

// FuzzRecord checks that a record inserted into any object is JSON.
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
		written := record.insertInto(object, field)
		if !json.Valid(written) || len(record.lines) > 0 {
			t.Errorf("%q with %q in %q became %q", object, line, field, written)
		}
	})
}
