package text

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/project-codeflare/cfctl/internal/source"
)

// TestLineEdits holds the law of comparison: the edits make b of a, and texts
// that are near differ in few lines.
func TestLineEdits(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	content := func(n int) []byte {
		var b bytes.Buffer
		for range n {
			b.WriteByte("abcd"[r.IntN(4)])
			b.WriteByte('\n')
		}
		if r.IntN(3) == 0 {
			b.WriteString("end")
		}
		return b.Bytes()
	}
	for range 2000 {
		a, b := content(r.IntN(12)), content(r.IntN(12))
		edits := LineEdits(a, b)
		got, err := source.Apply(a, edits)
		if err != nil || !bytes.Equal(got, b) {
			t.Fatalf("%q to %q: got %q, %v", a, b, got, err)
		}
		if bytes.Equal(a, b) != (len(edits) == 0) {
			t.Fatalf("%q to %q: %d edits", a, b, len(edits))
		}
	}
	a := bytes.Repeat([]byte("x\ny\n"), 3000)
	b := append(append(bytes.Clone(a[:4000]), "new\n"...), a[4002:]...)
	if n := len(LineEdits(a, b)); n != 1 {
		t.Errorf("one changed line gives %d edits", n)
	}
}

// What differs in more lines than a comparison follows at once is compared in pieces, of
// whatever sizes the two texts are.
func TestLineEditsOfLongTexts(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	lines := func(n, words int) []byte {
		var b bytes.Buffer
		for range n {
			fmt.Fprintf(&b, "%d\n", r.IntN(words))
		}
		return b.Bytes()
	}
	for _, n := range []int{0, 1, 3, maxDistance - 1, maxDistance, maxDistance + 1, 3 * maxDistance} {
		for _, m := range []int{0, 1, 3, maxDistance, 2 * maxDistance} {
			for _, words := range []int{2, 40, 1 << 30} {
				a, b := lines(n, words), lines(m, words)
				if got, err := source.Apply(a, LineEdits(a, b)); err != nil || !bytes.Equal(got, b) {
					t.Fatalf("%d and %d lines of %d: %v", n, m, words, err)
				}
			}
		}
	}
}
