package links

import (
	"context"
	"time"

	"setmatch/nakama/pb"
)

const (
	recheckInterval = 200 * time.Millisecond
	checkTimeout    = time.Second
	redialTimeout   = 2 * time.Second
	redialPoll      = 10 * time.Millisecond
)

// recheckDue checks the avoided links whose pause is over.
func (p *Pool) recheckDue() {
	now := time.Now()
	for _, link := range p.list() {
		if link.Ready() && link.health.isDue(now) {
			go p.recovered(func() { p.recheck(link) })
		}
	}
}

// recheck makes a call that belongs to no match, so that no player waits for a replica that hangs. If the connection has not
// been opened since the last failure, it opens a new one, because a load balancer may connect it to another replica.
func (p *Pool) recheck(link *Link) {
	if link.readyAt.Load() >= link.health.lastFailure().UnixNano() {
		if responds(link) {
			link.health.passCheck()
		}
		return
	}
	fresh, err := p.open(link.address, link.seed)
	if err != nil {
		return
	}
	isUsed := responds(fresh)
	if isUsed {
		fresh.health = link.health.successor()
		isUsed = p.replace(link, fresh)
	}
	if !isUsed {
		fresh.cancel()
	}
}

// responds reports whether a link becomes ready and the service answers a call over it, without changing the link's health. It
// calls MatchOptions, because the health service of gRPC also answers while the handlers of the calls fail.
func responds(link *Link) bool {
	for end := time.Now().Add(redialTimeout); !link.Ready(); time.Sleep(redialPoll) {
		if time.Now().After(end) {
			return false
		}
	}
	ctx, cancel := context.WithTimeout(context.Background(), checkTimeout)
	defer cancel()
	_, err := pb.NewMatchHandlerServiceClient(link.conn).MatchOptions(ctx, &pb.MatchOptionsRequest{})
	v := verdictOf(ctx, nil, err)
	return v == works || v == noEvidence
}
