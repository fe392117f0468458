// Package text checks text before it is written to a database.
package text

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

const (
	maxDepth  = 64 // of nested arrays and objects
	maxDigits = 64 // characters of a number
)

// IsUUID reports whether a string is a UUID in the form with 36 characters.
func IsUUID(text string) bool {
	digits, err := hex.DecodeString(strings.ReplaceAll(text, "-", ""))
	return err == nil && len(digits) == 16 && len(text) == 36
}

// IsObject reports whether a text is a JSON object.
func IsObject(text []byte) bool {
	trimmed := bytes.TrimSpace(text)
	return len(trimmed) > 0 && trimmed[0] == '{' && json.Valid(trimmed)
}

// IsPlain reports whether a string can be stored in a text column: UTF-8 without NUL, of at most `most` bytes.
func IsPlain(text string, most int) bool {
	return len(text) <= most && utf8.ValidString(text) && !strings.Contains(text, "\x00")
}

// JSONProblem returns the reason why PostgreSQL cannot store a text as JSONB, or an empty text. JSONB allows less than JSON: no NUL
// in strings, no unpaired surrogates, only UTF-8, and limited numbers and nesting.
func JSONProblem(text []byte) string {
	switch {
	case !json.Valid(text):
		return "not JSON"
	case !utf8.Valid(text):
		return "not UTF-8"
	}
	return scan(text)
}

// scan returns the first problem in valid JSON.
func scan(text []byte) string {
	depth := 0
	for i := 0; i < len(text); {
		switch c := text[i]; {
		case c == '"':
			length, problem := scanString(text[i:])
			if problem != "" {
				return problem
			}
			i += length
			continue
		case c == '{' || c == '[':
			if depth++; depth > maxDepth {
				return "nested too deeply"
			}
		case c == '}' || c == ']':
			depth--
		case c == '-' || c >= '0' && c <= '9':
			length := numberLength(text[i:])
			if length > maxDigits || hasLongExponent(text[i:i+length]) {
				return "a number out of range"
			}
			i += length
			continue
		}
		i++
	}
	return ""
}

// scanString returns the length of the string at the start of a text, with quotes.
func scanString(text []byte) (int, string) {
	for i := 1; ; i++ {
		switch text[i] {
		case '"':
			return i + 1, ""
		case '\\':
			length, problem := scanEscape(text[i:])
			if problem != "" {
				return 0, problem
			}
			i += length - 1
		}
	}
}

// scanEscape returns the length of the escape sequence at the start of a text. A surrogate pair counts as one sequence.
func scanEscape(text []byte) (int, string) {
	if text[1] != 'u' {
		return 2, ""
	}
	switch unit := codeUnit(text); {
	case unit == 0:
		return 0, "a NUL character in a string"
	case !utf16.IsSurrogate(unit):
		return 6, ""
	case bytes.HasPrefix(text[6:], []byte(`\u`)) && utf16.DecodeRune(unit, codeUnit(text[6:])) != utf8.RuneError:
		return 12, ""
	default:
		return 0, "half of a surrogate pair in a string"
	}
}

// codeUnit returns the UTF-16 code unit of the escape sequence \uXXXX at the start of a text.
func codeUnit(text []byte) rune {
	unit, _ := strconv.ParseUint(string(text[2:6]), 16, 16) // valid JSON has four digits here
	return rune(unit)
}

func numberLength(text []byte) int {
	end := bytes.IndexFunc(text, func(r rune) bool { return !strings.ContainsRune("+-.0123456789eE", r) })
	if end < 0 {
		return len(text)
	}
	return end
}

// hasLongExponent reports whether a number has an exponent of more than three digits.
func hasLongExponent(number []byte) bool {
	at := bytes.IndexAny(number, "eE")
	return at >= 0 && len(bytes.TrimLeft(number[at+1:], "+-0")) > 3
}
