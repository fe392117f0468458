package text

import (
	"encoding/json"
	"strings"
	"testing"
)

func TestJSONProblemRejectsUnstorableJSON(t *testing.T) {
	cases := map[string]string{
		`{"a":"b\u0000c"}`:      "a NUL character in a string",
		`{"b\u0000c":1}`:        "a NUL character in a string",
		`"\ud800"`:              "half of a surrogate pair in a string",
		`"\udc00"`:              "half of a surrogate pair in a string",
		`"\ud800\ud800"`:        "half of a surrogate pair in a string",
		`"\ud800x\udc00"`:       "half of a surrogate pair in a string",
		`1e1000`:                "a number out of range",
		`{"a":[-1E+99999]}`:     "a number out of range",
		strings.Repeat("1", 65): "a number out of range",
		strings.Repeat("[", 65) + strings.Repeat("]", 65): "nested too deeply",
		"\"\xff\"": "not UTF-8",
		`{`:        "not JSON",
		``:         "not JSON",
	}
	for text, want := range cases {
		if got := JSONProblem([]byte(text)); got != want {
			t.Errorf("%.40s: got %q, want %q", text, got, want)
		}
	}
}

func TestJSONProblemAcceptsStorableJSON(t *testing.T) {
	for _, text := range []string{
		`{}`, `[]`, `""`, `0`, `-1.5e+12`, `true`, `null`, `"\\u0000"`, `"\"\\"`, `"\ud83d\ude00 é"`, "\"\u00e9\"",
		`{"atMs":1234,"kind":"claim","seat":0,"cardIds":[1,2,3]}`, strings.Repeat("[", 64) + strings.Repeat("]", 64),
	} {
		if problem := JSONProblem([]byte(text)); problem != "" {
			t.Errorf("%.40s: %s", text, problem)
		}
	}
}

func FuzzJSONProblem(f *testing.F) {
	f.Add(`{"a":"\ud83d\ude00\u0000"}`)
	f.Add(`[1e5,"x"]`)
	f.Fuzz(func(t *testing.T, text string) {
		problem := JSONProblem([]byte(text))
		if problem == "" && (!json.Valid([]byte(text)) || strings.Contains(decoded(text), "\x00")) {
			t.Errorf("accepted %q", text)
		}
	})
}

// decoded returns the text with its escape sequences decoded.
func decoded(text string) string {
	var value any
	_ = json.Unmarshal([]byte(text), &value)
	plain := new(strings.Builder)
	encoder := json.NewEncoder(plain)
	_ = encoder.Encode(value)
	return strings.ReplaceAll(plain.String(), `\u0000`, "\x00")
}

func TestColumnChecks(t *testing.T) {
	if !IsPlain("wins", 4) || IsPlain("wins", 3) || IsPlain("a\x00", 9) || IsPlain("\xff", 9) {
		t.Error("wrong result of IsPlain")
	}
	if !IsUUID("0f8fad5b-d9cb-469f-a165-70867728950e") || IsUUID("0f8fad5b") {
		t.Error("wrong result of IsUUID")
	}
	if !IsObject([]byte(` {"a":1} `)) || IsObject([]byte(`[]`)) || IsObject([]byte(`{`)) {
		t.Error("wrong result of IsObject")
	}
}
