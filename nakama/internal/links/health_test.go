package links

import (
	"context"
	"errors"
	"io"
	"net"
	"sync/atomic"
	"testing"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"setmatch/nakama/internal/fake"
	"setmatch/nakama/pb"
)

// openPair opens one link to each of two replicas.
func openPair(t *testing.T) (*Pool, []*replica) {
	t.Helper()
	list := startReplicas(t, 2)
	name := &testName{}
	name.set(nil, "127.0.0.1", "127.0.0.2")
	p := openName(t, name, list[0].port, 1)
	waitReady(t, p, 2)
	return p, list
}

// callMany makes calls for 50 keys and returns the number of failed ones.
func callMany(p *Pool) (failed int) {
	for key := range Key(50) {
		if call(p, key) != nil {
			failed++
		}
	}
	return failed
}

func TestFrozenReplicaGetsNoCallUntilItResponds(t *testing.T) {
	t.Parallel()
	p, list := openPair(t)
	list[0].set(hang)
	if failed := callMany(p); failed != 1 {
		t.Errorf("%d calls failed, want 1", failed)
	}
	list[0].takeLoops()
	for end := time.Now().Add(2 * firstPause); time.Now().Before(end); {
		if failed := callMany(p); failed > 0 {
			t.Fatalf("%d calls failed after the first", failed)
		}
	}
	if got := list[0].takeLoops(); got > 0 {
		t.Errorf("the frozen replica received %d calls", got)
	}
	list[0].set(nil)
	fake.WaitUntil(t, "its share", func() bool { return callMany(p) == 0 && list[0].takeLoops() > 10 })
}

func TestReplicaWithInternalErrorsIsAvoided(t *testing.T) {
	t.Parallel()
	for _, code := range []codes.Code{codes.Internal, codes.Unknown, codes.Unavailable} {
		p, list := openPair(t)
		list[1].set(func(context.Context) error { return status.Error(code, "scripted") })
		if failed := callMany(p); failed != 1 {
			t.Errorf("%v: %d calls failed, want 1", code, failed)
		}
		list[1].set(nil)
		fake.WaitUntil(t, "its share", func() bool { return callMany(p) == 0 && list[1].takeLoops() > 10 })
	}
}

func TestTrialIsTakenByOneCall(t *testing.T) {
	p, _ := openPair(t)
	bad, other := p.list()[0], p.list()[1]
	bad.health.record(fails, time.Now())
	bad.health.passCheck()
	taken := 0
	for key := range Key(100) {
		if link, alone := p.Pick(key, nil); alone && link == bad {
			taken++
		} else if alone || link != other {
			t.Fatalf("key %d got another link", key)
		}
	}
	if taken != 1 {
		t.Errorf("%d calls were made on trial", taken)
	}
}

func TestPauseDoublesUpToCeiling(t *testing.T) {
	h, now := &health{}, time.Now()
	h.record(hangs, now)
	for _, want := range []time.Duration{firstPause, 2 * firstPause, 4 * firstPause, pauseCeiling, pauseCeiling} {
		if h.isDue(now.Add(want - 1)) {
			t.Errorf("a check is due before %v", want)
		}
		now = now.Add(want)
		if !h.isDue(now) {
			t.Errorf("no check is due after %v", want)
		}
		h.passCheck()
		h.takeTrial()
		h.record(hangs, now)
	}
}

func TestLeastBadLinkIsUsedIfAllAreAvoided(t *testing.T) {
	p, _ := openPair(t)
	first, second := p.list()[0], p.list()[1]
	first.health.record(hangs, time.Now())
	second.health.record(fails, time.Now())
	for key := range Key(50) {
		if link, _ := p.Pick(key, nil); link != second {
			t.Fatal("the link that hangs was used")
		}
		if link, _ := p.Pick(key, []*Link{second}); link != second {
			t.Fatal("the link that hangs was used after an attempt")
		}
	}
}

func TestPickAllocatesNothing(t *testing.T) {
	p, _ := openPair(t)
	tried := p.list()[:1]
	if got := testing.AllocsPerRun(1000, func() { p.HasOther(tried[0]); p.Pick(7, tried) }); got != 0 {
		t.Errorf("%v allocations", got)
	}
}

func TestTriedAddressesAreUsedLast(t *testing.T) {
	list := startReplicas(t, 2)
	name := &testName{}
	name.set(nil, "127.0.0.1", "127.0.0.2")
	p := openName(t, name, list[0].port, 2)
	waitReady(t, p, 4)
	for key := range Key(20) {
		var tried []*Link
		for range 4 {
			link, _ := p.Pick(key, tried)
			tried = append(tried, link)
		}
		if tried[0].address == tried[1].address || tried[2] == tried[0] || tried[3] == tried[1] || tried[2] == tried[1] {
			t.Fatalf("key %d: the order is %v", key, tried)
		}
	}
}

func TestVerdicts(t *testing.T) {
	batch := func(list ...codes.Code) *pb.MatchBatchResponse {
		resp := &pb.MatchBatchResponse{}
		for _, code := range list {
			failure := &pb.MatchBatchResult_Failure{Failure: &pb.CallFailure{Code: int32(code)}}
			resp.Results = append(resp.Results, &pb.MatchBatchResult{Result: failure})
		}
		return resp
	}
	late, cancel := context.WithCancelCause(context.Background())
	cancel(context.DeadlineExceeded)
	left, cancel := context.WithCancelCause(context.Background())
	cancel(context.Canceled)
	now := context.Background()
	cases := []struct {
		name  string
		ctx   context.Context
		reply any
		err   error
		want  verdict
	}{
		{"success", now, &pb.MatchLoopResponse{}, nil, works},
		{"internal", now, nil, status.Error(codes.Internal, ""), fails},
		{"no status", now, nil, errors.New("x"), fails},
		{"timeout", now, nil, status.Error(codes.DeadlineExceeded, ""), hangs},
		{"batch that timed out", late, nil, status.Error(codes.Canceled, ""), hangs},
		{"canceled", left, nil, status.Error(codes.Canceled, ""), noEvidence},
		{"invalid options", now, nil, status.Error(codes.InvalidArgument, ""), noEvidence},
		{"too old", now, nil, status.Error(codes.FailedPrecondition, ""), noEvidence},
		{"failed batch", now, batch(codes.Internal, codes.Unknown), nil, fails},
		{"batch with one success", now, batch(codes.Internal, codes.OK), nil, works},
	}
	for _, c := range cases {
		if got := verdictOf(c.ctx, c.reply, c.err); got != c.want {
			t.Errorf("%s: got %d, want %d", c.name, got, c.want)
		}
	}
}

// startBalancer starts a load balancer for connections, and returns its address and a function that selects the replica for
// new connections.
func startBalancer(t *testing.T, first *replica) (string, func(*replica)) {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = listener.Close() })
	var target atomic.Pointer[replica]
	target.Store(first)
	go func() {
		for {
			client, err := listener.Accept()
			if err != nil {
				return
			}
			go forward(client, target.Load())
		}
	}()
	return listener.Addr().String(), target.Store
}

func forward(client net.Conn, to *replica) {
	server, err := net.Dial("tcp", net.JoinHostPort(to.host, to.port))
	if err != nil {
		_ = client.Close()
		return
	}
	go func() { _, _ = io.Copy(server, client); _ = server.Close() }()
	_, _ = io.Copy(client, server)
	_ = client.Close()
}

func TestLateFailureOverOldConnectionDoesNotCount(t *testing.T) {
	p, _ := openPair(t)
	old := p.list()[0]
	old.health.record(hangs, time.Now())
	p.recheck(old)
	fresh := p.list()[0]
	if fresh == old {
		t.Fatal("the link was not replaced")
	}
	old.health.record(hangs, time.Now())
	if got := fresh.health.level(); got != onTrial {
		t.Errorf("the level of the new link is %d", got)
	}
	if fresh.health.pause != old.health.pause || fresh.health.checkAt != old.health.checkAt {
		t.Error("the pause does not continue")
	}
}

func TestBadReplicaBehindLoadBalancerIsDialedAgain(t *testing.T) {
	t.Parallel()
	bad, good := startReplica(t, "127.0.0.1", "0"), startReplica(t, "127.0.0.1", "0")
	bad.set(func(context.Context) error { return status.Error(codes.Internal, "scripted") })
	addr, choose := startBalancer(t, bad)
	p := open(t, Config{Addresses: []string{addr}, Connections: 2})
	waitReady(t, p, 2)
	if failed := callMany(p); failed != 50 {
		t.Errorf("%d calls failed", failed)
	}
	choose(good)
	fake.WaitUntil(t, "the good replica", func() bool { return callMany(p) == 0 })
	waitReady(t, p, 2)
}
