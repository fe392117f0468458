package lobby

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/heroiclabs/nakama-common/runtime"
	"google.golang.org/protobuf/proto"

	"setmatch/nakama/internal/config"
	"setmatch/nakama/internal/fake"
	"setmatch/nakama/internal/limits"
	"setmatch/nakama/internal/match"
	"setmatch/nakama/internal/rules"
	"setmatch/nakama/pb"
)

// fixture is a lobby between a fake Nakama and a fake service. The matches are real.
type fixture struct {
	t       testing.TB
	service *fake.Service
	nakama  *fake.Nakama
	logger  *fake.Logger
	clock   *fake.Clock // of the limits
	lobby   *Lobby
}

func newFixture(t testing.TB) *fixture {
	t.Helper()
	r := &fixture{
		t: t, service: fake.StartService(t), nakama: fake.NewNakama(), logger: fake.NewLogger(), clock: &fake.Clock{At: time.Now()},
	}
	high := limits.Config{Matches: 1000, MatchesPerUser: 1000, CallsInFlight: 1000}
	matches := match.New(r.nakama, r.logger, config.Settings{Limits: high})
	settings := config.Settings{Addr: r.service.Addr, Connections: 1}
	links, err := rules.Dial(settings, nil, fake.FailOnPanic(t))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(links.Close)
	matches.Rules.Links, matches.Batcher = links, rules.NewBatcher(settings.BatchWindow(), matches.Meters, fake.FailOnPanic(t))
	r.nakama.Handler, _ = matches.NewHandler(t.Context(), r.logger, nil, r.nakama)
	t.Cleanup(r.nakama.StopMatches)
	r.lobby = New(Config{
		Matches: matches, Open: matches.Open, Members: matches.Members, Rules: matches.Rules, Limits: matches.Limits,
		Meters: matches.Meters, Panics: matches.Panics,
	})
	r.waitUntil("a connection", links.Reachable)
	return r
}

func newLobby(t *testing.T) (*fixture, *Lobby) {
	t.Helper()
	r := newFixture(t)
	return r, r.lobby
}

// waitUntil waits for a condition that another goroutine fulfils.
func (r *fixture) waitUntil(what string, done func() bool) {
	r.t.Helper()
	fake.WaitUntil(r.t, what, done)
}

func wantMethods(t *testing.T, r *fixture, want ...string) {
	t.Helper()
	if got := r.service.TakeMethods(); !slices.Equal(got, want) {
		t.Errorf("calls %q, want %q", got, want)
	}
}

// asUser returns the context of an RPC call of a user.
func asUser(user string) context.Context {
	return context.WithValue(context.Background(), runtime.RUNTIME_CTX_USER_ID, user) //nolint:staticcheck // Nakama's key
}

// seats scripts the service to create matches with a number of seats and to reserve them.
func (r *fixture) seats(count int) {
	var mu sync.Mutex
	reserved := make(map[string]map[string]bool) // users by match
	open := func(match string) string {
		return fmt.Sprintf(`{"open":%d,"key":"key"}`, min(1, count-len(reserved[match])))
	}
	r.service.Handle("MatchInit", func(_ context.Context, req any) (any, error) {
		mu.Lock()
		defer mu.Unlock()
		init := req.(*pb.MatchInitRequest)
		reserved[init.MatchId] = make(map[string]bool)
		for _, user := range init.ExpectedUsers {
			reserved[init.MatchId][user.UserId] = true
		}
		return r.service.InitReply(open(init.MatchId)), nil
	})
	r.service.Handle("MatchReserve", func(_ context.Context, req any) (any, error) {
		mu.Lock()
		defer mu.Unlock()
		match, user := req.(*pb.MatchReserveRequest).MatchId, req.(*pb.MatchReserveRequest).Users[0].UserId
		reply := &pb.MatchReserveResponse{Step: r.service.Step(), Granted: true}
		switch {
		case reserved[match][user]:
		case len(reserved[match]) < count:
			reserved[match][user] = true
		default:
			reply.Granted, reply.Reason = false, "match full"
		}
		reply.Step.Label = proto.String(open(match))
		return reply, nil
	})
}

func (l *Lobby) mustFind(r *fixture, user string) findReply {
	r.t.Helper()
	return l.mustFindWith(r, user, "")
}

func (l *Lobby) mustFindWith(r *fixture, user, options string) findReply {
	r.t.Helper()
	text, err := l.find(asUser(user), r.logger, nil, r.nakama, options)
	if err != nil {
		r.t.Fatal(err)
	}
	var found findReply
	if err := json.Unmarshal([]byte(text), &found); err != nil {
		r.t.Fatal(err)
	}
	return found
}

func wantCode(t *testing.T, err error, code int) {
	t.Helper()
	var converted *runtime.Error
	if !errors.As(err, &converted) || converted.Code != code {
		t.Errorf("got %v, want code %d", err, code)
	}
}
