package edit

import (
	"maps"
	"slices"
	"strings"
	"testing"
)

// Objects, CRDs and permissions tell of the resources of their groups; names
// that stay, and those of other groups, do not.
func TestLearned(t *testing.T) {
	b := newBench(t, moves)
	for _, tt := range []struct{ name, file, in, want string }{
		{"an object", "a.yaml", "apiVersion: old.example.com/v1\nkind: Thing\n", "old.example.com/things"},
		{"a list", "a.yaml", "apiVersion: old.example.com/v1\nkind: ThingList\n", "old.example.com/things"},
		{"a CRD", "a.yaml", "kind: CustomResourceDefinition\nmetadata:\n  name: things.lost.example.com\nspec:\n  group: lost.example.com\n  names: {kind: Thing, plural: things}\n", "lost.example.com/things"},
		{"a permission", "a.yaml", "kind: Role\nrules:\n- apiGroups: [old.example.com]\n  resources: [anys, others/status, '*']\n", "old.example.com/anys old.example.com/others"},
		{"a permission of two groups", "a.yaml", "kind: Role\nrules:\n- apiGroups: [old.example.com, apps]\n  resources: [anys]\n", "old.example.com/anys"},
		{"another group", "a.yaml", "apiVersion: apps/v1\nkind: Deployment\n", ""},
		{"a kind like its plural", "a.yaml", "apiVersion: old.example.com/v1\nkind: Sheep\n", "old.example.com/sheeps"},
		{"a group alone", "a.go", "package a\n\nconst Group = \"old.example.com\"\n", ""},
		{"a label", "a.yaml", "metadata:\n  labels:\n    old.example.com/anys: x\n", ""},
		{"a file that stays", "frozen/a.yaml", "apiVersion: old.example.com/v1\nkind: Any\n", ""},
	} {
		if got := strings.Join(slices.Sorted(maps.Keys(b.planned(tt.file, tt.in).Learned)), " "); got != tt.want {
			t.Errorf("%s tells of %q, want %q", tt.name, got, tt.want)
		}
	}
}

// A name that may be a resource is one where the tree has it, and what it was
// taken for otherwise.
func TestPerhapsAResource(t *testing.T) {
	b := newBench(t, moves)
	in := "the anys.old.example.com grow\n"
	made := b.plan("a.md", in)
	if len(made) != 1 || made[0].Action() != Wait {
		t.Fatalf("%+v", made)
	}
	there, _ := made[0].Settle("a.md", &Tree{Resources: map[string]bool{"old.example.com/anys": true}})
	if got, _ := written(t, in, []Outcome{there}); got != "the anys.new.example.org grow\n" || !there.Waited() {
		t.Errorf("%+v", there)
	}
	if o, _ := made[0].Settle("a.md", &Tree{}); o.Action() != Stay || o.Reason != "label-like" || !o.Waited() {
		t.Errorf("%+v", o)
	}
}
