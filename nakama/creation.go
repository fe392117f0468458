package main

import (
	"context"
	"encoding/json"
	"fmt"
	"sync"

	"github.com/heroiclabs/nakama-common/runtime"
	"google.golang.org/grpc/codes"

	"setmatch/nakama/internal/limits"
	"setmatch/nakama/pb"
)

// creations passes data between the caller of nk.MatchCreate and MatchInit, which takes only parameters that Nakama can encode
// and returns no error.
type creations struct {
	mu    sync.Mutex
	next  int64
	slots map[string]*creation
}

// creation is one call of nk.MatchCreate.
type creation struct {
	params     creationParams
	invitation string // set by MatchInit
	err        error  // set by MatchInit
}

// creationParams is how a match is created.
type creationParams struct {
	options   string         // a JSON object
	creatorID string         // the user who creates the match; empty for a server or the matchmaker
	expected  []expectedUser // users for whom a seat is reserved from the start
}

func newCreations() *creations {
	return &creations{slots: make(map[string]*creation)}
}

func (c *creations) open(params creationParams) (string, *creation) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.next++
	id, slot := fmt.Sprint(c.next), &creation{params: params}
	c.slots[id] = slot
	return id, slot
}

// find returns the creation of an id. Other modules of the server may call nk.MatchCreate with params of their own; they have
// none.
func (c *creations) find(params map[string]any) (*creation, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if slot, ok := c.slots[textOf(params["creation"])]; ok {
		return slot, nil
	}
	expected, err := expectedUsers(textOf(params["expected_users"]))
	return &creation{params: creationParams{options: textOf(params["options"]), expected: expected}}, err
}

func (c *creations) close(id string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.slots, id)
}

// createMatch creates a match for a caller. Errors are meant for clients.
func (s *shim) createMatch(
	ctx context.Context, nk runtime.NakamaModule, by limits.Caller, params creationParams,
) (createAnswer, error) {
	if exceeded := s.limits.Create(by, int(s.live.Load())); exceeded != nil {
		return createAnswer{}, s.refuse(exceeded)
	}
	id, slot := s.creations.open(params)
	defer s.creations.close(id)
	matchID, err := nk.MatchCreate(ctx, moduleName, map[string]any{"creation": id})
	switch {
	case err == nil:
		return createAnswer{MatchID: matchID, Invitation: slot.invitation}, nil
	case slot.err != nil:
		return createAnswer{}, clientError(slot.err)
	default:
		return createAnswer{}, newError(codes.Unavailable, "no match can be created now, try again")
	}
}

// expectedUser is a user whose seat is reserved from the start.
type expectedUser struct {
	UserID   string `json:"userId"`
	Username string `json:"username"`
}

func expectedUsers(list string) ([]expectedUser, error) {
	if list == "" {
		return nil, nil
	}
	var users []expectedUser
	if err := json.Unmarshal([]byte(list), &users); err != nil {
		return nil, errBadRequest("expected_users is not a JSON array of objects with userId and username")
	}
	return users, nil
}

func toPresences(users []expectedUser) []*pb.Presence {
	presences := make([]*pb.Presence, 0, len(users))
	for _, user := range users {
		presences = append(presences, &pb.Presence{UserId: user.UserID, Username: user.Username})
	}
	return presences
}

// newMatch lets the service create a match.
func (s *shim) newMatch(
	ctx context.Context, logger runtime.Logger, params creationParams,
) (*matchState, *pb.MatchInitResponse, error) {
	m := s.emptyMatch(ctx, logger)
	req := &pb.MatchInitRequest{
		MatchId: m.id, Node: m.node, Options: []byte(params.options), UnixTimeMs: s.now().UnixMilli(),
		ExpectedUsers: toPresences(params.expected), CreatorId: params.creatorID,
	}
	reply, err := invoke(ctx, s, m.place, "MatchInit", s.timing.initDeadline, pb.MatchHandlerServiceClient.MatchInit, req)
	if err == nil {
		err = checkInit(reply)
	}
	if err != nil {
		m.complain("MatchInit", err)
	}
	return m, reply, err
}

func (s *shim) emptyMatch(ctx context.Context, logger runtime.Logger) *matchState {
	id, _ := ctx.Value(runtime.RUNTIME_CTX_MATCH_ID).(string)
	node, _ := ctx.Value(runtime.RUNTIME_CTX_MATCH_NODE).(string)
	return &matchState{
		shim: s, ctx: ctx, logger: logger, id: id, node: node, place: placeOf(id),
		clock: startClock(s.now()), presences: make(map[string]runtime.Presence),
		pendingShare: share{name: pendingCallbacks, total: &s.meters.pending},
		pausedShare:  share{name: pausedMatches, total: &s.meters.paused},
		standing:     standing{census: s.census},
	}
}

// start applies the first step. The match has no connections yet, so the broadcasts and kicks have no receiver.
func (m *matchState) start(reply *pb.MatchInitResponse, params creationParams) {
	m.notices = reply.Notices
	m.rescueCollection = reply.RescueCollection
	m.label = reply.Step.GetLabel()
	m.commit(reply.Step)
	m.shim.meters.count(droppedBroadcasts, len(reply.Step.Broadcasts))
	m.standing.note(m.label)
	m.list()
	if params.creatorID != "" {
		m.shim.members.Create(m.id, params.creatorID)
	}
	m.remember(toPresences(params.expected))
	m.shim.live.Add(1)
	go m.cleanUp()
}

// cleanUp forgets a match when it stops, which Nakama may do without a callback.
func (m *matchState) cleanUp() {
	defer m.shim.recovered(m.logger, "cleanUp")
	<-m.ctx.Done()
	m.unlist()
	m.shim.members.Remove(m.id)
	m.pendingShare.close(m.shim.meters.nk)
	m.pausedShare.close(m.shim.meters.nk)
	m.standing.close()
	m.shim.live.Add(-1)
}
