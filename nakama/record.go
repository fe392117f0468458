package main

import (
	"bytes"
	"encoding/json"
	"fmt"
)

// maxRecordBytes bounds one game's record. Past it the newest lines are left out: what is kept is the beginning, which
// can be played again, and a last line says how many are missing.
const maxRecordBytes = 1 << 20

// matchRecord is the lines that the service has logged since the record was last written.
type matchRecord struct {
	lines   [][]byte
	bytes   int
	missing int
}

// add appends lines, each a JSON value.
func (r *matchRecord) add(lines [][]byte) {
	for _, line := range lines {
		if r.missing > 0 || r.bytes+len(line) > maxRecordBytes {
			r.missing++
			continue
		}
		r.lines = append(r.lines, line)
		r.bytes += len(line)
	}
}

// array returns the record as a JSON array.
func (r *matchRecord) array() []byte {
	lines := r.lines
	if r.missing > 0 {
		lines = append(lines[:len(lines):len(lines)], fmt.Appendf(nil, `{"missingLines":%d}`, r.missing))
	}
	return append(append([]byte{'['}, bytes.Join(lines, []byte{','})...), ']')
}

// into puts the record into a JSON object under a name, and starts it anew.
func (r *matchRecord) into(object []byte, field string) []byte {
	open := bytes.TrimSpace(bytes.TrimSuffix(bytes.TrimSpace(object), []byte{'}'}))
	separator := ","
	if len(open) == 1 {
		separator = ""
	}
	name, _ := json.Marshal(field)
	written := fmt.Appendf(nil, "%s%s%s:%s}", open, separator, name, r.array())
	*r = matchRecord{}
	return written
}
