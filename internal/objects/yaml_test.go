package objects

import (
	"math/rand/v2"
	"strings"
	"testing"
)

// TestManifestRoundTrip: whatever text an object holds, its manifest gives it
// back, wherever it is.
func TestManifestRoundTrip(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	pieces := []string{"\n", " ", "\n\n", "  ", "\t", "a", "- b", "# c", "x: y", "\r\n", "日本", "|", ">", "'", "\"", "\\", "yes", "{}", "---", "...", "\u0085", "\u2028", "0x1", "~", "\ufeff", "\U0001f600", "<<", "="}
	for range 1_500 {
		var b strings.Builder
		for range r.IntN(7) {
			b.WriteString(pieces[r.IntN(len(pieces))])
		}
		text := b.String()
		want := Object{"apiVersion": "v1", "kind": "Thing", "keys": Object{text: Object{"a": nil}, text + "b": "<<"}, "args": []any{"-c", text, []any{text}}, "data": Object{"k": text, "z": int64(1)}}
		data, err := Manifest(want)
		if err != nil {
			t.Fatal(err)
		}
		got, err := Parse(data)
		if err != nil {
			t.Fatalf("%q: %v\n%s", text, err, data)
		}
		if Digest(got) != Digest(want) {
			t.Fatalf("%q became\n%s", text, data)
		}
	}
}
