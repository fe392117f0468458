package lobby

import (
	"context"
	"errors"
	"strings"
	"testing"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"setmatch/nakama/pb"
)

func TestCreateMatchReturnsMatchID(t *testing.T) {
	r, l := newLobby(t)
	text, err := l.create(asUser("ann"), r.logger, nil, r.nakama, `{"a":1}`)
	if err != nil || text != `{"matchId":"match-0.node"}` {
		t.Errorf("got %s, %v", text, err)
	}
	if got := string(r.service.TakeCalls()[1].Req.(*pb.MatchInitRequest).Options); got != `{"a":1}` {
		t.Errorf("created with %s", got)
	}
}

func TestInvalidPayloadsAreRejectedWithoutCall(t *testing.T) {
	r, l := newLobby(t)
	for _, payload := range []string{"[]", "1", "{", "null", `"{}"`, `{"a":"` + strings.Repeat("x", 4096) + `"}`} {
		_, createErr := l.create(asUser("ann"), r.logger, nil, r.nakama, payload)
		_, findErr := l.find(asUser("ann"), r.logger, nil, r.nakama, payload)
		wantCode(t, createErr, 3)
		wantCode(t, findErr, 3)
	}
	wantMethods(t, r)
}

func TestInvalidOptionsReturnTextOfService(t *testing.T) {
	r, l := newLobby(t)
	r.service.Handle("MatchOptions", func(context.Context, any) (any, error) {
		return nil, status.Error(codes.InvalidArgument, "maxPlayers: 9 is not 1..8")
	})
	_, err := l.find(asUser("ann"), r.logger, nil, r.nakama, `{"maxPlayers":9}`)
	wantCode(t, err, 3)
	if err.Error() != "INVALID_ARGUMENT: maxPlayers: 9 is not 1..8" {
		t.Errorf("got %q", err)
	}
}

//proves:thread 15
func TestCreateMatchMapsErrorCodes(t *testing.T) {
	cases := []struct {
		code codes.Code
		want int
	}{
		{codes.Unavailable, 14}, {codes.DeadlineExceeded, 14}, {codes.FailedPrecondition, 14},
		{codes.Unauthenticated, 14}, {codes.Internal, 13}, {codes.InvalidArgument, 3},
	}
	r, l := newLobby(t)
	for _, c := range cases {
		for _, method := range []string{"MatchOptions", "MatchInit"} {
			r.service.Reset()
			r.service.FailWith(c.code, method)
			_, err := l.create(asUser("ann"), r.logger, nil, r.nakama, "")
			wantCode(t, err, c.want)
		}
	}
}

func TestCreateMatchInOutageReturnsCode14(t *testing.T) {
	r, l := newLobby(t)
	r.service.Server.Stop()
	_, err := l.create(asUser("ann"), r.logger, nil, r.nakama, "")
	wantCode(t, err, 14)
	if err.Error() != "UNAVAILABLE: rules service unavailable, try again" {
		t.Errorf("got %q", err)
	}
}

func TestFailedMatchCreateReturnsCode14(t *testing.T) {
	r, l := newLobby(t)
	r.nakama.CreateErr = errors.New("shutdown in progress")
	_, err := l.create(asUser("ann"), r.logger, nil, r.nakama, "")
	wantCode(t, err, 14)
}

func TestFailedCreationIsCleanedUp(t *testing.T) {
	r, l := newLobby(t)
	r.service.FailWith(codes.Unavailable, "MatchInit")
	_, err := l.find(asUser("ann"), r.logger, nil, r.nakama, "")
	wantCode(t, err, 14)
	if len(r.lobby.Members.Matches("ann"))+len(l.locks.held) > 0 {
		t.Error("data of the failed creation is left")
	}
}

func TestServersDoNotWaitForEachOther(t *testing.T) {
	r, l := newLobby(t)
	held := -1
	r.service.Handle("MatchInit", func(context.Context, any) (any, error) {
		l.locks.mu.Lock()
		defer l.locks.mu.Unlock()
		held = len(l.locks.held)
		return r.service.InitReply(`{"open":0}`), nil
	})
	if _, err := l.create(context.Background(), r.logger, nil, r.nakama, ""); err != nil || held != 0 {
		t.Errorf("got %v, %d locks held during the creation", err, held)
	}
}
