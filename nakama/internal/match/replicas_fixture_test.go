package match

import (
	"context"
	"fmt"
	"net"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/heroiclabs/nakama-common/runtime"

	"setmatch/nakama/internal/config"
	"setmatch/nakama/internal/fake"
	"setmatch/nakama/internal/telemetry"
)

// replicaName is a name whose addresses a test changes.
type replicaName struct {
	mu    sync.Mutex
	hosts []string
}

func (n *replicaName) set(hosts ...string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.hosts = hosts
}

func (n *replicaName) lookup(context.Context, string) ([]string, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.hosts, nil
}

// replicas is a fixture with several replicas behind one name, with one link to each.
type replicas struct {
	*fixture
	services []*fake.Service
	name     *replicaName
	matches  []*matchState
}

func newReplicas(t *testing.T, count int) *replicas {
	t.Helper()
	r := &replicas{fixture: newFixture(t), name: &replicaName{}, services: []*fake.Service{fake.StartService(t)}}
	_, port, _ := net.SplitHostPort(r.services[0].Addr)
	hosts := []string{"127.0.0.1"}
	for number := 2; number <= count; number++ {
		f, host := fake.NewService(), fmt.Sprint("127.0.0.", number)
		f.Serve(t, net.JoinHostPort(host, port))
		t.Cleanup(func() { f.Server.Stop() })
		hosts = append(hosts, host)
		r.services = append(r.services, f)
	}
	r.name.set(hosts...)
	r.useRules(config.Settings{Addr: "dns:///rules.test:" + port}, r.name.lookup)
	r.waitReady(int64(count))
	r.collectInputs()
	r.shared.timing.loopDeadline = time.Second // a busy machine must not look like a frozen replica
	return r
}

// freeze scripts methods to hang until their deadline, and also the checks of the links.
func freeze(f *fake.Service, methods ...string) {
	for _, method := range append(methods, "MatchOptions") {
		f.Handle(method, func(ctx context.Context, _ any) (any, error) { <-ctx.Done(); return nil, ctx.Err() })
	}
}

// collectInputs scripts all replicas to append the inputs to the state.
func (r *replicas) collectInputs() {
	for _, f := range r.services {
		collectInputs(f)
	}
}

// addMatches creates matches. Every callback of them is forwarded over the links of the name.
func (r *replicas) addMatches(count int) {
	r.t.Helper()
	for number := range count {
		ctx, cancel := fake.MatchContext(fmt.Sprint("match-", number, ".node"))
		r.t.Cleanup(cancel)
		state, _, _ := r.adapter.MatchInit(ctx, r.logger, nil, r.nakama, nil)
		if state == nil {
			r.t.Fatal("MatchInit failed")
		}
		r.matches = append(r.matches, state.(*matchState))
	}
}

// play sends one input to each match, one match after the other, and runs further ticks until all queues are empty.
func (r *replicas) play(data string) {
	r.t.Helper()
	for number, m := range r.matches {
		r.tickOf(m, r.input("ann", fmt.Sprint(data, ".", number)))
		for ticks := 0; m.queue.size() > 0; ticks++ {
			if ticks > 100 {
				r.t.Fatalf("match %d: the queue is not empty", number)
			}
			r.tickOf(m)
		}
	}
}

func (r *replicas) tickOf(m *matchState, messages ...runtime.MatchData) {
	r.advance(50)
	r.adapter.MatchLoop(m.ctx, r.logger, nil, r.nakama, r.out, r.tick, m, messages)
	r.tick++
}

// wantInputs checks that every match received each input once and in order, that none was dropped, and that none was closed.
func (r *replicas) wantInputs(datas ...string) {
	r.t.Helper()
	for number, m := range r.matches {
		var want []string
		for _, data := range datas {
			want = append(want, fmt.Sprint(data, ".", number))
		}
		if got := strings.Fields(string(m.service.state))[2:]; strings.Join(got, " ") != strings.Join(want, " ") || m.ending.over {
			r.t.Errorf("match %d received %q, want %q; over %t", number, got, want, m.ending.over)
		}
	}
	if got := r.nakama.Counter(telemetry.PoisonedInputs) + r.nakama.Counter(telemetry.RecoveredPanics); got > 0 {
		r.t.Errorf("%d dropped inputs and panics", got)
	}
}

// takeLoops returns the number of MatchLoop calls that each replica received since the last call.
func (r *replicas) takeLoops() []int {
	counts := make([]int, len(r.services))
	for i, f := range r.services {
		for _, method := range f.TakeMethods() {
			if method == "MatchLoop" {
				counts[i]++
			}
		}
	}
	return counts
}
