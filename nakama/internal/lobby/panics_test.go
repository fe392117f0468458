package lobby

import (
	"context"
	"errors"
	"testing"

	"github.com/heroiclabs/nakama-common/runtime"
	"google.golang.org/grpc/codes"
)

//proves:thread 10
func TestLobbyCallsAndHooksRecoverPanic(t *testing.T) {
	r := newFixture(t)
	l := r.lobby
	r.nakama.Handler = nil
	_, createErr := l.create(context.Background(), r.logger, nil, r.nakama, "")
	_, findErr := l.find(asUser("ann"), r.logger, nil, r.nakama, "")
	_, signalErr := l.signal(context.Background(), r.logger, nil, nil, `{"matchId":"m","cmd":"c"}`)
	_, hookErr := l.matched(context.Background(), r.logger, nil, r.nakama, []runtime.MatchmakerEntry{nil})
	for name, err := range map[string]error{"create": createErr, "find": findErr, "signal": signalErr, "hook": hookErr} {
		var converted *runtime.Error
		if !errors.As(err, &converted) || converted.Code != int(codes.Internal) {
			t.Errorf("%s: got %v", name, err)
		}
	}
}
