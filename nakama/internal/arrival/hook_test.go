package arrival

import (
	"strings"
	"testing"

	"github.com/gofrs/uuid/v5"
	"github.com/heroiclabs/nakama-common/rtapi"
)

func TestHookTakesMessagesInEveryNotationOfTheID(t *testing.T) {
	notations := []string{
		matchID, strings.ToUpper(matchUUID) + ".node1", strings.ReplaceAll(matchUUID, "-", "") + ".node1",
		"{" + matchUUID + "}.node1", "urn:uuid:" + matchUUID + ".node1",
	}
	run(t, func(t *testing.T, f *fixture) {
		f.join("ann")
		for _, id := range notations {
			out, err := f.registry.Hook(caller("ann", "ann"), nil, nil, nil, envelope(id, 1, "x"))
			if err != nil || out.GetMatchDataSend().GetMatchId() != noMatch {
				t.Errorf("for %s the hook returned %v, %v", id, out, err)
			}
		}
		wantCount(t, "messages", len(f.inbox.Drain().Messages), len(notations))
	})
}

func TestHookReturnsOtherMessagesUnchanged(t *testing.T) {
	run(t, func(t *testing.T, f *fixture) {
		f.join("ann")
		for _, in := range []*rtapi.Envelope{
			envelope("0b4a8e4c-6c4d-4d57-9a43-0a3f6f0a1d56.node1", 1, "another match"), envelope(matchUUID+".node2", 1, "another node"),
			envelope(matchUUID+".NODE1", 1, "another node"), envelope(matchUUID+".", 1, "relayed"), envelope(matchUUID, 1, "no node"),
			envelope("", 1, "nothing"), envelope("x.node1", 1, "no UUID"), {},
		} {
			if out, err := f.registry.Hook(caller("ann", "ann"), nil, nil, nil, in); out != in || err != nil {
				t.Errorf("for %v the hook returned %v, %v", in, out, err)
			}
		}
		wantMessages(t, f.inbox.Drain().Messages)
	})
}

func TestHookDropsMessagesOfOthers(t *testing.T) {
	run(t, func(t *testing.T, f *fixture) {
		f.join("ann")
		f.nakama.setMember("ann", false)
		f.send("ann", 1, "after the leave")
		f.send("eve", 1, "never joined")
		f.nakama.setMember("eve", true)
		f.send("eve", 1, "never admitted")
		wantMessages(t, f.inbox.Drain().Messages)
	})
}

func TestHookIgnoresReliableAndPresencesAsNakamaDoes(t *testing.T) {
	run(t, func(t *testing.T, f *fixture) {
		f.join("ann")
		in := envelope(matchID, 1, "x")
		in.GetMatchDataSend().Reliable = false
		in.GetMatchDataSend().Presences = []*rtapi.UserPresence{{UserId: "not an id"}}
		if _, err := f.registry.Hook(caller("ann", "ann"), nil, nil, nil, in); err != nil {
			t.Error(err)
		}
		wantMessages(t, f.inbox.Drain().Messages, "ann:x")
	})
}

func TestReplacementOfAMessageNamesNoMatch(t *testing.T) {
	id, node, found := strings.Cut(noMatch, ".")
	if parsed, err := uuid.FromString(id); err != nil || !parsed.IsNil() || !found || node == "" {
		t.Errorf("Nakama answers a message to %q with an error, or treats the match as relayed", noMatch)
	}
}

func TestPanicInTheHookBecomesAnError(t *testing.T) {
	run(t, func(t *testing.T, f *fixture) {
		f.join("ann")
		out, err := f.registry.Hook(caller("ann", "panic"), nil, nil, nil, envelope(matchID, 1, "x"))
		if out != nil || err == nil || strings.Contains(err.Error(), "secret") {
			t.Errorf("the hook returned %v, %v", out, err)
		}
		wantCount(t, "panics", len(f.panics), 1)
		f.send("ann", 1, "a")
		wantMessages(t, f.inbox.Drain().Messages, "ann:a")
	})
}

func TestPanicUnderTheLockReleasesIt(t *testing.T) {
	run(t, func(t *testing.T, f *fixture) {
		f.join("ann")
		now := f.inbox.config.Now
		f.inbox.config.Now = nil
		if _, err := f.registry.Hook(caller("ann", "ann"), nil, nil, nil, envelope(matchID, 1, "x")); err == nil {
			t.Error("the panic was lost")
		}
		f.inbox.config.Now = now
		f.send("ann", 1, "a")
		wantMessages(t, f.inbox.Drain().Messages, "ann:a")
	})
}

// FuzzHook checks that exactly the messages that Nakama would put into the queue of the match are in the inbox instead.
func FuzzHook(f *testing.F) {
	for _, id := range []string{matchID, strings.ToUpper(matchID), "{" + matchUUID + "}.node1", matchUUID + ".node1.x", "." + matchID} {
		f.Add(id, int64(1), "x")
	}
	f.Fuzz(func(t *testing.T, id string, opCode int64, data string) {
		run(t, func(t *testing.T, f *fixture) {
			f.join("ann")
			in := envelope(id, opCode, data)
			out, err := f.registry.Hook(caller("ann", "ann"), nil, nil, nil, in)
			if out == nil || err != nil {
				t.Fatalf("the hook returned %v, %v", out, err)
			}
			parts := strings.SplitN(id, ".", 2)
			parsed, err := uuid.FromString(parts[0])
			ours := err == nil && len(parts) == 2 && parsed.String() == matchUUID && parts[1] == "node1"
			arrivals := f.inbox.Drain()
			if ours != (out != in) || ours != (len(arrivals.Messages)+len(arrivals.Refusals) == 1) {
				t.Errorf("%q: %d messages, %d refusals", id, len(arrivals.Messages), len(arrivals.Refusals))
			}
		})
	})
}
