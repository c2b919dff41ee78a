package syntax

import (
	"maps"
	"testing"
)

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

func sharing(t *testing.T) func(path ...string) *Node {
	t.Helper()
	tree := scanOf(users, false, false)
	return func(path ...string) *Node {
		n := tree.Find(path...)
		if n == nil {
			t.Fatalf("%v is not there", path)
		}
		return n
	}
}

// A mapping takes the kind of the first that it merges, unless it has its own.
func TestMerged(t *testing.T) {
	in := "a: &a {kind: Apple}\nb: &b {<<: *a}\nc: {<<: [*b, *a]}\nd: {<<: *a, kind: Pear}\ne: &e {<<: *e}\nf: {<<: *nowhere}\n"
	tree := scanOf(in, false, false)
	for name, want := range map[string]string{"a": "", "b": "Apple", "c": "Apple", "d": "", "e": "", "f": ""} {
		got := ""
		if kind := tree.Child(name).Merged(); kind != nil {
			got = kind.String()
		}
		if got != want {
			t.Errorf("%s takes the kind %q, want %q", name, got, want)
		}
	}
}

// Who takes an entry is every other mapping that merges it or has an alias of it, or
// of an item of it; who has one of its own does not.
func TestTakers(t *testing.T) {
	at := sharing(t)
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
		want, got := map[*Node]bool{}, map[*Node]bool{}
		for _, name := range x.takes {
			want[at(name)] = true
		}
		for _, m := range at(x.path...).Takers() {
			got[m] = true
		}
		if !maps.Equal(got, want) {
			t.Errorf("%v: %d take it, want %d", x.path, len(got), len(want))
		}
	}
	if lone := scanOf("a: {b: c}\n", false, false); lone.Takers() != nil || len(lone.Child("a").Takers()) > 0 {
		t.Error("something is shared without an anchor")
	}
}
