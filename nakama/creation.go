package main

import (
	"context"
	"encoding/json"
	"fmt"
	"sync"

	"github.com/heroiclabs/nakama-common/runtime"
	"google.golang.org/grpc/codes"

	"setmatch/nakama/pb"
)

// creations hands errors back from MatchInit, which cannot return any, to whoever called nk.MatchCreate.
type creations struct {
	mu    sync.Mutex
	next  int64
	slots map[string]*creation
}

// creation is one call of nk.MatchCreate.
type creation struct {
	users []string // for whom a place is kept
	err   error    // set by MatchInit
}

func newCreations() *creations {
	return &creations{slots: make(map[string]*creation)}
}

func (c *creations) open(users []string) (string, *creation) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.next++
	id, slot := fmt.Sprint(c.next), &creation{users: users}
	c.slots[id] = slot
	return id, slot
}

// find returns the creation of that id, or a new one that nobody will look at.
func (c *creations) find(id string) *creation {
	c.mu.Lock()
	defer c.mu.Unlock()
	if slot, ok := c.slots[id]; ok {
		return slot
	}
	return &creation{}
}

func (c *creations) close(id string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.slots, id)
}

// createMatch creates a match, in which places are kept for some users, and returns its id. The service reserves seats
// for those that are expected. Errors are meant for clients.
func (s *shim) createMatch(
	ctx context.Context, nk runtime.NakamaModule, options string, users []string, expected []expectedUser,
) (string, error) {
	id, slot := s.creations.open(users)
	defer s.creations.close(id)
	reserved, err := json.Marshal(expected)
	if err != nil {
		return "", errInternal()
	}
	params := map[string]any{"options": options, "expected_users": string(reserved), "creation": id}
	matchID, err := nk.MatchCreate(ctx, moduleName, params)
	switch {
	case err == nil:
		s.tables.expect(matchID, expected)
		return matchID, nil
	case slot.err != nil:
		return "", clientError(slot.err)
	default:
		return "", newError(codes.Unavailable, err.Error())
	}
}

// expectedUser is a user whose seat is reserved from the start.
type expectedUser struct {
	UserID   string `json:"userId"`
	Username string `json:"username"`
}

func expectedPresences(users string) ([]*pb.Presence, error) {
	if users == "" {
		return nil, nil
	}
	var list []expectedUser
	if err := json.Unmarshal([]byte(users), &list); err != nil {
		return nil, errBadRequest("expected_users is not a JSON array of objects with userId and username")
	}
	presences := make([]*pb.Presence, 0, len(list))
	for _, user := range list {
		presences = append(presences, &pb.Presence{UserId: user.UserID, Username: user.Username})
	}
	return presences, nil
}

// newMatch asks the service for a new match.
func (s *shim) newMatch(
	ctx context.Context, logger runtime.Logger, params map[string]any,
) (*matchState, *pb.MatchInitResponse, error) {
	expected, err := expectedPresences(textOf(params["expected_users"]))
	if err != nil {
		return nil, nil, err
	}
	m := s.emptyMatch(ctx, logger)
	req := &pb.MatchInitRequest{
		MatchId: m.id, Node: m.node, Options: []byte(textOf(params["options"])),
		UnixTimeMs: s.now().UnixMilli(), ExpectedUsers: expected,
	}
	deadline := s.limits.initDeadline
	reply, err := invoke(ctx, s, m.place, "MatchInit", deadline, pb.MatchHandlerServiceClient.MatchInit, req)
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

// start takes the first step over. Nobody is in the match yet, so its broadcasts and kicks have no receiver.
func (m *matchState) start(reply *pb.MatchInitResponse, slot *creation) {
	m.notices = reply.Notices
	m.rescueCollection = reply.RescueCollection
	m.label = reply.Step.GetLabel()
	m.commit(reply.Step)
	m.shim.meters.count(droppedBroadcasts, len(reply.Step.Broadcasts))
	m.standing.note(m.label)
	m.shim.tables.add(m.id, m.label, slot.users)
	m.shim.live.Add(1)
	go m.cleanUp()
}

// cleanUp forgets a match when it stops, which Nakama may do without any callback.
func (m *matchState) cleanUp() {
	defer m.shim.recovered(m.logger, "cleanUp")
	<-m.ctx.Done()
	m.shim.tables.remove(m.id)
	m.pendingShare.close(m.shim.meters.nk)
	m.pausedShare.close(m.shim.meters.nk)
	m.standing.close()
	m.shim.live.Add(-1)
}
