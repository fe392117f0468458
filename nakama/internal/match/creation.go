package match

import (
	"context"
	"encoding/json"
	"fmt"
	"sync"

	"github.com/heroiclabs/nakama-common/runtime"
	"google.golang.org/grpc/codes"

	"setmatch/nakama/internal/links"
	"setmatch/nakama/internal/refusal"
	"setmatch/nakama/internal/rules"
	"setmatch/nakama/internal/telemetry"
	"setmatch/nakama/pb"
)

// creations passes data between the caller of nk.MatchCreate and MatchInit: Nakama passes only parameters that it can encode,
// and MatchInit cannot return an error.
type creations struct {
	mu      sync.Mutex
	lastID  int64
	entries map[string]*creation // by id
}

// creation is one call of nk.MatchCreate.
type creation struct {
	params     Params
	saved      *savedMatch // the match to revive; nil: a new match
	invitation string      // set by MatchInit
	err        error       // set by MatchInit
}

// Params are the parameters of a new match.
type Params struct {
	Options   string // a JSON object
	CreatorID string // user id of the creator; empty for a server or the matchmaker
	Expected  []User // users with a reservation from the start
}

// JoinData is the data with which a client joins a match, as in the reply of set_create_match.
type JoinData struct {
	MatchID    string `json:"matchId"`
	Invitation string `json:"invitation,omitempty"` // only for private matches
}

// User is a user with a reservation.
type User struct {
	UserID   string `json:"userId"`
	Username string `json:"username"`
}

func newCreations() *creations {
	return &creations{entries: make(map[string]*creation)}
}

func (c *creations) add(params Params) (string, *creation) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.lastID++
	id, entry := fmt.Sprint(c.lastID), &creation{params: params}
	c.entries[id] = entry
	return id, entry
}

// find returns the creation of MatchInit's params. Other modules of the server call nk.MatchCreate without an id; for these it
// returns a new creation with their options and users.
func (c *creations) find(params map[string]any) (*creation, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if entry, ok := c.entries[textOf(params["creation"])]; ok {
		return entry, nil
	}
	expected, err := expectedUsers(textOf(params["expected_users"]))
	return &creation{params: Params{Options: textOf(params["options"]), Expected: expected}}, err
}

func (c *creations) remove(id string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.entries, id)
}

// Create creates a match. Errors are for clients.
func (s *Shared) Create(ctx context.Context, nk runtime.NakamaModule, params Params) (JoinData, error) {
	id, entry := s.creations.add(params)
	defer s.creations.remove(id)
	matchID, err := nk.MatchCreate(ctx, Module, map[string]any{"creation": id})
	switch {
	case err == nil:
		return JoinData{MatchID: matchID, Invitation: entry.invitation}, nil
	case entry.err != nil:
		return JoinData{}, refusal.FromCall(entry.err)
	default:
		return JoinData{}, refusal.New(codes.Unavailable, "no match can be created now, try again")
	}
}

// Live returns the number of matches that have not stopped.
func (s *Shared) Live() int {
	return int(s.liveMatches.Load())
}

// expectedUsers parses a JSON array of users.
func expectedUsers(list string) ([]User, error) {
	if list == "" {
		return nil, nil
	}
	var users []User
	if err := json.Unmarshal([]byte(list), &users); err != nil {
		return nil, refusal.BadRequest("expected_users is not a JSON array of objects with userId and username")
	}
	return users, nil
}

func toPresences(users []User) []*pb.Presence {
	presences := make([]*pb.Presence, 0, len(users))
	for _, user := range users {
		presences = append(presences, &pb.Presence{UserId: user.UserID, Username: user.Username})
	}
	return presences
}

// initMatch calls MatchInit and returns the new match with the response.
func (s *Shared) initMatch(
	ctx context.Context, logger runtime.Logger, params Params,
) (*matchState, *pb.MatchInitResponse, error) {
	m := s.emptyMatch(ctx, logger)
	call := rules.Call[pb.MatchInitRequest, pb.MatchInitResponse]{
		Method: "MatchInit", Timeout: s.timing.initDeadline, Do: pb.MatchHandlerServiceClient.MatchInit, Check: rules.CheckInit,
		Req: &pb.MatchInitRequest{
			MatchId: m.id, Node: m.node, Options: []byte(params.Options), UnixTimeMs: s.now().UnixMilli(),
			ExpectedUsers: toPresences(params.Expected), CreatorId: params.CreatorID,
		},
	}
	reply, _, err := call.WithRetry(ctx, s.Rules, m.calls.linkKey, nil)
	if err != nil {
		m.logFailure("MatchInit", err)
	}
	return m, reply, err
}

func (s *Shared) emptyMatch(ctx context.Context, logger runtime.Logger) *matchState {
	id, _ := ctx.Value(runtime.RUNTIME_CTX_MATCH_ID).(string)
	node, _ := ctx.Value(runtime.RUNTIME_CTX_MATCH_NODE).(string)
	return &matchState{
		identity: identity{id: id, node: node}, shared: s, ctx: ctx, logger: logger,
		clock: startClock(s.now()), presences: make(map[string]runtime.Presence),
		calls:    callState{linkKey: links.KeyOf(id)},
		gauges:   gauges{pending: s.Meters.PendingShare(), paused: s.Meters.PausedShare(), phase: s.Census.Entry()},
		admitted: make(map[string]*admission), saver: &saver{},
	}
}

// start applies the first step. The match has no connections yet, so it drops the broadcasts and kicks.
func (m *matchState) start(reply *pb.MatchInitResponse, params Params) {
	m.service.notices = reply.Notices
	m.service.rescueCollection = reply.RescueCollection
	m.service.label, m.service.tickRate, m.creatorID = reply.Step.GetLabel(), reply.TickRate, params.CreatorID
	m.saver.entry = m.shared.Saves.New(m.id, m.saver.lose)
	m.commit(reply.Step)
	m.shared.Meters.Count(telemetry.DroppedBroadcasts, len(reply.Step.Broadcasts))
	m.register()
	m.addReservations(toPresences(params.Expected))
}

// register adds the match to the shared state until it stops.
func (m *matchState) register() {
	m.gauges.phase.Update(m.service.label)
	m.shared.Open.Add(m.id)
	m.shared.Members.Add(m.id, m.creatorID)
	m.list()
	m.shared.liveMatches.Add(1)
	go m.cleanUp()
}

// cleanUp waits until the match stops and removes it from the shared state. Nakama may stop a match without a callback, so it
// waits for the end of the match's context.
func (m *matchState) cleanUp() {
	defer m.shared.Panics.Recover(m.logger, "cleanUp")
	<-m.ctx.Done()
	m.unlist()
	m.shared.Members.Remove(m.id)
	m.gauges.pending.Close()
	m.gauges.paused.Close()
	m.gauges.phase.Close()
	m.shared.liveMatches.Add(-1)
}

func textOf(value any) string {
	s, _ := value.(string)
	return s
}
