package edit

import "testing"

// A kind that becomes another one is followed in prose where its group stands
// and something marks it as a kind.
func TestKinds(t *testing.T) {
	rows(t, []row{
		{name: "quoted", file: "a.md", in: "A `Plum` of tree.example.com/v1 grows.\n", want: "A `Prune` of wood.example.org/v1 grows.\n"},
		{name: "kind", file: "a.md", in: "The kind Plum in tree.example.com/v1.\n", want: "The kind Prune in wood.example.org/v1.\n"},
		{name: "a word", file: "a.md", in: "Plum trees. See tree.example.com/v1.\n", want: "Plum trees. See wood.example.org/v1.\n"},
		{name: "no group", file: "a.md", in: "A `Plum` grows.\n"},
	})
	for _, tt := range []struct {
		line     string
		from, to int
		want     bool
	}{{"a Plum b", 2, 6, true}, {"aPlum", 1, 5, false}, {"Plum.", 0, 4, true}, {"Plum.x", 0, 4, false}, {"x/Plum", 2, 6, false}} {
		if got := isWord([]byte(tt.line), tt.from, tt.to); got != tt.want {
			t.Errorf("%q: %v", tt.line, got)
		}
	}
}
