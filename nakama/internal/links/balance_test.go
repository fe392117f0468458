package links

import (
	"slices"
	"strings"
	"testing"

	"google.golang.org/grpc/metadata"

	"setmatch/nakama/internal/fake"
)

// startWorkers starts replicas that share the address of a load balancer, as workers do.
func startWorkers(t *testing.T, number int) (list []*replica) {
	t.Helper()
	for range number {
		r := startReplica(t, "127.0.0.1", "0")
		r.of = number
		list = append(list, r)
	}
	return list
}

// workersOf returns the number of links to each known worker, in descending order.
func workersOf(p *Pool) (counts []int) {
	byID := make(map[string]int)
	for _, link := range p.list() {
		byID[link.reached().id]++
	}
	delete(byID, "")
	for _, count := range byID {
		counts = append(counts, count)
	}
	slices.Sort(counts)
	slices.Reverse(counts)
	return counts
}

func TestLinksAreDistributedOverWorkers(t *testing.T) {
	t.Parallel()
	workers := startWorkers(t, 2)
	addr, choose := startBalancer(t, workers[0])
	p := open(t, Config{Addresses: []string{addr}, Connections: 4})
	waitReady(t, p, 4)
	choose(workers[1])
	fake.WaitUntil(t, "two links to each worker", func() bool { return slices.Equal(workersOf(p), []int{2, 2}) })
	waitReady(t, p, 4)
	connects := p.Connects()
	p.balance()
	if got := p.Connects() - connects; got != 0 {
		t.Errorf("%d more connections were opened", got)
	}
	if failed := callMany(p); failed > 0 || workers[0].takeLoops() == 0 || workers[1].takeLoops() == 0 {
		t.Errorf("%d calls failed, or a worker received none", failed)
	}
}

func TestNewConnectionToTheSameWorkerIsClosed(t *testing.T) {
	workers := startWorkers(t, 2)
	addr, _ := startBalancer(t, workers[0])
	p := open(t, Config{Addresses: []string{addr}, Connections: 2})
	waitReady(t, p, 2)
	links, connects := p.list(), p.Connects()
	p.balance()
	if got := p.Connects() - connects; got < 1 || !slices.Equal(p.list(), links) {
		t.Errorf("%d connections were opened; links replaced: %t", got, !slices.Equal(p.list(), links))
	}
}

func TestSurplusIsFoundOnlyIfWorkersAreKnown(t *testing.T) {
	cases := []struct {
		workers string // one letter for each link; a dot is an unknown worker
		number  int
		want    string
	}{
		{"aaaa", 4, "a"}, {"abca", 4, "a"}, {"abcd", 4, ""}, {"aabb", 2, ""}, {"abbb", 2, "b"}, {"aaab", 1, "a"},
		{"aaaa", 1, ""}, {"aab", 2, ""}, {"abc", 8, ""}, {"aab.", 4, ""}, {"....", 4, ""}, {"a", 4, ""},
	}
	for _, c := range cases {
		var list []*Link
		for _, id := range strings.Split(c.workers, "") {
			link := &Link{health: &health{}}
			link.readyAt.Store(1)
			link.worker.Store(&worker{id: strings.Trim(id, "."), number: c.number})
			list = append(list, link)
		}
		got := ""
		if surplus, _ := findSurplus(list); surplus != nil {
			got = surplus.reached().id
		}
		if got != c.want {
			t.Errorf("%s of %d: got %q, want %q", c.workers, c.number, got, c.want)
		}
		list[0].health.current = failing
		if surplus, _ := findSurplus(list); surplus != nil {
			t.Errorf("%s of %d: a surplus was found although a link fails", c.workers, c.number)
		}
	}
}

func TestWorkerIsReadFromTrailer(t *testing.T) {
	for pairs, want := range map[string]worker{
		"set-worker=a set-workers=4": {id: "a", number: 4}, "": {}, "set-worker=a": {}, "set-worker=a set-workers=x": {},
		"set-worker=a set-worker=b set-workers=4": {},
	} {
		trailer := metadata.MD{}
		for _, pair := range strings.Fields(pairs) {
			key, value, _ := strings.Cut(pair, "=")
			trailer.Append(key, value)
		}
		if got := workerOf(trailer); got != want {
			t.Errorf("%q: got %v, want %v", pairs, got, want)
		}
	}
}
