package edit

import (
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
	o, ok := made[0].Settle("a.go", &Tree{Clients: map[string]bool{"old.example.com": true}})
	if got, _ := written(t, text, []Outcome{o}); !ok || !o.Waited() || got != "package a\n\nvar c = client.NewV1().Anys(ns)\n" {
		t.Errorf("%v %s", o, got)
	}
}
