package match

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"google.golang.org/protobuf/proto"

	"setmatch/nakama/internal/fake"
	"setmatch/nakama/internal/rules"
	"setmatch/nakama/internal/telemetry"
	"setmatch/nakama/pb"
)

const someUser = "11111111-2222-3333-4444-555555555555"

// farFuture is the expiry of effects in tests, in milliseconds since 1970: in the year 2286.
const farFuture = 9_999_999_999_999

func withWrite(change func(*pb.StorageWrite)) func(*pb.Step) {
	w := &pb.StorageWrite{Collection: "c", Key: "k", Value: []byte("{}")}
	change(w)
	effect := &pb.Effect{Kind: &pb.Effect_StorageWrite{StorageWrite: w}, ExpiresUnixMs: farFuture}
	return func(s *pb.Step) { s.Effects = []*pb.Effect{effect} }
}

func withBroadcast(b *pb.Broadcast) func(*pb.Step) {
	return func(s *pb.Step) { s.Broadcasts = []*pb.Broadcast{b} }
}

var malformedSteps = map[string]func(*pb.Step){
	"empty state":                 func(s *pb.Step) { s.State = nil },
	"label too long":              func(s *pb.Step) { s.Label = proto.String(`{"a":"` + strings.Repeat("x", 2041) + `"}`) },
	"label not JSON":              func(s *pb.Step) { s.Label = proto.String("{") },
	"label not an object":         func(s *pb.Step) { s.Label = proto.String("[1]") },
	"label empty":                 func(s *pb.Step) { s.Label = proto.String("") },
	"broadcast without a message": withBroadcast(&pb.Broadcast{Everyone: true}),
	"broadcast to all and some": withBroadcast(&pb.Broadcast{
		Message: &pb.Message{}, Everyone: true, SessionIds: []string{"ann"},
	}),
	"log line not JSON": func(s *pb.Step) { s.Log = [][]byte{[]byte("1"), []byte("{")} },
	"log line empty":    func(s *pb.Step) { s.Log = [][]byte{{}} },
	"log line with NUL": func(s *pb.Step) { s.Log = [][]byte{[]byte(`{"claimId":"a\u0000b"}`)} },
}

//proves:thread 10
func TestMalformedResponseIsNotAppliedAtAll(t *testing.T) {
	r := newMatch(t)
	r.join("ann")
	for name, corrupt := range malformedSteps {
		r.loops(60)
		r.out.TakeActions()
		before := string(r.match.service.state)
		r.service.LoopReply(func(s *pb.Step) {
			s.Broadcasts = []*pb.Broadcast{{Message: fake.Notice("partial"), Everyone: true}}
			s.Label, s.Kicks, s.End = proto.String(`{"partial":1}`), []string{"ann"}, true
			s.WakeAtMs = proto.Int64(0)
			corrupt(s)
		})
		r.loop(r.input("ann", name))
		wantActions(t, r)
		if string(r.match.service.state) != before || r.match.ending.over || r.match.service.wakeAtMs != nil || len(r.match.service.record.lines) > 0 {
			t.Errorf("%s: part of it was applied", name)
		}
		if r.match.queue.size() != 1 {
			t.Errorf("%s: the input is not queued for a retry", name)
		}
		r.service.Reset()
	}
	if got := r.nakama.Counter(telemetry.MalformedReplies); got != int64(len(malformedSteps)) {
		t.Errorf("%d malformed replies counted, want %d", got, len(malformedSteps))
	}
}

func TestOnlyUnwritableEffectIsSetAside(t *testing.T) {
	r := newMatch(t)
	r.join("ann")
	r.service.LoopReply(func(s *pb.Step) {
		withWrite(func(w *pb.StorageWrite) { w.Value = []byte(`{"a":"\u0000"}`) })(s)
		s.Broadcasts = []*pb.Broadcast{{Message: fake.Notice("complete"), Everyone: true}}
	})
	r.loop(r.input("ann", "x"))
	wantActions(t, r, "complete to all")
	if got := r.nakama.Counter("set_aside_effects reason=rejected"); got != 1 {
		t.Errorf("%d effects set aside, want 1", got)
	}
}

func TestResponseWithoutStepIsMalformed(t *testing.T) {
	r := newMatch(t)
	r.service.Handle("MatchLoop", func(context.Context, any) (any, error) { return &pb.MatchLoopResponse{}, nil })
	r.service.Handle("MatchJoinAttempt", func(context.Context, any) (any, error) {
		return &pb.MatchJoinAttemptResponse{Allow: true}, nil
	})
	if _, allow, _ := r.attempt("ann"); allow {
		t.Error("an attempt was allowed without a step")
	}
	r.loop(r.input("ann", "x"))
	if got := r.nakama.Counter(telemetry.MalformedReplies); got != 2 {
		t.Errorf("%d malformed replies counted, want 2", got)
	}
}

func TestMalformedInitResponseCreatesNoMatch(t *testing.T) {
	cases := map[string]func(*pb.MatchInitResponse){
		"no step":            func(m *pb.MatchInitResponse) { m.Step = nil },
		"no label":           func(m *pb.MatchInitResponse) { m.Step.Label = nil },
		"empty state":        func(m *pb.MatchInitResponse) { m.Step.State = nil },
		"tick rate 0":        func(m *pb.MatchInitResponse) { m.TickRate = 0 },
		"tick rate 61":       func(m *pb.MatchInitResponse) { m.TickRate = 61 },
		"no notices":         func(m *pb.MatchInitResponse) { m.Notices = nil },
		"a notice missing":   func(m *pb.MatchInitResponse) { delete(m.Notices.Overflow, rules.OtherOpCode) },
		"no rescue":          func(m *pb.MatchInitResponse) { m.RescueCollection = "" },
		"rescue name length": func(m *pb.MatchInitResponse) { m.RescueCollection = strings.Repeat("r", 129) },
	}
	r := newFixture(t)
	for name, corrupt := range cases {
		r.service.Handle("MatchInit", func(context.Context, any) (any, error) {
			reply := r.service.InitReply(`{"open":1}`)
			corrupt(reply)
			return reply, nil
		})
		ctx, cancel := fake.MatchContext("match.node")
		state, rate, label := r.adapter.MatchInit(ctx, r.logger, nil, r.nakama, nil)
		cancel()
		if state != nil || rate != failedTickRate || label != "" {
			t.Errorf("%s: got %v, %d, %q", name, state, rate, label)
		}
	}
}

func TestLabelOf2048BytesIsAccepted(t *testing.T) {
	r := newMatch(t)
	label := `{"a":"` + strings.Repeat("x", 2040) + `"}`
	r.service.LoopReply(func(s *pb.Step) { s.Label = &label })
	r.loop(r.input("ann", "x"))
	wantActions(t, r, "label "+label)
}

func FuzzAnyStepIsAppliedOrRejected(f *testing.F) {
	good, _ := proto.Marshal(&pb.Step{State: []byte("s"), Label: proto.String("{}")})
	f.Add(good)
	f.Fuzz(func(t *testing.T, data []byte) {
		step := &pb.Step{}
		if proto.Unmarshal(data, step) != nil {
			return
		}
		m := newDetachedMatch()
		if rules.CheckStep(step) != nil {
			return
		}
		m.apply(step, &fake.Dispatcher{})
		if len(m.service.state) == 0 || !json.Valid(m.service.record.array()) || len(m.service.label) > rules.MaxLabelBytes {
			t.Errorf("applied %v", step)
		}
	})
}

// newDetachedMatch returns a match without a service.
func newDetachedMatch() *matchState {
	n := fake.NewNakama()
	s := New(n, fake.NewLogger(), highLimits())
	ctx, cancel := fake.MatchContext("match.node")
	cancel()
	return s.emptyMatch(ctx, fake.NewLogger())
}
