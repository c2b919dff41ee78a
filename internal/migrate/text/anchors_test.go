package text

import (
	"fmt"
	"testing"
)

// Who has an alias is looked for once in a document, however often it is asked.
func TestUsersAreFoundOnce(t *testing.T) {
	data := []byte("a: &x {b: c}\nd: *x\ne: {<<: *x}\n")
	tree := ScanYAML(data, 0, len(data), false)
	tree.findUsers()
	tree.findUsers()
	if a := tree.anchors; len(a.byAlias) != 1 || len(a.mergers) != 1 {
		t.Errorf("aliases %v, merges by %v", a.byAlias, a.mergers)
	}
}

// users is a document whose mappings share what is in them once.
const users = `base: &base
  group: a.example.com
  kinds: &kinds [Apple, &pear Pear]
  sub: &sub {x: 1}
plain: {<<: *base, kinds: [Fig]}
second: &second {<<: *base, group: b.example.com}
both: {<<: [*second, *sub]}
twice: {<<: *second, kinds: *kinds}
one: {kind: *pear, list: [*sub, *kinds]}
none: {group: *nowhere, <<: *nowhere}
base2: {group: &base c.example.com}
again: {group: *base}
`

func sharing(t *testing.T) (*Tree, func(path ...string) int32) {
	t.Helper()
	tree := ScanYAML([]byte(users), 0, len(users), false)
	return tree, func(path ...string) int32 {
		n := int32(-1)
		for _, key := range path {
			if n = tree.Child(n, key); n < 0 {
				t.Fatalf("%v is not there", path)
			}
		}
		return n
	}
}

// The value of a key is its own, or the first that the mapping merges; an alias is
// what is last before it under its name.
func TestValue(t *testing.T) {
	tree, at := sharing(t)
	for _, x := range []struct{ mapping, key, want string }{
		{"base", "group", "a.example.com"}, {"plain", "group", "a.example.com"}, {"second", "group", "b.example.com"}, {"both", "group", "b.example.com"},
		{"both", "x", "1"}, {"twice", "group", "b.example.com"}, {"one", "kind", "Pear"}, {"again", "group", "c.example.com"},
		{"none", "group", ""}, {"none", "kinds", ""}, {"plain", "x", ""}, {"plain", "kind", ""},
	} {
		n := tree.Value(at(x.mapping), x.key)
		if got := tree.Text(n); got != x.want || (n < 0) != (x.want == "") {
			t.Errorf("%s of %s is %q, want %q", x.key, x.mapping, got, x.want)
		}
	}
	if n := tree.Value(-1, "again"); n != at("again") {
		t.Errorf("again of the document is node %d", n)
	}
	if tree.Value(-1, "nothing") >= 0 || tree.Text(tree.Value(at("twice"), "kinds")) != tree.Text(at("base", "kinds")) {
		t.Error("a value that is not there, or a list that is not the one of the alias")
	}
}

// Mappings that merge themselves end, and those of which each merges the one before it
// twice are asked once.
func TestEndlessMerges(t *testing.T) {
	doubled := "x0: &x0 {b: c}\n"
	for i := range 60 {
		doubled += fmt.Sprintf("x%d: &x%d {<<: [*x%d, *x%d]}\n", i+1, i+1, i, i)
	}
	for _, in := range []string{"a: &a {<<: *a}\n", "x: &x {<<: [*x, *x]}\na: {<<: *x}\n", doubled + "a: {<<: [*x20, *x60]}\n"} {
		tree := ScanYAML([]byte(in), 0, len(in), false)
		if n := tree.Value(tree.Child(-1, "a"), "group"); n >= 0 {
			t.Errorf("%q: node %d", in, n)
		}
	}
}

// Who takes an entry is every other mapping that merges it or has an alias of it, or
// of an item of it; who has one of its own does not.
func TestTakers(t *testing.T) {
	tree, at := sharing(t)
	for _, x := range []struct {
		path  []string
		takes []string
	}{
		{[]string{"base", "group"}, []string{"plain"}},
		{[]string{"base", "kinds"}, []string{"second", "both", "twice", "one"}},
		{[]string{"base", "sub"}, []string{"plain", "second", "both", "twice", "one"}},
		{[]string{"base", "sub", "x"}, []string{"both"}},
		{[]string{"second", "group"}, []string{"both", "twice"}},
		{[]string{"base2", "group"}, []string{"again"}},
		{[]string{"plain", "kinds"}, nil},
	} {
		want := map[int32]bool{}
		for _, name := range x.takes {
			want[at(name)] = true
		}
		got := tree.Takers(at(x.path...))
		for _, m := range got {
			if !want[m] {
				t.Errorf("%v: %s takes it", x.path, tree.KeyText(m))
			}
		}
		if len(got) != len(want) {
			t.Errorf("%v: %d take it, want %d", x.path, len(got), len(want))
		}
	}
	if tree.Takers(-1) != nil {
		t.Error("nothing is taken")
	}
	lone := ScanYAML([]byte("a: {b: c}\n"), 0, 10, false)
	if lone.Takers(0) != nil {
		t.Error("something is shared without an anchor")
	}
}
