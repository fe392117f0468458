package match

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"google.golang.org/grpc/codes"

	"setmatch/nakama/internal/config"
	"setmatch/nakama/internal/fake"
	"setmatch/nakama/internal/links"
	"setmatch/nakama/internal/telemetry"
	"setmatch/nakama/pb"
)

func TestRemovedReplicaLosesNothing(t *testing.T) {
	r := newReplicas(t, 3)
	r.addMatches(30)
	r.play("a")
	r.name.set("127.0.0.1", "127.0.0.3")
	r.waitUntil("the change", func() bool { r.takeLoops(); r.probeAll(); return r.takeLoops()[1] == 0 })
	r.services[1].Server.Stop()
	r.play("b")
	r.wantInputs("a", "b")
	if got := r.takeLoops(); got[0] < 5 || got[1] != 0 || got[2] < 5 {
		t.Errorf("calls of the replicas: %v", got)
	}
}

// probeAll makes a call without input for each match.
func (r *replicas) probeAll() {
	for _, m := range r.matches {
		m.callWithoutInput(r.tick, r.out, m.lastDrain)
		r.tick++
	}
}

func TestKilledReplicaLosesNothing(t *testing.T) {
	r := newReplicas(t, 2)
	r.addMatches(20)
	r.play("a")
	r.services[1].Server.Stop()
	r.play("b")
	r.wantInputs("a", "b")
}

func TestOneFrozenReplicaDelaysOneCall(t *testing.T) {
	r := newReplicas(t, 2)
	r.addMatches(20)
	r.play("a")
	r.takeLoops()
	freeze(r.services[0], "MatchLoop")
	r.play("b")
	r.wantInputs("a", "b")
	if got := r.takeLoops(); got[0] != 1 || got[1] != 20 {
		t.Errorf("calls of the replicas: %v", got)
	}
}

func TestRetryOverAnotherReplicaIsNotBatched(t *testing.T) {
	r := newReplicas(t, 3)
	r.addMatches(1)
	m := r.matches[0]
	first, alone := m.pickLink()
	if alone {
		t.Error("the first call would not be batched")
	}
	m.calls.tried = []*links.Link{first}
	if second, alone := m.pickLink(); second == first || !alone {
		t.Errorf("the retry uses the same link: %t, and is alone: %t", second == first, alone)
	}
}

func TestJoinAttemptSucceedsWithOneFrozenReplica(t *testing.T) {
	r := newReplicas(t, 2)
	r.shared.timing.attemptDeadline = 2 * time.Second
	r.addMatches(8)
	freeze(r.services[0], "MatchJoinAttempt")
	for number, m := range r.matches {
		_, allow, reason := r.adapter.MatchJoinAttempt(m.ctx, r.logger, nil, r.nakama, r.out, r.tick, m, fake.NewPresence("ann"), nil)
		if !allow || m.outage.Down {
			t.Errorf("match %d: denied with %q", number, reason)
		}
	}
}

func TestLobbyCallSucceedsWithOneFailingReplica(t *testing.T) {
	for _, code := range []codes.Code{codes.Internal, codes.Unavailable, codes.Unknown} {
		r := newReplicas(t, 2)
		r.services[1].FailWith(code, "MatchOptions", "MatchInit")
		for range 10 {
			if _, err := r.shared.Rules.Options(context.Background(), "{}"); err != nil {
				t.Errorf("%v: %v", code, err)
			}
		}
		r.addMatches(10)
	}
}

func TestInvalidOptionsAreNotSentTwice(t *testing.T) {
	r := newReplicas(t, 2)
	for _, f := range r.services {
		f.FailWith(codes.InvalidArgument, "MatchOptions")
	}
	_, err := r.shared.Rules.Options(context.Background(), "{}")
	if calls := len(r.services[0].TakeCalls()) + len(r.services[1].TakeCalls()); err == nil || calls != 1 {
		t.Errorf("%d calls, error %v", calls, err)
	}
}

func TestReplicaWithInternalErrorsDropsNoInput(t *testing.T) {
	r := newReplicas(t, 2)
	r.addMatches(20)
	r.services[0].FailWith(codes.Internal, append(everyCallback, "MatchOptions")...)
	r.play("a")
	r.play("b")
	r.wantInputs("a", "b")
	if got := r.takeLoops(); got[0] != 1 {
		t.Errorf("calls of the replicas: %v", got)
	}
}

func TestMatchesContinueAfterInternalErrorsOfAllReplicas(t *testing.T) {
	r := newReplicas(t, 2)
	r.addMatches(4)
	for _, f := range r.services {
		f.FailWith(codes.Internal, everyCallback...)
	}
	for number, m := range r.matches {
		r.tickOf(m, r.input("ann", fmt.Sprint("a.", number)))
		for range 60 * 20 {
			r.tickOf(m)
		}
	}
	for _, f := range r.services {
		f.Reset()
	}
	r.collectInputs()
	r.play("b")
	r.wantInputs("a", "b")
}

// One input of a player may fail on every replica. It must neither be delivered nor close the match.
func TestInputThatFailsOnAllReplicasIsDroppedAlone(t *testing.T) {
	r := newReplicas(t, 3)
	r.addMatches(1)
	for _, f := range r.services {
		collect := f.Scripted("MatchLoop")
		f.Handle("MatchLoop", func(ctx context.Context, req any) (any, error) {
			for _, input := range req.(*pb.MatchLoopRequest).Inputs {
				if string(input.Data) == "bad" {
					return nil, fake.ScriptedError(codes.Internal)
				}
			}
			return collect(ctx, req)
		})
	}
	m := r.matches[0]
	r.tickOf(m, r.input("ann", "a.0"), r.input("bob", "bad"), r.input("ann", "b.0"))
	for ticks := 0; m.queue.size() > 0 && ticks < 100; ticks++ {
		r.tickOf(m)
	}
	if got := strings.Fields(string(m.service.state))[2:]; strings.Join(got, " ") != "a.0 b.0" || m.ending.over {
		t.Errorf("received %q, over %t", got, m.ending.over)
	}
	if got := r.nakama.Counter(telemetry.PoisonedInputs); got != 1 {
		t.Errorf("%d inputs were dropped", got)
	}
}

// During an upgrade a match must stay on the replica that can read its state, also if there is only one.
func TestMatchStaysOnNewReplicaDuringUpgrade(t *testing.T) {
	r := newReplicas(t, 3)
	r.addMatches(6)
	r.services[0].FailWith(codes.FailedPrecondition, "MatchLoop")
	r.services[1].FailWith(codes.FailedPrecondition, "MatchLoop")
	r.play("a")
	r.takeLoops()
	r.play("b")
	r.wantInputs("a", "b")
	if got := r.takeLoops(); got[0]+got[1] != 0 || got[2] != 6 {
		t.Errorf("calls of the replicas: %v", got)
	}
}

func TestUnresolvedNameIsReported(t *testing.T) {
	r := newFixture(t)
	r.useRules(config.Settings{Addr: "dns:///rules.test:7400"}, func(context.Context, string) ([]string, error) {
		return nil, errors.New("no such host")
	})
	r.waitUntil("a lookup", func() bool {
		r.clock.Advance(time.Minute)
		_, err := r.shared.Rules.Options(context.Background(), "{}")
		return err != nil && strings.Contains(r.logger.All(), "rules.test cannot be resolved: no such host")
	})
}
