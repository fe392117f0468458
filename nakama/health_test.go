package main

import (
	"context"
	"testing"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/connectivity"
)

// setTimedOut sets the time of the last timeout of a link.
func (l *rulesLink) setTimedOut(ago time.Duration) {
	at := time.Now().Add(-ago)
	l.health.timedOutAt.Store(&at)
}

func TestLinkIsAvoidedForAWhileAfterTimeout(t *testing.T) {
	rules := &rulesPool{links: []*rulesLink{{}, {}, {}}}
	for _, link := range rules.links {
		rules.setState(link, connectivity.Ready)
	}
	cases := []struct {
		name          string
		first, second time.Duration
		want          int
	}{
		{"next link is healthy", 0, time.Hour, 1},
		{"third link is healthy", 0, 0, 2},
		{"timeout long ago", avoidTime, 0, 0},
	}
	for _, c := range cases {
		rules.links[0].setTimedOut(c.first)
		rules.links[1].setTimedOut(c.second)
		if link, ready := rules.pick(0); link != rules.links[c.want] || !ready {
			t.Errorf("%s: link %d is not used", c.name, c.want)
		}
	}
	rules.links[0].setTimedOut(0)
	rules.setState(rules.links[1], connectivity.TransientFailure)
	rules.setState(rules.links[2], connectivity.TransientFailure)
	if link, ready := rules.pick(1); link != rules.links[0] || !ready {
		t.Error("the only ready link is not used")
	}
}

func TestCallResultSetsLinkHealth(t *testing.T) {
	f := startService(t)
	r, rules := dial(t, settings{addr: f.addr})
	r.waitUntil("a connection", rules.allReady)
	for _, c := range []struct {
		code    codes.Code
		healthy bool
	}{
		{codes.Internal, true}, {codes.DeadlineExceeded, false}, {codes.Internal, false}, {codes.OK, true},
	} {
		f.failWith(c.code, "MatchOptions")
		if c.code == codes.OK {
			f.reset()
		}
		_ = callOptions(r, 0)
		if got := rules.links[0].health.isHealthy(); got != c.healthy {
			t.Errorf("after %v: healthy %t", c.code, got)
		}
	}
}

func TestCancelledBatchMarksLinkOnlyAfterDeadline(t *testing.T) {
	for reason, healthy := range map[error]bool{context.DeadlineExceeded: false, context.Canceled: true} {
		ctx, cancel := context.WithCancelCause(context.Background())
		cancel(reason)
		link := &rulesLink{}
		link.health.record(ctx, scriptedError(codes.Canceled))
		if got := link.health.isHealthy(); got != healthy {
			t.Errorf("after %v: healthy %t", reason, got)
		}
	}
}
