package migrate

import (
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"golang.org/x/tools/txtar"

	"github.com/project-codeflare/cfctl/internal/gorefactor"
	"github.com/project-codeflare/cfctl/internal/migrate/core/judge"
	"github.com/project-codeflare/cfctl/internal/source"
)

// goTree is a tree as a txtar archive.
func goTree(archives ...string) fstest.MapFS {
	tree := fstest.MapFS{}
	for _, archive := range archives {
		for _, f := range txtar.Parse([]byte(archive)).Files {
			tree[f.Name] = &fstest.MapFile{Data: f.Data}
		}
	}
	return tree
}

// goMigration is a migration of Go code.
func goMigration(t *testing.T, rules string, opts Options) *Migration {
	t.Helper()
	set, err := ParseRuleset("rules.yaml", []byte("name: test\ndoc: a test\nrules:\n"+rules))
	if err != nil {
		t.Fatal(err)
	}
	opts.Rulesets = []*Ruleset{set}
	m, err := New(opts)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// nextPlan plans a tree and returns it as the plan leaves it, with what needs
// review as "path:line: reason".
func nextPlan(t *testing.T, m *Migration, tree fstest.MapFS) (p *Plan, after fstest.MapFS, review []string) {
	t.Helper()
	opened := source.OpenFS(tree, nil)
	p, err := m.Plan(context.Background(), opened, source.WalkOptions{Jobs: 1})
	if err != nil {
		t.Fatal(err)
	}
	if err := p.Fault(); err != nil {
		t.Error(err)
	}
	after = maps.Clone(tree)
	for _, f := range p.Files {
		for _, s := range f.Sites {
			if s.Action() == NeedsReview {
				review = append(review, fmt.Sprintf("%s:%d: %s", f.Path, s.Pos.Line, s.ID()))
			}
		}
		if f.Changes() && !f.created {
			delete(after, f.Path)
		}
	}
	changes, err := p.Changes(context.Background(), opened)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range changes {
		var before []byte
		if c.From != "" {
			before = tree[c.From].Data
		}
		data, err := source.Apply(before, c.Edits)
		if err != nil {
			t.Fatalf("%s: %v", c.From, err)
		}
		after[c.To] = &fstest.MapFile{Data: data}
	}
	if _, err := p.Diff(t.Context(), nil, opened); err != nil {
		t.Error(err)
	}
	return p, after, review
}

// typeErrors counts the errors of a type check without other modules, of which new
// files may use more. One that a file has twice counts once.
func typeErrors(t *testing.T, tree fstest.MapFS, p *Plan) int {
	t.Helper()
	loaded, err := gorefactor.Load(context.Background(), tree, slices.Sorted(maps.Keys(tree)), gorefactor.LoadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	errs := map[[2]string]bool{}
	for _, x := range loaded.Problems {
		if !slices.ContainsFunc(p.Files, func(f *File) bool { return f.created && f.Path == x.Path }) {
			errs[[2]string{x.Path, x.Msg}] = true
		}
	}
	return len(errs)
}

// reviewsAsWritten holds the review of a change that is what cfctl writes against it: no
// line of it is by hand. A change that does nothing to Go code is not by hand either.
func reviewsAsWritten(t *testing.T, m *Migration, before, after fstest.MapFS) {
	t.Helper()
	d := Diff{Touched: slices.Sorted(maps.Keys(before))}
	for name := range after {
		if before[name] == nil {
			d.Touched = append(d.Touched, name)
		}
	}
	r, err := m.Review(t.Context(), before, after, d)
	if err != nil {
		t.Fatal(err)
	}
	if r.ByHand > 0 || r.Errors() > 0 {
		t.Errorf("a review of what was written finds %+v", r.Findings)
	}
	if r, err = m.Review(t.Context(), before, before, Diff{}); err != nil || r.ByHand > 0 {
		t.Errorf("a review of no change finds %+v, %v", r.Findings, err)
	}
}

func TestGoCode(t *testing.T) {
	for _, x := range slices.Concat(goCases, sharedCases, typeCases, dualGoCases) {
		t.Run(x.name, func(t *testing.T) {
			before := goTree(x.in...)
			m := goMigration(t, x.rules, x.opts)
			p, after, review := nextPlan(t, m, before)
			for name, f := range goTree(x.after) {
				if got := after[name]; got == nil {
					t.Errorf("no %s", name)
				} else if string(got.Data) != string(f.Data) {
					t.Errorf("%s is\n%s\nwant\n%s", name, got.Data, f.Data)
				}
			}
			var all strings.Builder
			for _, name := range slices.Sorted(maps.Keys(after)) {
				fmt.Fprintf(&all, "-- %s --\n%s", name, after[name].Data)
			}
			for name := range strings.SplitSeq(x.gone, "\n") {
				if name != "" && strings.Contains(all.String(), name) {
					t.Errorf("the tree still has %q:\n%s", name, all.String())
				}
			}
			for line := range strings.SplitSeq(x.keeps, "\n") {
				if !strings.Contains(all.String(), line) {
					t.Errorf("the tree has no %q:\n%s", line, all.String())
				}
			}
			if !slices.Equal(review, x.review) {
				t.Errorf("review is %q, want %q", review, x.review)
			}
			if got := strings.Join(p.Generators, ", "); got != x.generators {
				t.Errorf("generators are %q, want %q", got, x.generators)
			}
			if len(p.Generators) > 0 && p.TypeChecked == 0 {
				t.Error("no package was type-checked")
			}
			if b, a := typeErrors(t, before, p), typeErrors(t, after, p); a > b {
				t.Errorf("%d type errors before, %d after", b, a)
			}
			if !x.opts.Dual {
				reviewsAsWritten(t, m, before, after)
			}
			if again, _, _ := nextPlan(t, m, after); again.Summary().Files > 0 {
				t.Errorf("a second run changes %+v", again.Summary())
			}
		})
	}
}

// TestRulesetKeepsItsKinds: a kind is renamed, and the ruleset in the tree still says which.
func TestRulesetKeepsItsKinds(t *testing.T) {
	const list = "  - id: kind\n    from: {group: old.example.com, kind: WidgetSet, plural: widgetsets}\n    to: {kind: GadgetGroup, plural: gadgetgroups}\n"
	m, tree := goMigration(t, list, Options{}), goTree(strings.NewReplacer("WidgetSpec", "WidgetSetSpec", "Widget", "WidgetSet", "widgets", "widgetsets").Replace(goOwner))
	text := "name: test\ndoc: a test\nrules:\n" + list
	tree["hack/rules.yaml"] = &fstest.MapFile{Data: []byte(text)}
	tree["a.md"] = &fstest.MapFile{Data: []byte("A WidgetSet.\n")}
	_, after, _ := nextPlan(t, m, tree)
	if string(after["hack/rules.yaml"].Data) != text || string(after["a.md"].Data) != "A GadgetGroup.\n" {
		t.Errorf("the ruleset is now\n%s\nand the document\n%s", after["hack/rules.yaml"].Data, after["a.md"].Data)
	}
}

// A part of a tree is not loaded: what it has of an API is reported, once.
func TestGoCodeOfAPart(t *testing.T) {
	dir := t.TempDir()
	files := memory{}
	for name, f := range goTree(goOwner, goClients) {
		files[name] = string(f.Data)
	}
	writeTree(t, dir, files)
	t.Chdir(dir)
	tree, err := source.Open([]string{"api", "client"})
	if err != nil {
		t.Fatal(err)
	}
	defer tree.Close()
	for _, x := range []struct {
		opts Options
		want []string
	}{
		{Options{}, []string{"client/versioned/typed/api/v1/api_client.go: go-part"}},
		{Options{Dual: true, GoStep: "copy"}, []string{"api/v1/register.go: go-part"}},
		{Options{Dual: true}, nil},
	} {
		p, err := goMigration(t, nextGroup, x.opts).Plan(context.Background(), tree, source.WalkOptions{})
		if err != nil {
			t.Fatal(err)
		}
		var review []string
		for _, f := range p.Files {
			for _, s := range f.Sites {
				if s.Action() == NeedsReview {
					review = append(review, f.Path+": "+s.ID())
				}
				if strings.Contains(s.New, "Fresh") {
					t.Errorf("%s: %s becomes %s", f.Path, s.Old, s.New)
				}
			}
		}
		if !slices.Equal(review, x.want) {
			t.Errorf("%+v: review is %q, want %q", x.opts, review, x.want)
		}
	}
}

// A renaming that adds a type error is left out, and the error is reported: by a gate as well,
// which would else report changes that are never written.
func TestGoCodeTypeError(t *testing.T) {
	fsys := goTree(goOwner, goClients)
	tree := source.OpenFS(fsys, nil)
	m := goMigration(t, nextGroup, Options{Glance: true}).In(tree)
	loaded, err := gorefactor.Load(context.Background(), fsys, slices.Sorted(maps.Keys(fsys)), gorefactor.LoadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	const name = "api/v1/types.go"
	at := strings.Index(string(fsys[name].Data), "type Widget struct") + len("type ")
	made := &gorefactor.Plan{Edits: map[string][]source.Edit{name: {{Span: source.Span{Start: at, End: at + len("Widget")}, Old: "Widget", New: "Gadget"}}}}
	r, p := m.newRefactoring(tree), &Plan{}
	r.owner = []string{name}
	if _, err := r.adopt(context.Background(), p, loaded, made); err != nil {
		t.Fatal(err)
	}
	if why := p.Files[0].Sites[0].Why(); len(p.Files) != 1 || !strings.Contains(why, "would add a type error") || !strings.Contains(why, "Widget") {
		t.Errorf("the reason is %q", why)
	}
	if p.Files[0].Changes() {
		t.Error("the file is written")
	}
}

// A review does not plan the names of Go code of the head, which --go=off prints.
func TestNamesOfTheHead(t *testing.T) {
	rule := "  - id: kind\n    from: {group: old.example.com, kind: Widget}\n    to: {kind: Gadget}\n"
	tree := goTree(goOwner)
	off, err := goMigration(t, rule, Options{GoOff: true}).Plan(t.Context(), source.OpenFS(tree, nil), source.WalkOptions{})
	if err != nil || len(off.Renames) == 0 {
		t.Fatalf("no names without a review: %v", err)
	}
	if p, err := goMigration(t, rule, Options{}).planFS(t.Context(), tree); err != nil || len(p.Renames) > 0 {
		t.Errorf("got %q, %v", p.Renames, err)
	}
}

// The sites near an edit are those that overlap with it, and perhaps others.
func TestEnds(t *testing.T) {
	var sites []Site
	for _, at := range []source.Span{{Start: 0, End: 0}, {Start: 0, End: 40}, {Start: 5, End: 8}, {Start: 10, End: 12}, {Start: 12, End: 12}, {Start: 50, End: 60}} {
		sites = append(sites, Site{Span: at})
	}
	x := inOrder(sites)
	for start := range 62 {
		for end := start; end < 62; end++ {
			from, to := x.of(source.Span{Start: start, End: end})
			for i, s := range sites {
				if overlap(s.Span, source.Span{Start: start, End: end}) && (i < from || i >= to) {
					t.Errorf("%d to %d: %v is not among those from %d to %d", start, end, s.Span, from, to)
				}
			}
		}
	}
}

// Two edits of the same bytes are one if they agree; else the file has neither.
func TestMeet(t *testing.T) {
	at := func(start int, old, fresh string) source.Edit {
		return source.Edit{Span: source.Span{Start: start, End: start + len(old)}, Old: old, New: fresh}
	}
	site := func(v judge.Verdict, e source.Edit) Site {
		return Site{Span: e.Span, Old: e.Old, New: e.New, Verdict: v, Edits: []source.Edit{e}}
	}
	change := judge.Rewritten("string", "literal")
	for _, x := range []struct {
		name       string
		have       Site
		e          source.Edit
		rest       int
		add, clash bool
	}{
		{"apart", site(change, at(0, "ab", "x")), at(2, "cd", "y"), 1, true, false},
		{"the same", site(change, at(0, "ab", "x")), at(0, "ab", "x"), 1, false, false},
		{"the same bytes, another text", site(change, at(0, "ab", "x")), at(0, "ab", "y"), 1, false, true},
		{"a group that is spelled like a kind", site(change.In(roleGroup), at(0, "ab", "x")), at(0, "ab", "y"), 1, false, false},
		{"a resource that is spelled like a kind", site(change.In(rolePlural), at(0, "ab", "x")), at(0, "ab", "y"), 1, false, false},
		{"a CRD whose plural is spelled like its kind", site(change.In(roleCRDName), at(0, "ab", "x")), at(0, "ab", "y"), 1, false, false},
		{"inside, with the same result", site(change, at(0, "abc", "axc")), at(1, "b", "x"), 1, false, false},
		{"inside, with the same result and more", site(change, at(0, "abc", "zxc")), at(1, "b", "x"), 1, false, false},
		{"inside, with another result", site(change, at(0, "abc", "xbc")), at(1, "b", "x"), 1, false, false},
		{"around", site(change, at(1, "b", "x")), at(0, "abc", "axc"), 1, false, true},
		{"over the end", site(change, at(0, "abc", "x")), at(2, "cd", "y"), 1, false, true},
		{"in what is kept", site(judge.Because(judge.NotResource, ""), at(0, "abc", "")), at(1, "b", "x"), 1, false, false},
		{"in what is kept because no rule changes it", site(judge.Because(judge.NoRule, ""), at(0, "abc", "")), at(1, "b", "x"), 0, true, false},
		{"in what needs review", site(judge.Because(judge.Several, ""), at(0, "abc", "")), at(1, "b", "x"), 1, false, false},
	} {
		t.Run(x.name, func(t *testing.T) {
			answered, add, clash := meet([]Site{x.have}, x.e)
			if 1-len(answered) != x.rest || add != x.add || clash != x.clash {
				t.Errorf("rest %d, add %v, clash %v", 1-len(answered), add, clash)
			}
		})
	}
}

// Each entry about Go code has an explanation.
func TestGoEntriesAreExplained(t *testing.T) {
	files, err := filepath.Glob("../gorefactor/*.go")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	known := map[string]bool{}
	for _, r := range ReasonRules() {
		known[r.ID] = true
	}
	ids := 0
	for _, name := range files {
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, found := range regexp.MustCompile(`(?:\breview\(|\bID: )"([a-z-]+)"`).FindAllSubmatch(data, -1) {
			if ids++; !known[string(found[1])] {
				t.Errorf("%s: no explanation of %s", name, found[1])
			}
		}
	}
	if ids < 15 {
		t.Errorf("%d entries were found", ids)
	}
}

// TestVersionOfPackageStays: where the Go package of a version is not moved, its webhooks are
// served for the old version, and the package is reported.
func TestVersionOfPackageStays(t *testing.T) {
	const list = "  - id: step\n    from: {group: old.example.com, version: v1}\n    to: {version: v2}\n"
	const hook = "-- hook.go --\npackage hook\n\n//+kubebuilder:webhook:path=/validate-old-example-com-v1-widget,groups=old.example.com,resources=widgets,versions=v1\n"
	for name, opts := range map[string]Options{"without Go code": {GoOff: true}, "left": {GoStep: "leave"}} {
		_, after, review := nextPlan(t, goMigration(t, list, opts), goTree(goOwner, hook))
		if want := []string{"api/v1/register.go:1: version-leave"}; !slices.Equal(review, want) {
			t.Errorf("%s: review is %q, want %q", name, review, want)
		}
		if got := string(after["hook.go"].Data); !strings.HasSuffix(hook, got) {
			t.Errorf("%s: the webhook becomes\n%s", name, got)
		}
	}
}

// TestDroppedVersions: a CRD whose version becomes another one is named, and one that keeps it is not.
func TestDroppedVersions(t *testing.T) {
	const list = "  - id: step\n    from: {group: old.example.com, version: v1, kind: Widget, plural: widgets}\n    to: {version: v2}\n"
	const crd = "-- crd.yaml --\napiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {name: widgets.old.example.com}\nspec:\n  group: old.example.com\n  names: {kind: Widget, plural: widgets}\n  versions:\n  - name: v1\n    served: true\n    storage: true\n"
	theirs := goTree("-- test/" + strings.TrimPrefix(crd, "-- "))
	if p, _, _ := nextPlan(t, goMigration(t, list, Options{}), theirs); p.Dropped() != nil {
		t.Errorf("of another project: %q", p.Dropped())
	}
	for mode, want := range map[string][]string{"move": {"v1 of Widget"}, "copy": nil} {
		p, _, review := nextPlan(t, goMigration(t, list, Options{GoStep: mode}), goTree(goOwner, crd))
		if got := p.Dropped(); !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q; review is %q", mode, got, want, review)
		}
	}
}
