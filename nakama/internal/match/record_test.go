package match

import (
	"encoding/json"
	"strings"
	"testing"

	"setmatch/nakama/pb"
)

func TestRecordIsInsertedIntoObject(t *testing.T) {
	cases := []struct{ name, object, want string }{
		{"into an empty object", ` { } `, `{"log":[1,{"a":2}]}`},
		{"after other fields", `{"b":{"c":3}}`, `{"b":{"c":3},"log":[1,{"a":2}]}`},
	}
	for _, c := range cases {
		var r matchRecord
		r.add([][]byte{[]byte("1"), []byte(`{"a":2}`)})
		if got := string(r.insertInto([]byte(c.object), "log")); got != c.want {
			t.Errorf("%s: got %s, want %s", c.name, got, c.want)
		}
	}
}

func TestRecordIsEmptyAfterWrite(t *testing.T) {
	var r matchRecord
	r.add([][]byte{[]byte("1")})
	r.insertInto([]byte("{}"), "log")
	if got := string(r.insertInto([]byte("{}"), "log")); got != `{"log":[]}` {
		t.Errorf("got %s", got)
	}
}

func TestLongRecordKeepsFirstLinesAndCountsTheRest(t *testing.T) {
	var r matchRecord
	line := []byte(`"` + strings.Repeat("x", 1022) + `"`)
	for range 1100 {
		r.add([][]byte{line})
	}
	var lines []any
	if err := json.Unmarshal(r.array(), &lines); err != nil {
		t.Fatal(err)
	}
	missing, _ := lines[len(lines)-1].(map[string]any)
	if len(lines) != 1025 || missing["missingLines"] != 76.0 {
		t.Errorf("%d lines in the record, the last is %v", len(lines), missing)
	}
}

func TestNoLineFollowsMissingLine(t *testing.T) {
	var r matchRecord
	r.add([][]byte{[]byte("1"), []byte(`"` + strings.Repeat("x", maxRecordBytes) + `"`), []byte("3")})
	if got := string(r.array()); got != `[1,{"missingLines":2}]` {
		t.Errorf("got %s", got)
	}
}

func TestNewRecordDropsUnwrittenLines(t *testing.T) {
	r := newMatch(t)
	r.service.LoopReply(func(s *pb.Step) { s.Log = [][]byte{[]byte(`"of a game without a record"`)} })
	r.loop(r.input("ann", "x"))
	r.service.LoopReply(func(s *pb.Step) {
		s.NewRecord, s.Log = true, [][]byte{[]byte(`"first"`)}
		withWrite(func(w *pb.StorageWrite) { w.RecordField = "log" })(s)
	})
	r.loop(r.input("ann", "x"))
	r.waitUntil("the write", func() bool { return len(r.nakama.Writes()) == 1 })
	if got := r.nakama.Writes()[0].Value; got != `{"log":["first"]}` {
		t.Errorf("wrote %s", got)
	}
}

func TestRecordContainsLinesOfWritingStep(t *testing.T) {
	r := newMatch(t)
	r.service.LoopReply(func(s *pb.Step) { s.Log = [][]byte{[]byte(`"first"`)} })
	r.loop(r.input("ann", "x"))
	r.service.LoopReply(func(s *pb.Step) {
		s.Log = [][]byte{[]byte(`"last"`)}
		withWrite(func(w *pb.StorageWrite) { w.RecordField = "log" })(s)
	})
	r.loop(r.input("ann", "x"))
	r.waitUntil("the write", func() bool { return len(r.nakama.Writes()) == 1 })
	if got := r.nakama.Writes()[0].Value; got != `{"log":["first","last"]}` {
		t.Errorf("wrote %s", got)
	}
}
