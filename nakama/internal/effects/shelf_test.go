package effects

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"google.golang.org/protobuf/proto"
)

// files are the names of the files in a folder, without their times.
func files(t *testing.T, folder string) []string {
	t.Helper()
	entries, err := os.ReadDir(folder)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, entry := range entries {
		_, reason, _ := strings.Cut(strings.TrimPrefix(entry.Name(), clockStart.Format("20060102T150405.000")), ".")
		names = append(names, reason)
	}
	return names
}

func TestWhatIsLeftAtShutdownIsWrittenByTheNextProcess(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "a [new] folder")
	first := newBench(t, folder)
	first.hold()
	first.sink.script = func(int, string) error { return errDatabase }
	first.add(storing("record"), ranking("wins", 7), ranking("wins", 8))
	first.await("two attempts", func() bool { return first.meters.all()["failed"] == 2 })
	first.Hurry()
	first.Stop()
	if got := strings.Join(files(t, folder), " "); got != "shutdown.json shutdown.json shutdown.json" {
		t.Errorf("files %q", got)
	}

	second := newBench(t, folder)
	second.Restore()
	second.finish()
	wantDone(t, second, stored("record"), "wins 7", "wins 8")
	if left := files(t, folder); len(left) > 0 {
		t.Errorf("files %q are left", left)
	}
}

func TestARejectedEffectIsKeptForOperatorsAndNotTriedAgain(t *testing.T) {
	folder := t.TempDir()
	first := newBench(t, folder)
	first.sink.script = failing(errRejected, "record")
	first.add(storing("record"))
	first.finish()
	second := newBench(t, folder)
	second.Restore()
	second.finish()
	wantDone(t, second)
	if got := files(t, folder); len(got) != 1 || got[0] != "rejected.json" {
		t.Errorf("files %q", got)
	}
}

func TestARestoredEffectThatIsRejectedChangesItsReason(t *testing.T) {
	folder := t.TempDir()
	first := newBench(t, folder)
	first.Stop()
	first.add(storing("record"))
	second := newBench(t, folder)
	second.sink.script = failing(errRejected, "record")
	second.Restore()
	second.finish()
	if got := files(t, folder); len(got) != 1 || got[0] != "rejected.json" {
		t.Errorf("files %q", got)
	}
}

func TestASavedFileThatCannotBeReadStaysAndIsLogged(t *testing.T) {
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
	b := newBench(t, folder)
	b.Restore()
	b.finish()
	entries, _ := os.ReadDir(folder)
	if len(entries) != 3 || strings.Count(b.log.all(), "saved effect not readable") != 3 {
		t.Errorf("%d files are left, logged:\n%s", len(entries), b.log.all())
	}
}

func TestASavedEffectIsReadableByItsOwnerOnlyAndWhole(t *testing.T) {
	folder := t.TempDir()
	b := newBench(t, folder)
	b.Stop()
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

func TestWithoutAFolderEffectsAreOnlyLogged(t *testing.T) {
	b := newBench(t, "")
	b.Stop()
	b.add(storing("record"))
	if !strings.Contains(b.log.all(), "storage c record") {
		t.Errorf("logged %s", b.log.all())
	}
}
