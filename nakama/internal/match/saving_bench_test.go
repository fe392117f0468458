package match

import "testing"

// BenchmarkSave measures the cost of one saved change in the goroutine of the match, with two players and 100 record lines.
func BenchmarkSave(b *testing.B) {
	r := newSaved(b)
	r.join("ann", "bob")
	for range 100 {
		r.match.service.record.add([][]byte{make([]byte, 100)})
	}
	for b.Loop() {
		r.match.changed = true
		r.match.save()
	}
}
