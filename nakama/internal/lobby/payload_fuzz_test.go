package lobby

import (
	"context"
	"encoding/json"
	"testing"

	"setmatch/nakama/internal/fake"
	"setmatch/nakama/internal/telemetry"
	"setmatch/nakama/internal/text"
)

// FuzzPayload checks that lobby calls with any payload return a JSON reply or an error, and never panic.
func FuzzPayload(f *testing.F) {
	for _, payload := range []string{``, `{}`, `[]`, `{"maxPlayers":3}`, `{"matchId":"m.node","cmd":"close"}`, "\xff", `{"matchId":7}`} {
		f.Add(payload)
	}
	f.Fuzz(func(t *testing.T, payload string) {
		nakama := fake.NewNakama()
		if err := checkPayload(payload); err == nil && payload != "" && !text.IsObject([]byte(payload)) {
			t.Errorf("%q was accepted as an object", payload)
		}
		l := New(Config{Panics: telemetry.NewPanics(telemetry.NewMeters(nakama))})
		answer, err := l.signal(context.Background(), fake.NewLogger(), nil, nakama, payload)
		if err == nil && !json.Valid([]byte(answer)) {
			t.Errorf("%q returned %q", payload, answer)
		}
		if nakama.Counter(telemetry.RecoveredPanics) > 0 {
			t.Errorf("%q caused a panic", payload)
		}
	})
}
