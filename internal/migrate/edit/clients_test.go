package edit

import (
	"strings"
	"testing"
)

func clientRows() []row {
	return []row{
		{name: "call of a client that goes", file: "a.go", in: "package a\n\nfunc f() {\n\tcs.StepV1alpha1().Steps(ns).Get(ctx, x, o)\n}\n", told: "typed-client: StepV1alpha1().Steps"},
	}
}

// The call of a typed client of an API that goes is for a person.
func TestTypedCalls(t *testing.T) { rows(t, clientRows()) }

// The identifiers of a generated client follow it where it is in the tree, and
// are nobody's elsewhere.
func TestIdentifiers(t *testing.T) {
	b := newBench(t, moves)
	text := "package a\n\nvar c = client.OldV1().Anys(ns)\n"
	made := b.plan("a.go", text)
	if len(made) != 1 || made[0].Action() != Wait {
		t.Fatalf("%+v", made)
	}
	if o, ok := made[0].Settle("a.go", &Tree{}); ok {
		t.Errorf("without the client: %+v", o)
	}
	o, ok := made[0].Settle("a.go", &Tree{Clients: map[string]bool{"old.example.com": true, "old.example.com/v1": true}})
	if got, _ := written(t, text, []Outcome{o}); !ok || !o.Waited() || got != "package a\n\nvar c = client.NewV1().Anys(ns)\n" {
		t.Errorf("%v %s", o, got)
	}
}

// Kubernetes' own clients and packages are spelled as those of a group with the same first
// label: in another version, or imported from another module.
func TestIdentifiersOfOthers(t *testing.T) {
	tree := &Tree{
		Clients: map[string]bool{"old.example.com": true, "old.example.com/v1": true},
		Owns:    func(imported string) bool { return strings.HasPrefix(imported, "example.org/own/") },
	}
	for _, tt := range []struct{ name, line, want string }{
		{"its own", "var c = client.OldV1().Anys(ns)", "var c = client.NewV1().Anys(ns)"},
		{"another version", "var c = client.OldV2().Anys(ns)", ""},
		{"the first letters of another version", "var c = client.OldV1beta1().Anys(ns)", ""},
		{"a factory", "var c = factory.Old().V1().Anys()", "var c = factory.New().V1().Anys()"},
		{"a factory of another version", "var c = factory.Old().V2().Anys()", ""},
		{"its own package", "import oldv1 \"example.org/own/api/v1\"", "import newv1 \"example.org/own/api/v1\""},
		{"a package of another module", "import oldv1 \"example.net/api/old/v1\"", ""},
		{"in a list of imports", "import (\n\toldv1 \"example.net/api/old/v1\"\n)", ""},
	} {
		text := "package a\n\n" + tt.line + "\n"
		var made []Outcome
		for _, o := range newBench(t, moves).plan("a.go", text) {
			if o, ok := o.Settle("a.go", tree); ok && o.Action() == Change {
				made = append(made, o)
			}
		}
		if tt.want == "" {
			tt.want = tt.line
		}
		if got, _ := written(t, text, made); got != "package a\n\n"+tt.want+"\n" {
			t.Errorf("%s: %s", tt.name, got)
		}
	}
}

// A call is told of when its version or kind goes, as the code spells it.
func TestTypedCallsOfVersions(t *testing.T) {
	rows(t, []row{
		{name: "call of a client that moves", file: "a.go", in: `
package a

func f() {
	cs.HomeV1alpha1().Nests(ns).Get(ctx, x, o)
}
`, told: "typed-client: HomeV1alpha1().Nests"},
		{name: "over several lines", file: "a.go", in: `
package a

func f() {
	cs.StepV1alpha1().
		Steps(ns).
		Get(ctx, x, o)
}
`, told: "typed-client: StepV1alpha1().Steps"},
		{name: "while both are served", file: "a.go", dual: true, in: `
package a

func f() {
	cs.StepV1alpha1().Steps(ns).Get(ctx, x, o)
	cs.OldV1().Anys(ns).Get(ctx, x, o)
}
`},
		{name: "of a version that stays", file: "a.go", in: `
package a

func f() {
	cs.StepV1().Steps(ns).Get(ctx, x, o)
}
`},
		{name: "of a kind that stays", file: "a.go", in: `
package a

func f() {
	cs.StepV1alpha1().Others(ns).Get(ctx, x, o)
}
`},
		{name: "of a kind that is gone", file: "a.go", in: `
package a

func f() {
	cs.GoneV1().Dodos(ns).Get(ctx, x, o)
}
`, told: "typed-client: GoneV1().Dodos"},
		{name: "kept by a mark", file: "a.go", in: `
package a

func f() {
	cs.StepV1alpha1().Steps(ns).Get(ctx, x, o) // cfctl:keep until the next release
}
`, stays: "by-hand: StepV1alpha1().Steps"},
		{name: "in a file that stays", file: "frozen/a.go", in: `
package a

func f() {
	cs.StepV1alpha1().Steps(ns).Get(ctx, x, o)
}

`, stays: "ruleset: StepV1alpha1().Steps"},
	})
}

// A client of the tree that is called as one of client-go's is told apart by a person where
// a file imports both.
func TestClientsThatKubernetesHas(t *testing.T) {
	b := newBench(t, "name: x\nrules:\n  - {id: a, from: {group: storage.example.com}, to: {group: disks.example.com}}\n")
	tree := &Tree{Clients: map[string]bool{"storage.example.com": true, "storage.example.com/v1": true}}
	for text, want := range map[string]Action{
		"package a\n\nvar c = client.StorageV1().Disks()\n":                                           Change,
		"package a\n\nimport \"k8s.io/client-go/kubernetes\"\n\nvar c = client.StorageV1().Disks()\n": Person,
		"package a\n\nimport \"k8s.io/client-go/rest\"\n\nvar c = client.StorageV1().Disks()\n":       Change,
	} {
		for _, o := range b.plan("a.go", text) {
			if o, ok := o.Settle("a.go", tree); !ok || o.Action() != want {
				t.Errorf("%s: %s %s", text, o.Action(), o.Why)
			}
		}
	}
}
