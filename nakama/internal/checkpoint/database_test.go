package checkpoint

import (
	"context"
	"database/sql"
	"errors"
	"net"
	"sync"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/stdlib"

	"setmatch/nakama/internal/fake"
)

// wire is the network between a store and PostgreSQL. A test can interrupt it.
type wire struct {
	mu       sync.Mutex
	down     bool // connections cannot be opened
	deaf     bool // answers are lost: the next read after a write breaks the connection
	requests int  // writes to the network
	open     map[net.Conn]bool
}

type wireConn struct {
	net.Conn
	wire *wire
}

var errNetwork = errors.New("scripted: network failure")

func (w *wire) dial(ctx context.Context, network, address string) (net.Conn, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.down {
		return nil, errNetwork
	}
	conn, err := (&net.Dialer{}).DialContext(ctx, network, address)
	if err == nil {
		w.open[conn] = true
	}
	return &wireConn{conn, w}, err
}

// cut closes all connections, and prevents new ones until restore.
func (w *wire) cut() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.down = true
	for conn := range w.open {
		_ = conn.Close()
	}
	clear(w.open)
}

func (w *wire) restore() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.down, w.deaf = false, false
}

func (w *wire) loseAnswers() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.deaf = true
}

func (w *wire) count() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.requests
}

func (c *wireConn) Write(data []byte) (int, error) {
	c.wire.mu.Lock()
	c.wire.requests++
	c.wire.mu.Unlock()
	return c.Conn.Write(data)
}

// Read waits for the answer and loses it, so that PostgreSQL has executed the statement.
func (c *wireConn) Read(data []byte) (int, error) {
	n, err := c.Conn.Read(data)
	c.wire.mu.Lock()
	defer c.wire.mu.Unlock()
	if c.wire.deaf && err == nil {
		_ = c.Conn.Close()
		return 0, errNetwork
	}
	return n, err
}

// database returns a connection of a new process to PostgreSQL, and its network. The tables are empty at the start of a test.
func database(t testing.TB) (*sql.DB, *wire) {
	t.Helper()
	config, err := pgx.ParseConfig(fake.DatabaseAddress(t))
	if err != nil {
		t.Fatal(err)
	}
	network := &wire{open: make(map[net.Conn]bool)}
	config.DialFunc = network.dial
	db := stdlib.OpenDB(*config)
	t.Cleanup(func() { _ = db.Close() })
	return db, network
}

func exec1(t testing.TB, db *sql.DB, statement string, arguments ...any) {
	t.Helper()
	if _, err := db.Exec(statement, arguments...); err != nil {
		t.Fatalf("%s: %v", statement, err)
	}
}

func number(t testing.TB, db *sql.DB, query string, arguments ...any) int {
	t.Helper()
	var value int
	if err := db.QueryRow(query, arguments...).Scan(&value); err != nil {
		t.Fatalf("%s: %v", query, err)
	}
	return value
}
