package effects

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"google.golang.org/protobuf/encoding/protojson"

	"setmatch/nakama/pb"
)

const suffix = ".json"

var saves atomic.Int64

// folder has one file for each effect that was set aside. The name of a file starts with the time and ends with the reason.
// With an empty path no files are written.
type folder struct {
	path string
}

// save writes an effect to a file. If the effect has a file already, save renames it for the new reason.
func (f folder) save(e *entry, reason Reason, now time.Time) error {
	if f.path == "" {
		return nil
	}
	name := fmt.Sprintf("%s-%06d.%s%s", now.UTC().Format("20060102T150405.000"), saves.Add(1), reason, suffix)
	path := filepath.Join(f.path, name)
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

// writeFile writes a file atomically.
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

// loadable returns the paths of the effects that must be written, the oldest first.
func (f folder) loadable() []string {
	if f.path == "" {
		return nil
	}
	var paths []string
	for _, reason := range []Reason{Shutdown, Full} {
		matches, _ := filepath.Glob(filepath.Join(escapeGlob(f.path), "*."+string(reason)+suffix)) // the pattern is valid
		paths = append(paths, matches...)
	}
	slices.Sort(paths)
	return paths
}

// CleanFolder deletes the files of effects that were set aside before the day `oldest` (yyyymmdd). It returns the number of
// deleted files.
func CleanFolder(path, oldest string) (deleted int, err error) {
	if path == "" {
		return 0, nil
	}
	files, _ := filepath.Glob(filepath.Join(escapeGlob(path), "*"+suffix)) // the pattern is valid
	for _, file := range files {
		if filepath.Base(file) >= oldest {
			continue
		}
		if err := os.Remove(file); err != nil {
			return deleted, err
		}
		deleted++
	}
	return deleted, nil
}

func escapeGlob(folder string) string {
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
func (f folder) remove(e *entry) error {
	if e.file == "" {
		return nil
	}
	return os.Remove(e.file)
}
