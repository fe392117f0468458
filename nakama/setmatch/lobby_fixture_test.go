package setmatch

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"testing"

	"github.com/heroiclabs/nakama-common/runtime"
	"google.golang.org/protobuf/proto"

	"setmatch/nakama/pb"
)

// asUser returns the context of an RPC call of a user.
func asUser(user string) context.Context {
	return context.WithValue(context.Background(), runtime.RUNTIME_CTX_USER_ID, user) //nolint:staticcheck // Nakama's key
}

func newLobby(t *testing.T) (*fixture, *lobbyCalls) {
	t.Helper()
	r := newFixture(t)
	return r, &lobbyCalls{shim: r.shim, locks: newKeyLocks()}
}

// seats scripts the service to create matches with a number of seats and to reserve them.
func (r *fixture) seats(count int) {
	var mu sync.Mutex
	reserved := make(map[string]map[string]bool) // users by match
	open := func(match string) string {
		return fmt.Sprintf(`{"open":%d,"key":"key"}`, min(1, count-len(reserved[match])))
	}
	r.service.handle("MatchInit", func(_ context.Context, req any) (any, error) {
		mu.Lock()
		defer mu.Unlock()
		init := req.(*pb.MatchInitRequest)
		reserved[init.MatchId] = make(map[string]bool)
		for _, user := range init.ExpectedUsers {
			reserved[init.MatchId][user.UserId] = true
		}
		return r.service.initReply(open(init.MatchId)), nil
	})
	r.service.handle("MatchReserve", func(_ context.Context, req any) (any, error) {
		mu.Lock()
		defer mu.Unlock()
		match, user := req.(*pb.MatchReserveRequest).MatchId, req.(*pb.MatchReserveRequest).Users[0].UserId
		reply := &pb.MatchReserveResponse{Step: r.service.step(), Granted: true}
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

func (l *lobbyCalls) mustFind(r *fixture, user string) findReply {
	r.t.Helper()
	return l.mustFindWith(r, user, "")
}

func (l *lobbyCalls) mustFindWith(r *fixture, user, options string) findReply {
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
