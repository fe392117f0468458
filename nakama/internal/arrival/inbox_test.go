package arrival

import (
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

func TestMessagesAreDrainedInTheOrderOfArrival(t *testing.T) {
	run(t, func(t *testing.T, f *fixture) {
		f.join("ann")
		f.join("bob")
		for _, sender := range []string{"ann", "bob", "ann", "bob"} {
			pass(time.Millisecond)
			f.send(sender, 3, time.Since(f.start).String())
		}
		messages := f.inbox.Drain().Messages
		wantMessages(t, messages, "ann:1ms", "bob:2ms", "ann:3ms", "bob:4ms")
		for n, m := range messages {
			if m.Received.Sub(f.start) != time.Duration(n+1)*time.Millisecond || m.OpCode != 3 || m.UserID != m.SessionID {
				t.Errorf("message %d is %+v", n, m)
			}
		}
	})
}

func TestMessagesBeforeTheJoinFollowIt(t *testing.T) {
	run(t, func(t *testing.T, f *fixture) {
		f.join("bob")
		f.admit("ann")
		f.send("ann", 1, "a")
		f.send("bob", 1, "b")
		f.send("ann", 1, "c")
		wantMessages(t, f.inbox.Drain().Messages, "bob:b")
		wantMessages(t, f.inbox.Join("ann").Messages, "ann:a", "ann:c")
		f.send("ann", 1, "d")
		wantMessages(t, f.inbox.Drain().Messages, "ann:d")
	})
}

func TestMessagesBeforeTheJoinCauseNoWakeUp(t *testing.T) {
	run(t, func(t *testing.T, f *fixture) {
		f.admit("ann")
		f.send("ann", 1, "a")
		pass(time.Second)
		wantCount(t, "signals", f.nakama.signals, 0)
	})
}

func TestSecondAdmitDoesNotUndoTheJoin(t *testing.T) {
	run(t, func(t *testing.T, f *fixture) {
		f.join("ann")
		f.inbox.Admit("ann")
		f.send("ann", 1, "a")
		wantMessages(t, f.inbox.Drain().Messages, "ann:a")
	})
}

func TestLeaveReturnsAllMessagesOfTheSession(t *testing.T) {
	run(t, func(t *testing.T, f *fixture) {
		f.join("ann")
		f.admit("bob")
		f.send("ann", 1, "a")
		f.send("bob", 1, "b")
		wantMessages(t, f.inbox.Leave("ann", "bob").Messages, "ann:a", "bob:b")
		f.send("ann", 1, "late") // passed the membership check before the server removed the session
		wantMessages(t, f.inbox.Drain().Messages)
	})
}

func TestSessionCanJoinAgainAfterItsLeave(t *testing.T) {
	run(t, func(t *testing.T, f *fixture) {
		f.join("ann")
		f.inbox.Leave("ann")
		f.admit("ann")
		f.send("ann", 1, "a")
		wantMessages(t, f.inbox.Drain().Messages)
		wantMessages(t, f.inbox.Join("ann").Messages, "ann:a")
	})
}

func TestMessagesOfOneUserAreLimited(t *testing.T) {
	cases := map[string]struct {
		data    string
		fitting int
	}{
		"number":  {"x", 64},
		"bytes":   {strings.Repeat("x", 20<<10), 3},
		"maximum": {strings.Repeat("x", 64<<10), 1},
		"size":    {strings.Repeat("x", 64<<10+1), 0},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			run(t, func(t *testing.T, f *fixture) {
				f.join("ann")
				f.admit("bob") // kept messages count as well
				for _, session := range []string{"ann", "bob"} {
					for range 100 {
						f.send(session, 7, c.data)
					}
				}
				ann, bob := f.inbox.Drain(), f.inbox.Join("bob")
				wantCount(t, "messages of ann", len(ann.Messages), c.fitting)
				wantCount(t, "messages of bob", len(bob.Messages), c.fitting)
				wantRefusals(t, ann.Refusals, fmt.Sprintf("ann 7: %d", 100-c.fitting))
				wantRefusals(t, bob.Refusals, fmt.Sprintf("bob 7: %d", 100-c.fitting))
			})
		})
	}
}

func TestSessionsOfOneUserShareALimit(t *testing.T) {
	run(t, func(t *testing.T, f *fixture) {
		f.join("phone")
		f.join("laptop")
		for _, session := range []string{"phone", "laptop"} {
			for range 40 {
				_, _ = f.registry.Hook(caller("ann", session), nil, nil, nil, envelope(matchID, 1, "x"))
			}
		}
		wantRefusals(t, f.inbox.Drain().Refusals, "laptop 1: 16")
	})
}

func TestMessagesOfAMatchAreLimited(t *testing.T) {
	for size, fitting := range map[int]int{1: 1024, 16 << 10: 64} {
		run(t, func(t *testing.T, f *fixture) {
			const users = 400
			for user := range users {
				f.join(fmt.Sprint(user))
			}
			for n := range 3 * users {
				f.send(fmt.Sprint(n%users), 1, strings.Repeat("x", size))
			}
			wantCount(t, "messages", len(f.inbox.Drain().Messages), fitting)
		})
	}
}

func TestDrainMakesRoom(t *testing.T) {
	run(t, func(t *testing.T, f *fixture) {
		f.join("ann")
		for range 3 {
			for range 65 {
				f.send("ann", 1, "x")
			}
			arrivals := f.inbox.Drain()
			wantCount(t, "messages", len(arrivals.Messages), 64)
			wantRefusals(t, arrivals.Refusals, "ann 1: 1")
		}
		wantCount(t, "counted messages", f.inbox.counts.Total().Inputs, 0)
	})
}

func TestRefusalsAreBounded(t *testing.T) {
	run(t, func(t *testing.T, f *fixture) {
		f.join("ann")
		for range 64 {
			f.send("ann", 1, "x")
		}
		for opCode := range int64(1000) {
			f.send("ann", opCode, "x")
		}
		f.send("ann", 2, "x")
		wantRefusals(t, f.inbox.Drain().Refusals,
			"ann 0: 1", "ann 1: 1", "ann 2: 2", "ann 3: 1", "ann 4: 1", "ann 5: 1", "ann 6: 1", "ann 7: 993")
	})
}

func TestStoppedMatchHasNoInbox(t *testing.T) {
	run(t, func(t *testing.T, f *fixture) {
		f.join("ann")
		f.send("ann", 1, "x")
		f.stop()
		synctest.Wait()
		if f.registry.find(matchID) != nil || len(f.registry.inboxes) != 0 {
			t.Error("the inbox is still registered")
		}
		f.inbox.Admit("bob")
		f.inbox.add(Message{UserID: "ann", SessionID: "ann"})
		for _, arrivals := range []Arrivals{f.inbox.Drain(), f.inbox.Join("ann"), f.inbox.Leave("ann"), f.inbox.Woken()} {
			wantMessages(t, arrivals.Messages)
		}
	})
}

func TestEarlierMatchDoesNotRemoveALaterOneWithItsID(t *testing.T) {
	run(t, func(t *testing.T, f *fixture) {
		later, err := f.registry.Open(t.Context(), matchID)
		if err != nil {
			t.Fatal(err)
		}
		f.stop()
		synctest.Wait()
		if f.registry.find(matchID) != later {
			t.Error("the later inbox was removed")
		}
	})
}

func TestInvalidMatchIDCannotBeOpened(t *testing.T) {
	for _, id := range []string{"", matchUUID, matchUUID + ".", "x.node1"} {
		if _, err := New(Config{}).Open(t.Context(), id); err == nil {
			t.Errorf("%q was opened", id)
		}
	}
}

func wantRefusals(t *testing.T, refusals []Refusal, want ...string) {
	t.Helper()
	var got []string
	for _, r := range refusals {
		got = append(got, fmt.Sprintf("%s %d: %d", r.SessionID, r.OpCode, r.Count))
	}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("refusals are %v, want %v", got, want)
	}
}
