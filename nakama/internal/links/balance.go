package links

import (
	"context"
	"strconv"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/health/grpc_health_v1"
	"google.golang.org/grpc/metadata"
)

const (
	balanceInterval = 500 * time.Millisecond
	workerKey       = "set-worker"  // in the trailer of a health check: an id of the worker that answered
	workersKey      = "set-workers" // the number of workers that share its port
)

// worker is the process of the service that a link reaches.
type worker struct {
	id     string // empty: the service does not name its workers
	number int    // of the workers that share the port
}

// identify determines the worker at the other end of the link. The health service of gRPC also answers without a token.
func (l *Link) identify(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, checkTimeout)
	defer cancel()
	var trailer metadata.MD
	client, request := grpc_health_v1.NewHealthClient(l.conn), &grpc_health_v1.HealthCheckRequest{}
	if _, err := client.Check(ctx, request, grpc.Trailer(&trailer)); err == nil {
		reached := workerOf(trailer)
		l.worker.Store(&reached)
	}
}

// workerOf returns the worker that wrote a trailer. Its id is empty if the trailer names none.
func workerOf(trailer metadata.MD) worker {
	id, text := trailer.Get(workerKey), trailer.Get(workersKey)
	if len(id) != 1 || len(text) != 1 {
		return worker{}
	}
	number, err := strconv.Atoi(text[0])
	if err != nil {
		return worker{}
	}
	return worker{id: id[0], number: number}
}

// reached returns the worker that the link reaches.
func (l *Link) reached() worker {
	if known := l.worker.Load(); known != nil {
		return *known
	}
	return worker{}
}

// balance distributes the links of each address over its workers. The system selects the worker of a connection at random, so
// without this some workers would have several links and others none.
func (p *Pool) balance() {
	byAddress := make(map[string][]*Link)
	for _, link := range p.list() {
		if link.worker.Load() == nil && link.Ready() && link.health.level() == healthy {
			link.identify(p.ctx)
		}
		byAddress[link.address] = append(byAddress[link.address], link)
	}
	for _, list := range byAddress {
		if surplus, counts := findSurplus(list); surplus != nil {
			p.move(surplus, counts)
		}
	}
}

// findSurplus returns a link to the worker with the most links, and the number of links to each worker. It returns nil if
// another distribution would not be better, or if a link is not healthy or its worker is not known.
func findSurplus(list []*Link) (*Link, map[string]int) {
	counts := make(map[string]int)
	for _, link := range list {
		if !link.Ready() || link.reached().id == "" || link.health.level() != healthy {
			return nil, nil
		}
		counts[link.reached().id]++
	}
	surplus, fewest := list[0], len(list)
	for _, link := range list {
		count := counts[link.reached().id]
		fewest = min(fewest, count)
		if count > counts[surplus.reached().id] {
			surplus = link
		}
	}
	if len(counts) < surplus.reached().number {
		fewest = 0
	}
	if counts[surplus.reached().id]-fewest < 2 {
		return nil, nil
	}
	return surplus, counts
}

// move replaces a link by a new one, if that reaches a worker with at least two links less.
func (p *Pool) move(surplus *Link, counts map[string]int) {
	fresh, err := p.open(surplus.address, surplus.seed)
	if err != nil {
		return
	}
	isBetter := responds(fresh)
	if isBetter {
		fresh.identify(p.ctx)
		id := fresh.reached().id
		isBetter = id != "" && counts[surplus.reached().id]-counts[id] >= 2
	}
	if !isBetter || !p.replace(surplus, fresh) {
		fresh.cancel()
	}
}
