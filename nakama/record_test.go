package main

import (
	"encoding/json"
	"strings"
	"testing"

	"setmatch/nakama/pb"
)

func TestRecordGoesIntoAValue(t *testing.T) {
	cases := []struct{ name, object, want string }{
		{"into an empty object", ` { } `, `{"log":[1,{"a":2}]}`},
		{"after what is there", `{"b":{"c":3}}`, `{"b":{"c":3},"log":[1,{"a":2}]}`},
	}
	for _, c := range cases {
		var r matchRecord
		r.add([][]byte{[]byte("1"), []byte(`{"a":2}`)})
		if got := string(r.into([]byte(c.object), "log")); got != c.want {
			t.Errorf("%s: got %s, want %s", c.name, got, c.want)
		}
	}
}

func TestRecordStartsAnewWhenItIsWritten(t *testing.T) {
	var r matchRecord
	r.add([][]byte{[]byte("1")})
	r.into([]byte("{}"), "log")
	if got := string(r.into([]byte("{}"), "log")); got != `{"log":[]}` {
		t.Errorf("got %s", got)
	}
}

func TestALongRecordKeepsItsBeginningAndSaysHowMuchIsMissing(t *testing.T) {
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
		t.Errorf("%d lines are kept, the last is %v", len(lines), missing)
	}
}

func TestNoLineComesAfterAMissingOne(t *testing.T) {
	var r matchRecord
	r.add([][]byte{[]byte("1"), []byte(`"` + strings.Repeat("x", maxRecordBytes) + `"`), []byte("3")})
	if got := string(r.array()); got != `[1,{"missingLines":2}]` {
		t.Errorf("got %s", got)
	}
}

func TestANewRecordDropsLinesThatNoWriteTook(t *testing.T) {
	r := newMatch(t)
	r.service.loopReply(func(s *pb.Step) { s.Log = [][]byte{[]byte(`"of a game without a record"`)} })
	r.loop(r.input("ann", "x"))
	r.service.loopReply(func(s *pb.Step) {
		s.NewRecord, s.Log = true, [][]byte{[]byte(`"first"`)}
		withWrite(func(w *pb.StorageWrite) { w.RecordField = "log" })(s)
	})
	r.loop(r.input("ann", "x"))
	r.await("the write", func() bool { return len(r.nakama.writes()) == 1 })
	if got := r.nakama.writes()[0].Value; got != `{"log":["first"]}` {
		t.Errorf("wrote %s", got)
	}
}

func TestAStepsLinesAreInTheRecordThatItWrites(t *testing.T) {
	r := newMatch(t)
	r.service.loopReply(func(s *pb.Step) { s.Log = [][]byte{[]byte(`"first"`)} })
	r.loop(r.input("ann", "x"))
	r.service.loopReply(func(s *pb.Step) {
		s.Log = [][]byte{[]byte(`"last"`)}
		withWrite(func(w *pb.StorageWrite) { w.RecordField = "log" })(s)
	})
	r.loop(r.input("ann", "x"))
	r.await("the write", func() bool { return len(r.nakama.writes()) == 1 })
	if got := r.nakama.writes()[0].Value; got != `{"log":["first","last"]}` {
		t.Errorf("wrote %s", got)
	}
}
