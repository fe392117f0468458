package lobby

import (
	"context"
	"fmt"
	"testing"

	"github.com/heroiclabs/nakama-common/runtime"

	"setmatch/nakama/internal/arrival"
)

func TestSignalsAreForServersOnly(t *testing.T) {
	r, l := newLobby(t)
	_, err := l.signal(asUser("ann"), r.logger, nil, r.nakama, `{"matchId":"m.node","cmd":"close"}`)
	wantCode(t, err, 7)
	if len(r.nakama.SentSignals()) > 0 {
		t.Error("the signal reached the match")
	}
	text, err := l.signal(context.Background(), r.logger, nil, r.nakama, `{"matchId":"m.node","cmd":"close"}`)
	if err != nil || text != `{"ok":true}` || r.nakama.SentSignals()[0] != "m.node close" {
		t.Errorf("got %s, %v, signals %q", text, err, r.nakama.SentSignals())
	}
}

func TestSignalErrors(t *testing.T) {
	r, l := newLobby(t)
	for _, payload := range []string{"", "{}", `{"matchId":"m.node"}`, `{"cmd":"x"}`, `{"matchId":1,"cmd":"x"}`, "[]"} {
		_, err := l.signal(context.Background(), r.logger, nil, r.nakama, payload)
		wantCode(t, err, 3)
	}
	cases := map[error]int{runtime.ErrMatchNotFound: 5, runtime.ErrMatchIdInvalid: 3, runtime.ErrMatchBusy: 14}
	for cause, want := range cases {
		r.nakama.SignalErr = cause
		_, err := l.signal(context.Background(), r.logger, nil, r.nakama, `{"matchId":"m.node","cmd":"x"}`)
		wantCode(t, err, want)
	}
}

func TestSignalsOfThePluginAreRejected(t *testing.T) {
	r, l := newLobby(t)
	for _, cmd := range []string{"set_reserve []", arrival.WakeSignal} {
		_, err := l.signal(context.Background(), r.logger, nil, r.nakama, fmt.Sprintf(`{"matchId":"m.node","cmd":%q}`, cmd))
		wantCode(t, err, 3)
	}
}
