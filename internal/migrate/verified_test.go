package migrate

import (
	"slices"
	"strings"
	"testing"

	"github.com/project-codeflare/cfctl/internal/migrate/core/judge"
	"github.com/project-codeflare/cfctl/internal/source"
)

// A change is not written that the rules do not make, whose edits overlap, or whose file
// is another one by now. With objects that change their shape it needs review, and no file
// is removed for it.
func TestWhatCannotBeVerifiedIsNotWritten(t *testing.T) {
	m := fuzzMigration(t)
	at := source.Span{Start: strings.Index(oldThing, "old."), End: strings.Index(oldThing, "/v1")}
	edit := func(s source.Span, fresh string) Site {
		return Site{Span: s, Old: oldThing[s.Start:s.End], New: fresh, Verdict: judge.Rewritten("string", "literal"), Edits: []source.Edit{{Span: s, Old: oldThing[s.Start:s.End], New: fresh}}}
	}
	right := edit(at, "new.example.org")
	for _, x := range []struct {
		name     string
		sites    []Site
		now      string // what the file has by now
		converts bool
		drop     bool
		want     string // of the reason why it is not read; "" for one that is written
		fault    bool
	}{
		{name: "what the rules make", sites: []Site{right}},
		{name: "another group", sites: []Site{edit(at, "evil.example.org")}, want: "the rules make it", fault: true},
		{name: "edits that overlap", sites: []Site{right, edit(source.Span{Start: at.Start + 2, End: at.End + 1}, "x")}, want: "overlaps", fault: true},
		{name: "a file that has changed", sites: []Site{right}, now: "# other\n" + oldThing, want: "changed while"},
		{name: "a file that has changed, with shapes", sites: []Site{right}, now: "# other\n" + oldThing, converts: true, want: "changed while"},
		{name: "a shape", sites: []Site{edit(at, "evil.example.org")}, converts: true, drop: true},
	} {
		f := m.newFile("a.yaml", []byte(oldThing))
		f.Sites, f.converts, f.Drop = slices.Clone(x.sites), x.converts, x.drop
		now := x.now
		if now == "" {
			now = oldThing
		}
		m.settling(memory{"a.yaml": now}).verify(f)
		switch {
		case x.want != "" && (f.Skip == nil || !strings.Contains(f.Skip.Error(), x.want) || f.Changes() || f.Fault != x.fault):
			t.Errorf("%s: %v, changes %v, fault %v", x.name, f.Skip, f.Changes(), f.Fault)
		case x.want == "" && f.Skip != nil:
			t.Errorf("%s: %v", x.name, f.Skip)
		case x.want == "" && f.Changes() == x.converts:
			t.Errorf("%s: changes %v, removed %v", x.name, f.Changes(), f.Drop)
		case x.converts && x.want == "" && (len(f.Sites) != 1 || f.Sites[0].Action() != NeedsReview):
			t.Errorf("%s: %+v", x.name, f.Sites)
		}
	}
}

// A file at which cfctl fails is a fault of its own: the others of the walk are read.
func TestOneFileFails(t *testing.T) {
	m := fuzzMigration(t)
	x := &reading{Migration: m, failed: map[string]*File{}}
	var read []string
	w := x.guarded(func(_ search, visit func(name string, data []byte)) error {
		visit("a.yaml", []byte(oldThing))
		visit("b.yaml", []byte(oldThing))
		return nil
	})
	if err := w(search{}, func(name string, _ []byte) {
		if name == "a.yaml" {
			panic("broken")
		}
		read = append(read, name)
	}); err != nil {
		t.Fatal(err)
	}
	f := x.failed["a.yaml"]
	if len(x.failed) != 1 || !f.Fault || !strings.Contains(f.Skip.Error(), "internal error: broken") || !slices.Equal(read, []string{"b.yaml"}) {
		t.Errorf("%+v, read %q", x.failed, read)
	}
}

// What a ruleset or the configuration keeps as a whole is kept where a kind has no group
// next to it, too.
func TestKeptFilesKeepLooseNames(t *testing.T) {
	m := parsedMigration(t, "name: r\nrules:\n- {id: a, from: {group: old.example.com, kind: Widget, plural: widgets}, to: {group: new.example.org, kind: Gadget, plural: gadgets}}\nkeep:\n- {path: docs/**, why: history}\n", false)
	p := memory{"a.yaml": "apiVersion: old.example.com/v1\nkind: Widget\nmetadata: {name: x}\n", "docs/a.sh": "kubectl get widgets\n", "b.sh": "kubectl get widgets\n"}.planned(m)
	got := map[string]Action{}
	for _, f := range p.Files {
		for _, s := range f.Sites {
			if s.Old == "widgets" {
				got[f.Path] = s.Action()
			}
		}
	}
	if len(got) != 2 || got["docs/a.sh"] != Stay || got["b.sh"] != NeedsReview {
		t.Errorf("%v", got)
	}
}

// A kind whose apiVersion a value supplies is listed for review until it has its new name, also
// when the value has changed.
func TestKindOfAValueStaysListed(t *testing.T) {
	m := parsedMigration(t, "name: r\nrules:\n- {id: a, from: {group: old.example.com, version: v1, kind: Widget}, to: {group: new.example.org, version: v2, kind: Gizmo}}\n", false)
	for _, x := range []struct {
		file, text, kind string
		want             int
	}{
		{"values.yaml", "api: new.example.org/v2\n", "Widget", 1},
		{"values.yaml", "group: \"new.example.org\"\n", "Widget", 1},
		{"templates/_a.tpl", "{{- define \"a\" -}}\nnew.example.org/v2\n{{- end }}\n", "Widget", 1},
		{"values.yaml", "api: new.example.org/v2\n", "Gizmo", 0},
		{"values.yaml", "a: 1 # objects of new.example.org/v2\n", "Widget", 0},
		{"README.md", "Objects of `new.example.org/v2` are ours.\n", "Widget", 0},
	} {
		p := memory{x.file: x.text, "templates/a.yaml": "apiVersion: {{ .Values.api }}\nkind: " + x.kind + "\n"}.planned(m)
		got := 0
		for _, f := range p.Files {
			for _, s := range f.Sites {
				if s.Action() == NeedsReview {
					got++
				}
			}
		}
		if got != x.want {
			t.Errorf("%s, %q: %d entries, not %d", x.kind, x.text, got, x.want)
		}
	}
}
