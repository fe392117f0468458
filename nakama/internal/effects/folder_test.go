package effects

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"google.golang.org/protobuf/proto"
)

// files returns the suffixes (reason and extension) of the files in a folder.
func files(t *testing.T, folder string) []string {
	t.Helper()
	entries, err := os.ReadDir(folder)
	if err != nil {
		t.Fatal(err)
	}
	var suffixes []string
	for _, entry := range entries {
		_, suffix, _ := strings.Cut(strings.TrimPrefix(entry.Name(), clockStart.Format("20060102T150405.000")), ".")
		suffixes = append(suffixes, suffix)
	}
	return suffixes
}

func TestEffectsSavedAtShutdownAreWrittenByNextProcess(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "a [new] folder")
	first := newTestWorker(t, folder)
	first.blockPauses()
	first.sink.script = func(int, string) error { return errDatabase }
	first.add(storing("record"), ranking("wins", 7), ranking("wins", 8))
	first.waitUntil("two attempts", func() bool { return first.meters.nonZero()["failed"] == 2 })
	first.Drain()
	first.Stop(t.Context())
	if got := strings.Join(files(t, folder), " "); got != "shutdown.json shutdown.json shutdown.json" {
		t.Errorf("files %q", got)
	}

	second := newTestWorker(t, folder)
	second.Load()
	second.waitIdle()
	wantWritten(t, second, storageWrite("record"), "wins 7", "wins 8")
	if left := files(t, folder); len(left) > 0 {
		t.Errorf("files %q are left", left)
	}
}

func TestRejectedEffectIsSavedAndNotRetried(t *testing.T) {
	folder := t.TempDir()
	first := newTestWorker(t, folder)
	first.sink.script = failTargets(errRejected, "record")
	first.add(storing("record"))
	first.waitIdle()
	second := newTestWorker(t, folder)
	second.Load()
	second.waitIdle()
	wantWritten(t, second)
	if got := files(t, folder); len(got) != 1 || got[0] != "rejected.json" {
		t.Errorf("files %q", got)
	}
}

func TestRejectedLoadedEffectChangesItsReason(t *testing.T) {
	folder := t.TempDir()
	first := newTestWorker(t, folder)
	first.Stop(t.Context())
	first.add(storing("record"))
	second := newTestWorker(t, folder)
	second.sink.script = failTargets(errRejected, "record")
	second.Load()
	second.waitIdle()
	if got := files(t, folder); len(got) != 1 || got[0] != "rejected.json" {
		t.Errorf("files %q", got)
	}
}

func TestUnreadableFileIsKeptAndLogged(t *testing.T) {
	folder := t.TempDir()
	for name, text := range map[string]string{
		"cut.shutdown.json":     `{"storageWrite":`,
		"foreign.shutdown.json": `{"a":1}`,
		"wrong.shutdown.json":   `{"expiresUnixMs":"1"}`,
	} {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	b := newTestWorker(t, folder)
	b.Load()
	b.waitIdle()
	entries, _ := os.ReadDir(folder)
	if len(entries) != 3 || strings.Count(b.log.text(), "saved effect not readable") != 3 {
		t.Errorf("%d files are left, logged:\n%s", len(entries), b.log.text())
	}
}

func TestSavedEffectIsCompleteAndPrivate(t *testing.T) {
	folder := t.TempDir()
	b := newTestWorker(t, folder)
	b.Stop(t.Context())
	b.add(ranking("wins", 7))
	paths, _ := filepath.Glob(filepath.Join(folder, "*"))
	info, err := os.Stat(paths[0])
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("mode %v, %v", info.Mode(), err)
	}
	effect, err := readFile(paths[0])
	if err != nil || !proto.Equal(effect, ranking("wins", 7)) {
		t.Errorf("read %v, %v", effect, err)
	}
}

func TestWithoutFolderResultsAreLoggedCompletely(t *testing.T) {
	b := newTestWorker(t, "")
	b.Stop(t.Context())
	b.add(storing("20261129.a"), ranking("wins", 7))
	log := b.log.text()
	for _, part := range []string{"storage c 20261129", ann, "score"} {
		if !strings.Contains(log, part) {
			t.Errorf("%q is not in the log:\n%s", part, log)
		}
	}
}

func TestEffectsSavedAsFullAreLoadedWhenQueuesAreEmpty(t *testing.T) {
	folder := t.TempDir()
	b, gate := newTestWorker(t, folder), make(chan struct{})
	b.sink.script = func(int, string) error { <-gate; return nil }
	const added, fit = 30, 10
	b.Worker.maxBytes = fit * proto.Size(storing("00"))
	for i := range added {
		b.add(storing(fmt.Sprintf("%02d", i)))
	}
	if full := b.meters.nonZero()["full"]; full != added-fit {
		t.Fatalf("%d of %d effects did not fit", full, added)
	}
	close(gate)
	b.waitUntil("all effects", func() bool { return len(b.sink.writes()) == added && b.Idle() })
	if left := files(t, folder); len(left) > 0 {
		t.Errorf("files %q are left", left)
	}
}

func TestCleanFolderDeletesFilesOfEarlierDays(t *testing.T) {
	folder := t.TempDir()
	for _, name := range []string{"20261030T120000.000-000001.rejected.json", "20261031T000000.000-000001.full.json", "notes.txt"} {
		if err := os.WriteFile(filepath.Join(folder, name), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	deleted, err := CleanFolder(folder, "20261031")
	entries, _ := os.ReadDir(folder)
	if deleted != 1 || err != nil || len(entries) != 2 {
		t.Errorf("deleted %d, %v; %d files are left", deleted, err, len(entries))
	}
}
