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

// What marks a word as a kind stands right beside it.
func TestKindsInText(t *testing.T) {
	rows(t, []row{
		{name: "the group behind", file: "a.md", in: `
A Plum of tree.example.com/v1 grows.
`, want: `
A Prune of wood.example.org/v1 grows.
`},
		{name: "the group in brackets", file: "a.md", in: `
A Plum (tree.example.com/v1) grows.
`, want: `
A Prune (wood.example.org/v1) grows.
`},
		{name: "the group before", file: "a.md", in: `
The tree.example.com/v1 Plum grows.
`, want: `
The wood.example.org/v1 Prune grows.
`},
		{name: "the group's own", file: "a.md", in: `
See tree.example.com/v1's Plum.
`, want: `
See wood.example.org/v1's Prune.
`},
		{name: "a custom resource", file: "a.md", in: `
Make a Plum custom resource of the group tree.example.com.
`, want: `
Make a Prune custom resource of the group wood.example.org.
`},
		{name: "a list of them", file: "a.md", in: "`PlumList` of tree.example.com/v1 holds them.\n", want: "`PruneList` of wood.example.org/v1 holds them.\n"},
		{name: "part of a name", file: "a.md", in: `
my-Plum and Plum.x and PlumTree in tree.example.com/v1.
`, want: `
my-Plum and Plum.x and PlumTree in wood.example.org/v1.
`},
		{name: "in bold", file: "a.md", in: `
**Plum** is in tree.example.com/v1.
`, want: `
**Prune** is in wood.example.org/v1.
`},
		{name: "two groups on the line", file: "a.md", in: "Use `Plum` of tree.example.com/v1, not of fruit.example.com/v1.\n", want: "Use `Prune` of wood.example.org/v1, not of fruit.example.com/v1.\n", told: "splits: fruit.example.com/v1"},
		{name: "a kind that keeps its name", file: "a.md", in: "An `Apple` of fruit.example.com/v1 stays an Apple.\n", told: "splits: fruit.example.com/v1"},
		{name: "at both ends of the line", file: "a.md", in: `
Plum: see tree.example.com/v1, kind Plum
`, want: `
Plum: see wood.example.org/v1, kind Prune
`, stays: "prose: Plum"},
		{name: "in a comment", file: "a.py", in: `
# kind: Plum of tree.example.com/v1
x = 1
`, want: `
# kind: Prune of wood.example.org/v1
x = 1
`},
		{name: "named twice, marked once", file: "a.md", in: "Plum trees grow a `Plum` of tree.example.com/v1.\n", want: "Plum trees grow a `Prune` of wood.example.org/v1.\n", stays: "prose: Plum"},
		{name: "of another group on the line too", file: "a.md", in: "`Elm` and `Plum` in elm.example.com/v1 and tree.example.com/v1.\n", want: "`Elm` and `Prune` in elm.example.com/v1 and wood.example.org/v1.\n"},
	})
}
