package text

import "testing"

// A blank line of a text stays blank, whatever is before the lines around it:
// nothing at all, too.
func TestLineByLine(t *testing.T) {
	for between, want := range map[string]string{
		"\n":   "a\n\n\nb\n",
		"\n  ": "a\n\n\n  b\n",
		"\n# ": "a\n# \n# \n# b\n",
	} {
		if got := lineByLine("a\n\n\nb\n", between); got != want {
			t.Errorf("between %q: %q, want %q", between, got, want)
		}
	}
}
