package fake

import (
	"bufio"
	"database/sql"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	_ "github.com/jackc/pgx/v5/stdlib" // the driver of PostgreSQL
)

// databaseInput is the standard input of the PostgreSQL. It is stored because the garbage collector closes unused files.
var databaseInput io.Closer

// database returns the address of a PostgreSQL that all tests of a process share. It stops when its standard input ends, which is
// when the process ends.
var database = sync.OnceValues(func() (string, error) {
	root, err := filepath.Abs(".")
	for ; err == nil && root != "/"; root = filepath.Dir(root) {
		if _, missing := os.Stat(filepath.Join(root, ".venv")); missing == nil {
			break
		}
	}
	command := exec.Command(".venv/bin/python", "-m", "tests.support.database")
	command.Dir, command.Stderr = root, os.Stderr
	command.Env = append(os.Environ(), "PYTHONPATH=.")
	input, inputErr := command.StdinPipe()
	databaseInput = input
	output, outputErr := command.StdoutPipe()
	if err := errors.Join(err, inputErr, outputErr, command.Start()); err != nil {
		return "", err
	}
	address, err := bufio.NewReader(output).ReadString('\n')
	return strings.TrimSpace(address), err
})

// DatabaseAddress returns the address of a real PostgreSQL, as pgx accepts it.
func DatabaseAddress(t testing.TB) string {
	t.Helper()
	address, err := database()
	if err != nil {
		t.Fatalf("PostgreSQL did not start: %v", err)
	}
	return address
}

// Database returns a new pool of connections to a real PostgreSQL.
func Database(t testing.TB) *sql.DB {
	t.Helper()
	db, err := sql.Open("pgx", DatabaseAddress(t))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	return db
}
