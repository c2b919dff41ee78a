package objects

import (
	"context"
	"slices"
	"strings"
	"testing"
)

// listens is a target that notes where it is listed.
type listens struct {
	memory
	asked []string
}

func (l *listens) List(ctx context.Context, r Resource, each func(Object) error) error {
	l.asked = append(l.asked, r.Namespace)
	return l.memory.List(ctx, r, func(o Object) error {
		if r.Namespace != "" && Text(o, "metadata", "namespace") != r.Namespace {
			return nil
		}
		return each(o)
	})
}

// some is copies whose target is checked in some namespaces alone.
type some struct {
	copies
	in []string
}

func (k some) Resources() []Resource {
	var list []Resource
	for _, ns := range k.in {
		list = append(list, Resource{APIVersion: "v1", Kind: "Thing", Namespace: ns})
	}
	return list
}

// TestOnlyItsNamespaces: a run that is about some namespaces lists these, each
// once, and nothing else; an object of another namespace is looked for there.
func TestOnlyItsNamespaces(t *testing.T) {
	for name, tt := range map[string]struct{ in, asked []string }{
		"its own":      {[]string{"a"}, []string{"a"}},
		"two":          {[]string{"a", "b"}, []string{"a", "b"}},
		"all":          {[]string{""}, []string{""}},
		"another":      {[]string{"b"}, []string{"b", ""}},
		"none of them": {nil, []string{""}},
	} {
		target := &listens{}
		run := newRun(t, t.TempDir(), list(20), true)
		run.Kind, run.Target = some{run.Kind.(copies), tt.in}, target
		for _, want := range []string{"20 created", "20 same"} {
			target.asked = nil
			r, err := run.Apply(context.Background())
			if got := counts(t, r, err); got != want || !slices.Equal(target.asked, tt.asked) {
				t.Errorf("%s: %s, listed %q", name, got, target.asked)
			}
			run.Kind = some{copies{&Files{Path: "-", Stdin: strings.NewReader(list(20))}}, tt.in}
		}
	}
}

// TestRollbackListsWhereItCreated: a rollback needs no right outside of the
// namespaces of its ledger.
func TestRollbackListsWhereItCreated(t *testing.T) {
	target := &listens{}
	run := newRun(t, t.TempDir(), list(3), true)
	run.Target = target
	if _, err := run.Apply(context.Background()); err != nil {
		t.Fatal(err)
	}
	target.asked = nil
	r, err := run.Rollback(context.Background(), false)
	if got := counts(t, r, err); got != "3 deleted" || !slices.Equal(target.asked, []string{"a"}) {
		t.Errorf("%s, listed %q", got, target.asked)
	}
}
