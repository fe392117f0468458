package links

import (
	"context"
	"fmt"
	"net"
	"slices"
	"sync"
	"testing"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	grpchealth "google.golang.org/grpc/health"
	"google.golang.org/grpc/health/grpc_health_v1"
	"google.golang.org/grpc/metadata"

	"setmatch/nakama/internal/fake"
	"setmatch/nakama/pb"
)

// replica is a rules service with scripted MatchLoop and MatchOptions calls.
type replica struct {
	pb.UnimplementedMatchHandlerServiceServer
	host   string
	port   string
	mu     sync.Mutex
	answer func(context.Context) error // nil: success
	loops  int                         // received MatchLoop calls
	of     int                         // the number of workers that share its address; 0: it names no worker
}

// startReplica starts a replica at a loopback host; an empty port selects a free one.
func startReplica(t *testing.T, host, port string) *replica {
	t.Helper()
	listener, err := net.Listen("tcp", net.JoinHostPort(host, port))
	if err != nil {
		t.Fatal(err)
	}
	_, port, _ = net.SplitHostPort(listener.Addr().String())
	r := &replica{host: host, port: port}
	server := grpc.NewServer(grpc.UnaryInterceptor(r.nameWorker))
	pb.RegisterMatchHandlerServiceServer(server, r)
	grpc_health_v1.RegisterHealthServer(server, grpchealth.NewServer())
	go func() { _ = server.Serve(listener) }()
	t.Cleanup(server.Stop)
	return r
}

// nameWorker adds the worker to the trailer of health checks, as the service does.
func (r *replica) nameWorker(ctx context.Context, req any, info *grpc.UnaryServerInfo, next grpc.UnaryHandler) (any, error) {
	r.mu.Lock()
	of := r.of
	r.mu.Unlock()
	if of > 0 && info.FullMethod == grpc_health_v1.Health_Check_FullMethodName {
		_ = grpc.SetTrailer(ctx, metadata.Pairs(workerKey, r.port, workersKey, fmt.Sprint(of)))
	}
	return next(ctx, req)
}

// startReplicas starts replicas with one port at 127.0.0.1, 127.0.0.2 and so on.
func startReplicas(t *testing.T, count int) []*replica {
	t.Helper()
	list := []*replica{startReplica(t, "127.0.0.1", "0")}
	for number := 2; number <= count; number++ {
		list = append(list, startReplica(t, fmt.Sprint("127.0.0.", number), list[0].port))
	}
	return list
}

func (r *replica) set(answer func(context.Context) error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.answer = answer
}

func (r *replica) MatchLoop(ctx context.Context, _ *pb.MatchLoopRequest) (*pb.MatchLoopResponse, error) {
	r.mu.Lock()
	r.loops++
	r.mu.Unlock()
	return &pb.MatchLoopResponse{}, r.run(ctx)
}

func (r *replica) MatchOptions(ctx context.Context, _ *pb.MatchOptionsRequest) (*pb.MatchOptionsResponse, error) {
	return &pb.MatchOptionsResponse{}, r.run(ctx)
}

func (r *replica) run(ctx context.Context) error {
	r.mu.Lock()
	answer := r.answer
	r.mu.Unlock()
	if answer == nil {
		return nil
	}
	return answer(ctx)
}

// takeLoops returns the number of MatchLoop calls since the last takeLoops.
func (r *replica) takeLoops() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	count := r.loops
	r.loops = 0
	return count
}

func hang(ctx context.Context) error {
	<-ctx.Done()
	return ctx.Err()
}

// testName is a name whose addresses a test changes.
type testName struct {
	mu      sync.Mutex
	hosts   []string
	err     error
	lookups int
}

func (n *testName) set(err error, hosts ...string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.hosts, n.err, n.lookups = hosts, err, 0
}

func (n *testName) lookup(context.Context, string) ([]string, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.lookups++
	return slices.Clone(n.hosts), n.err
}

func (n *testName) lookedUp(count int) bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.lookups >= count
}

// openName opens links to a name.
func openName(t *testing.T, name *testName, port string, connections int) *Pool {
	t.Helper()
	return open(t, Config{Addresses: []string{"rules.test:" + port}, Resolve: true, Lookup: name.lookup, Connections: connections})
}

func open(t *testing.T, config Config) *Pool {
	t.Helper()
	config.Options = []grpc.DialOption{grpc.WithTransportCredentials(insecure.NewCredentials())}
	config.ReportPanic = fake.FailOnPanic(t)
	p, err := Open(config)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.Close)
	return p
}

// waitReady waits until the pool has exactly so many links, and all are ready.
func waitReady(t *testing.T, p *Pool, count int) {
	t.Helper()
	fake.WaitUntil(t, fmt.Sprint(count, " ready links"), func() bool {
		return len(p.list()) == count && !slices.ContainsFunc(p.list(), func(l *Link) bool { return !l.Ready() })
	})
}

// call makes a MatchLoop call for a key with a short timeout.
func call(p *Pool, key Key) error {
	link, _ := p.Pick(key, nil)
	ctx, cancel := context.WithTimeout(context.Background(), 500*time.Millisecond)
	defer cancel()
	_, err := link.Client().MatchLoop(ctx, &pb.MatchLoopRequest{})
	return err
}

// picks returns the host of the link of each of 3000 matches.
func picks(p *Pool) []string {
	var hosts []string
	for number := range 3000 {
		link := p.best(KeyOf(fmt.Sprint("match ", number)), nil)
		host, _, _ := net.SplitHostPort(link.address)
		hosts = append(hosts, host)
	}
	return hosts
}
