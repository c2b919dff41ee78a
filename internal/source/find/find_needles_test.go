package find

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// What is searched for are the needles that hold no other one, and a text is said to hold
// those that it holds.
func TestNeedles(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	text := func(most int) string {
		var b strings.Builder
		for range 1 + random.IntN(most) {
			b.WriteByte("ab.-"[random.IntN(4)])
		}
		return b.String()
	}
	for range 3000 {
		var given, want []string
		for range 1 + random.IntN(12) {
			given = append(given, text(7))
		}
		for _, n := range given {
			if !slices.ContainsFunc(given, func(m string) bool { return m != n && strings.Contains(n, m) }) {
				want = append(want, n)
			}
		}
		slices.Sort(want)
		want = slices.Compact(want)
		f := New(given)
		if !slices.Equal(f.Needles(), want) {
			t.Fatalf("%q: %q, want %q", given, f.Needles(), want)
		}
		in := text(30)
		held := slices.DeleteFunc(want, func(n string) bool { return !strings.Contains(in, n) })
		got := f.In(in)
		slices.Sort(got)
		if !slices.Equal(got, held) {
			t.Fatalf("%q holds %q of %q, want %q", in, got, given, held)
		}
	}
}
