package main

import (
	"context"
	"testing"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/connectivity"
)

// missed lets a deadline have passed over a connection, so long ago.
func (l *rulesLink) missed(ago time.Duration) {
	at := time.Now().Add(-ago)
	l.health.missedAt.Store(&at)
}

func TestAConnectionOverWhichADeadlinePassedIsAvoidedForAWhile(t *testing.T) {
	rules := &rulesPool{links: []*rulesLink{{}, {}, {}}}
	for _, link := range rules.links {
		rules.note(link, connectivity.Ready)
	}
	cases := []struct {
		name          string
		first, second time.Duration
		want          int
	}{
		{"the next is well", 0, time.Hour, 1},
		{"so is the one after that", 0, 0, 2},
		{"long ago", avoidedFor, 0, 0},
	}
	for _, c := range cases {
		rules.links[0].missed(c.first)
		rules.links[1].missed(c.second)
		if link, ready := rules.pick(0); link != rules.links[c.want] || !ready {
			t.Errorf("%s: not over connection %d", c.name, c.want)
		}
	}
	rules.links[0].missed(0)
	rules.note(rules.links[1], connectivity.TransientFailure)
	rules.note(rules.links[2], connectivity.TransientFailure)
	if link, ready := rules.pick(1); link != rules.links[0] || !ready {
		t.Error("the only connection that stands is not used")
	}
}

func TestACallTellsWhetherItsConnectionIsWell(t *testing.T) {
	f := startService(t)
	r, rules := dial(t, settings{addr: f.addr})
	r.await("a connection", rules.allReady)
	for _, c := range []struct {
		code codes.Code
		well bool
	}{
		{codes.Internal, true}, {codes.DeadlineExceeded, false}, {codes.Internal, false}, {codes.OK, true},
	} {
		f.failing(c.code, "MatchOptions")
		if c.code == codes.OK {
			f.well()
		}
		_ = ask(r, 0)
		if got := rules.links[0].health.isWell(); got != c.well {
			t.Errorf("after %v: well %t", c.code, got)
		}
	}
}

func TestABatchThatAllGaveUpForItsDeadlineTellsSo(t *testing.T) {
	for reason, well := range map[error]bool{context.DeadlineExceeded: false, context.Canceled: true} {
		ctx, cancel := context.WithCancelCause(context.Background())
		cancel(reason)
		link := &rulesLink{}
		link.health.judge(ctx, scriptedError(codes.Canceled))
		if got := link.health.isWell(); got != well {
			t.Errorf("after %v: well %t", reason, got)
		}
	}
}
