package links

import (
	"context"
	"errors"
	"net"
	"slices"
	"strings"
	"testing"

	"setmatch/nakama/internal/fake"
	"setmatch/nakama/pb"
)

func count(hosts []string, host string) int {
	return len(slices.DeleteFunc(slices.Clone(hosts), func(h string) bool { return h != host }))
}

func TestAddedReplicaTakesOnlyItsShare(t *testing.T) {
	t.Parallel()
	list := startReplicas(t, 3)
	name := &testName{}
	name.set(nil, "127.0.0.1", "127.0.0.2")
	p := openName(t, name, list[0].port, 2)
	waitReady(t, p, 4)
	before := picks(p)
	name.set(nil, "127.0.0.1", "127.0.0.2", "127.0.0.3")
	waitReady(t, p, 6)
	after := picks(p)
	if share := count(after, "127.0.0.3"); share < 850 || share > 1150 {
		t.Errorf("the added replica has %d of 3000 matches", share)
	}
	for i := range after {
		if after[i] != before[i] && after[i] != "127.0.0.3" {
			t.Fatalf("a match moved from %s to %s", before[i], after[i])
		}
	}
}

func TestMatchesOfRemovedReplicaAreSpreadEvenly(t *testing.T) {
	t.Parallel()
	list := startReplicas(t, 3)
	name := &testName{}
	name.set(nil, "127.0.0.1", "127.0.0.2", "127.0.0.3")
	p := openName(t, name, list[0].port, 1)
	waitReady(t, p, 3)
	before := picks(p)
	name.set(nil, "127.0.0.1", "127.0.0.2")
	waitReady(t, p, 2)
	after := picks(p)
	moved := 0
	for i := range after {
		switch {
		case before[i] == "127.0.0.3" && after[i] == "127.0.0.1":
			moved++
		case before[i] != "127.0.0.3" && after[i] != before[i]:
			t.Fatalf("a match moved from %s to %s", before[i], after[i])
		}
	}
	if all := count(before, "127.0.0.3"); moved < all*2/5 || moved > all*3/5 {
		t.Errorf("%d of %d matches moved to the first replica", moved, all)
	}
}

func TestRemovedReplicaFinishesItsCalls(t *testing.T) {
	t.Parallel()
	list := startReplicas(t, 2)
	name := &testName{}
	name.set(nil, "127.0.0.2")
	p := openName(t, name, list[0].port, 1)
	waitReady(t, p, 1)
	finish, result := make(chan struct{}), make(chan error)
	list[1].set(func(context.Context) error { <-finish; return nil })
	link, _ := p.Pick(0, nil)
	go func() {
		_, err := link.Client().MatchLoop(context.Background(), &pb.MatchLoopRequest{})
		result <- err
	}()
	fake.WaitUntil(t, "the call", func() bool { return list[1].takeLoops() == 1 })
	name.set(nil, "127.0.0.1")
	fake.WaitUntil(t, "the change", func() bool { next, _ := p.Pick(0, nil); return next != link && next.Ready() })
	close(finish)
	if err := <-result; err != nil {
		t.Errorf("the call in flight failed: %v", err)
	}
	fake.WaitUntil(t, "the end of the connection", func() bool { return callOver(link) != nil })
}

func callOver(link *Link) error {
	_, err := link.Client().MatchLoop(context.Background(), &pb.MatchLoopRequest{})
	return err
}

func TestUnusableAddressDoesNotAffectOthers(t *testing.T) {
	t.Parallel()
	list := startReplicas(t, 2)
	name := &testName{}
	name.set(nil, "127.0.0.1")
	p := openName(t, name, list[0].port, 1)
	waitReady(t, p, 1)
	const unusable = "fe80::1%eth0"
	name.set(nil, "127.0.0.2", unusable)
	fake.WaitUntil(t, "the change", func() bool { return strings.Contains(p.Problem(), unusable) })
	waitReady(t, p, 1)
	if got := p.list()[0].address; got != net.JoinHostPort("127.0.0.2", list[1].port) {
		t.Errorf("the address of the link is %s", got)
	}
}

func TestNameWithoutAddressKeepsLinks(t *testing.T) {
	t.Parallel()
	list := startReplicas(t, 1)
	name := &testName{}
	name.set(nil, "127.0.0.1")
	p := openName(t, name, list[0].port, 2)
	waitReady(t, p, 2)
	links := p.list()
	for _, err := range []error{nil, errors.New("server failure")} {
		name.set(err)
		fake.WaitUntil(t, "two lookups", func() bool { return name.lookedUp(2) })
		if !slices.Equal(p.list(), links) || call(p, 0) != nil {
			t.Errorf("after lookups with error %v the links have changed", err)
		}
	}
}

func TestNameThatIsResolvedLateIsUsed(t *testing.T) {
	t.Parallel()
	list := startReplicas(t, 1)
	name := &testName{}
	name.set(errors.New("no such host"))
	p := openName(t, name, list[0].port, 1)
	fake.WaitUntil(t, "a lookup", func() bool { return strings.Contains(p.Problem(), "rules.test cannot be resolved: no such host") })
	if link, _ := p.Pick(0, nil); link != nil || p.Reachable() {
		t.Error("there is a link without an address")
	}
	name.set(nil, "127.0.0.1")
	waitReady(t, p, 1)
}

func TestEveryAddressOfListHasItsConnections(t *testing.T) {
	list := startReplicas(t, 3)
	var addresses []string
	for _, r := range list {
		addresses = append(addresses, net.JoinHostPort(r.host, r.port))
	}
	p := open(t, Config{Addresses: addresses, Connections: 4})
	waitReady(t, p, 12)
	for _, r := range list {
		if share := count(picks(p), r.host); share < 850 || share > 1150 {
			t.Errorf("%s has %d of 3000 matches", r.host, share)
		}
	}
}

func TestLookupsEndWithThePool(t *testing.T) {
	list := startReplicas(t, 1)
	name := &testName{}
	name.set(nil, "127.0.0.1")
	p := openName(t, name, list[0].port, 1)
	waitReady(t, p, 1)
	p.Close()
	fake.WaitUntil(t, "the end of the connection", func() bool { return !p.Reachable() })
	if p.ctx.Err() == nil {
		t.Error("the goroutines of the pool do not end")
	}
}
