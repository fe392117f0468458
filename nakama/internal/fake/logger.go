package fake

import (
	"fmt"
	"maps"
	"strings"
	"sync"

	"github.com/heroiclabs/nakama-common/runtime"
)

// Logger stores all log lines with their fields.
type Logger struct {
	runtime.Logger
	fields map[string]any
	lines  *logLines
}

type logLines struct {
	mu   sync.Mutex
	text []string
}

// NewLogger returns a logger without lines.
func NewLogger() *Logger {
	return &Logger{lines: &logLines{}}
}

// Debug implements runtime.Logger.
func (l *Logger) Debug(format string, v ...any) { l.write("debug", format, v) }

// Info implements runtime.Logger.
func (l *Logger) Info(format string, v ...any) { l.write("info", format, v) }

// Warn implements runtime.Logger.
func (l *Logger) Warn(format string, v ...any) { l.write("warn", format, v) }

// Error implements runtime.Logger.
func (l *Logger) Error(format string, v ...any) { l.write("error", format, v) }

// WithField implements runtime.Logger.
func (l *Logger) WithField(key string, value any) runtime.Logger {
	return l.WithFields(map[string]any{key: value})
}

// WithFields implements runtime.Logger.
func (l *Logger) WithFields(fields map[string]any) runtime.Logger {
	merged := maps.Clone(l.fields)
	if merged == nil {
		merged = make(map[string]any)
	}
	maps.Copy(merged, fields)
	return &Logger{fields: merged, lines: l.lines}
}

func (l *Logger) write(level, format string, v []any) {
	if l.lines == nil {
		return
	}
	l.lines.mu.Lock()
	defer l.lines.mu.Unlock()
	l.lines.text = append(l.lines.text, level+" "+fmt.Sprintf(format, v...)+fmt.Sprint(l.fields))
}

// All returns all lines.
func (l *Logger) All() string {
	l.lines.mu.Lock()
	defer l.lines.mu.Unlock()
	return strings.Join(l.lines.text, "\n")
}
