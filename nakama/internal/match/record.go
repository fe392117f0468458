package match

import (
	"bytes"
	"encoding/json"
	"fmt"
)

// maxRecordBytes is the maximum size of a game's record. The lines after that are dropped, so that the record's beginning can
// still be replayed, and a last line contains their number.
const maxRecordBytes = 1 << 20

// matchRecord is the lines that the service has logged since the last write of the record.
type matchRecord struct {
	lines   [][]byte // each a JSON value
	bytes   int      // of all lines
	missing int      // dropped lines
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

// restore sets the lines and the number of dropped lines of a saved record.
func (r *matchRecord) restore(lines [][]byte, missing int) {
	*r = matchRecord{}
	r.add(lines)
	r.missing = missing
}

// array returns the record as a JSON array.
func (r *matchRecord) array() []byte {
	lines := r.lines
	if r.missing > 0 {
		lines = append(lines[:len(lines):len(lines)], fmt.Appendf(nil, `{"missingLines":%d}`, r.missing))
	}
	return append(append([]byte{'['}, bytes.Join(lines, []byte{','})...), ']')
}

// insertInto returns a JSON object with the record added as a field, and clears the record.
func (r *matchRecord) insertInto(object []byte, field string) []byte {
	open := bytes.TrimSpace(bytes.TrimSuffix(bytes.TrimSpace(object), []byte{'}'}))
	separator := ","
	if len(open) == 1 {
		separator = ""
	}
	name, _ := json.Marshal(field)
	result := fmt.Appendf(nil, "%s%s%s:%s}", open, separator, name, r.array())
	*r = matchRecord{}
	return result
}
