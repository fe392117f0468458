package effects

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"time"

	"github.com/heroiclabs/nakama-common/runtime"
	"google.golang.org/protobuf/encoding/protojson"

	"setmatch/nakama/pb"
)

// Reason is why an effect was given up.
type Reason string

// The reasons. An effect that was given up because of Shutdown or Full is tried again by the next process.
const (
	Rejected Reason = "rejected" // the database cannot take it
	Expired  Reason = "expired"  // its time was over
	Full     Reason = "full"     // too much waited
	Shutdown Reason = "shutdown" // the server stopped first
)

// Reasons lists all of them.
var Reasons = []Reason{Rejected, Expired, Full, Shutdown}

const suffix = ".json"

var saves atomic.Int64

// shelf is a folder of files, each with one effect that was given up; the file's name ends with the reason. With an empty
// folder nothing is kept.
type shelf struct {
	folder string
}

// save writes an effect to a file; one that came from a file keeps it under the new reason.
func (s shelf) save(e *entry, reason Reason, now time.Time) error {
	if s.folder == "" {
		return nil
	}
	name := fmt.Sprintf("%s-%06d.%s%s", now.UTC().Format("20060102T150405.000"), saves.Add(1), reason, suffix)
	path := filepath.Join(s.folder, name)
	if e.file != "" {
		if err := os.Rename(e.file, path); err != nil {
			return err
		}
		e.file = path
		return nil
	}
	if err := writeFile(path, e.effect); err != nil {
		return err
	}
	e.file = path
	return nil
}

// writeFile writes a file that is either there as a whole or not at all.
func writeFile(path string, effect *pb.Effect) error {
	text, err := protojson.Marshal(effect)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	if err := os.WriteFile(path+".new", text, 0o600); err != nil {
		return err
	}
	return os.Rename(path+".new", path)
}

// load reads the effects that are to be tried again. A file that cannot be read stays where it is and is logged.
func (s shelf) load(logger runtime.Logger) []*entry {
	if s.folder == "" {
		return nil
	}
	var entries []*entry
	for _, reason := range []Reason{Shutdown, Full} {
		paths, _ := filepath.Glob(filepath.Join(escaped(s.folder), "*."+string(reason)+suffix)) // the pattern is well formed
		for _, path := range paths {
			effect, err := readFile(path)
			if err != nil {
				logger.WithFields(map[string]any{"file": path, "error": err.Error()}).Error("set: saved effect not readable")
				continue
			}
			entries = append(entries, &entry{effect: effect, file: path})
		}
	}
	return entries
}

func escaped(folder string) string {
	return strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`).Replace(folder)
}

func readFile(path string) (*pb.Effect, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	effect := new(pb.Effect)
	if err := protojson.Unmarshal(text, effect); err != nil {
		return nil, err
	}
	if problem := Problem(effect); problem != "" {
		return nil, fmt.Errorf("%s", problem)
	}
	return effect, nil
}

// remove deletes the file of an effect, if it has one.
func (s shelf) remove(e *entry) error {
	if e.file == "" {
		return nil
	}
	return os.Remove(e.file)
}
