package migrate

import (
	"encoding/json"
	"fmt"
	"maps"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/project-codeflare/cfctl/internal/migrate/edit"
	"github.com/project-codeflare/cfctl/internal/migrate/rules"

	"github.com/project-codeflare/cfctl/internal/source"
)

// One file at which cfctl fails is not read; the others of the plan are.
func TestOneFileFails(t *testing.T) {
	m := fuzzMigration(t)
	broken := *m
	broken.rules = nil
	p := m.Finish([]*File{broken.File("PROJECT", []byte("domain: a.example\n"+oldThing)), m.File("b.yaml", []byte(oldThing))}, nil)
	if p.Files[0].Skip == nil || !strings.Contains(p.Files[0].Skip.Error(), "internal error: ") {
		t.Errorf("PROJECT: %v", p.Files[0].Skip)
	}
	if s := p.Summary(); s.Unread != 1 || s.Changes != 1 || !s.Left() {
		t.Errorf("summary %+v", s)
	}
}

// Edits that overlap spoil one file, not the plan.
func TestOverlapIsOfOneFile(t *testing.T) {
	m := fuzzMigration(t)
	bad := m.File("a.yaml", []byte(oldThing))
	for _, s := range []source.Span{{Start: 12, End: 17}, {Start: 15, End: 20}} {
		bad.Sites = append(bad.Sites, Site{Outcome: edit.Outcome{Span: s}.Write(source.Edit{Span: s, Old: oldThing[s.Start:s.End], New: "x"})})
	}
	bad.Sites = bad.Sites[1:]
	p := m.Finish([]*File{bad, m.File("b.yaml", []byte(oldThing))}, nil)
	if p.Files[0].Skip == nil || p.Files[1].Skip != nil || p.Files[0].Changes() || !p.Files[1].Changes() {
		t.Errorf("a.yaml: %v, b.yaml: %v", p.Files[0].Skip, p.Files[1].Skip)
	}
}

// A list at the top of a file has siblings, too.
func TestListAtTheTop(t *testing.T) {
	for _, dual := range []bool{false, true} {
		m := parsedMigration(t, mergeRules, dual)
		for _, text := range []string{"- a.example.dev_things.yaml\n", "- a.example.dev_things.yaml\n- x.example.dev_things.yaml\n", "- - a.example.dev_things.yaml\n"} {
			if f := m.File("kustomization.yaml", []byte(text)); f == nil || f.Skip != nil {
				t.Errorf("%q is not read", text)
			}
		}
	}
}

// A block comment is read up to its end, and no further.
func TestBlockComments(t *testing.T) {
	m := parsedMigration(t, mergeRules, false)
	in := `{"x": 1, /* see a.example.dev */ "metadata": {"labels": {"b.example.dev/v1": "b.example.dev/v1"}}}` + "\n"
	if got := onceOf(t, m, "a.jsonc", in); got != in {
		t.Errorf("got\n%s", indent(got))
	}
	in = "{\n  /* apiVersion: b.example.dev/v1\n  */ \"apiVersion\": \"b.example.dev/v1\"\n}\n"
	if got := onceOf(t, m, "a.jsonc", in); got != strings.ReplaceAll(in, "b.example.dev", "x.example.dev") {
		t.Errorf("got\n%s", indent(got))
	}
}

// A manifest in UTF-16 is no binary file: it is said that it was not read.
func TestManifestInUTF16(t *testing.T) {
	m := fuzzMigration(t)
	wide := func(text, mark string) []byte {
		out := []byte(mark)
		for _, c := range []byte(text) {
			if mark == "\xfe\xff" {
				out = append(out, 0, c)
			} else {
				out = append(out, c, 0)
			}
		}
		return out
	}
	look := m.binary().look
	for _, mark := range []string{"\xff\xfe", "\xfe\xff", ""} {
		if f, _ := look("a.yaml", wide(oldThing, mark)); f == nil || f.Skip == nil {
			t.Errorf("mark %q: no finding", mark)
		}
		if f, held := look("a.yaml", wide("kind: Other\n", mark)); f != nil || held {
			t.Errorf("mark %q: a finding without a name of the rules", mark)
		}
	}
	if f, held := look("a.png", append(wide(oldThing, ""), 1, 0, 2, 0)); f != nil || !held {
		t.Error("what is no text is taken for text")
	}
}

// The fixes of a report are the edits that are written: renamed files, shapes
// and aligned Go included.
func TestFixesAreWhatIsWritten(t *testing.T) {
	tree := memory{
		"crd/mcad.ibm.com_appwrappers.yaml": "kind: CustomResourceDefinition\nmetadata:\n  name: appwrappers.mcad.ibm.com\nspec:\n  group: mcad.ibm.com\n  names: {kind: AppWrapper, plural: appwrappers}\n",
		"kustomization.yaml":                "resources:\n- crd/mcad.ibm.com_appwrappers.yaml\n",
		"Makefile":                          "crd:\n\tcat crd/mcad.ibm.com_appwrappers.yaml\n",
		"hpa.yaml":                          oldScaler + "---\n" + oldScaler,
		"cm.yaml":                           "kind: ConfigMap\ndata:\n  a: |\n" + indented(oldScaler, "    "),
		"a.go":                              "package a\n\nvar x = map[string]string{\n\t\"mcad.ibm.com/v1beta1\": \"a\", // one\n\t\"other.example.com/v1\": \"b\", // two\n}\n",
	}
	removed, _ := kubernetesRemoved(t)
	opts := Options{Rulesets: []*rules.Ruleset{codeflareGroups(t), removed}, Fixes: true}
	m, err := New(opts)
	if err != nil {
		t.Fatal(err)
	}
	var files []*File
	for _, name := range sortedNames(tree) {
		files = append(files, m.File(name, []byte(tree[name])))
	}
	plan := m.Finish(files, tree)
	edits := map[string][]source.Edit{}
	for _, f := range plan.Report(ReportOptions{}).Findings {
		for _, x := range f.Fixes {
			data := []byte(tree[x.Path])
			if x.Position != source.PositionAt(data, x.Start) || x.End != source.PositionAt(data, x.Stop) {
				t.Errorf("%s: fix %d..%d has places %v to %v", x.Path, x.Start, x.Stop, x.Position, x.End)
			}
			edits[x.Path] = append(edits[x.Path], source.Edit{Span: source.Span{Start: x.Start, End: x.Stop}, New: x.Text})
		}
	}
	written := migrated(t, tree, opts)
	for _, f := range plan.Files {
		got, err := source.Apply([]byte(tree[f.Path]), edits[f.Path])
		if err != nil || string(got) != written[f.To] {
			t.Errorf("%s: the fixes give %v\n%swriting gives\n%s", f.Path, err, indent(string(got)), indent(written[f.To]))
		}
	}
}

// The same question has the same answer every time.
func TestAnswersDoNotVary(t *testing.T) {
	rules := `
name: vary
rules:
  - {id: a, from: {group: b.example.com, version: v1beta1}, to: {group: b.example.dev}}
  - {id: b, from: {group: a.b.example.com, version: v1}, to: {group: a.example.dev}}
  - {id: c, from: {group: c.b.example.com, version: v1}, to: {group: c.b.example.dev}}
keys:
  - {from: a.b.example.com/name, to: a.example.dev/name}
`
	tree := memory{
		"v1beta1/types.go": "package v1beta1\n\nconst Label = \"a.b.example.com/name\"\n",
		"PROJECT":          "domain: b.example.com\nlayout: x\n",
		"a.txt":            "x.a.b.example.com.y.c.b.example.com.z\n",
	}
	first := ""
	for i := range 20 {
		m := parsedMigration(t, rules, false)
		var files []*File
		for name := range tree {
			files = append(files, m.File(name, []byte(tree[name])))
		}
		var said strings.Builder
		for _, f := range m.Finish(files, tree).Files {
			text, _ := json.Marshal(f.Sites)
			fmt.Fprintf(&said, "%s %s %s\n", f.Path, f.To, text)
		}
		if i == 0 {
			first = said.String()
		} else if said.String() != first {
			t.Fatalf("got\n%sand before\n%s", indent(said.String()), indent(first))
		}
	}
}

// A Go file at which the reading of types fails is not read; its types and the
// others of the tree are.
func TestOneGoFileFails(t *testing.T) {
	was := readGo
	t.Cleanup(func() { readGo = was })
	readGo = func(r *goReader, name string, data []byte) {
		if name == "bad/types.go" {
			panic("caught")
		}
		was(r, name, data)
	}
	m := parsedMigration(t, "name: x\nrules: [{id: a, from: {group: a.example.dev, kind: Old}, to: {group: a.example.dev, kind: New}}]\n", false)
	goFile := func(pkg string) string {
		return "// +groupName=a.example.dev\npackage " + pkg + "\n\ntype Old struct{}\n"
	}
	p, err := m.planFS(t.Context(), fstest.MapFS{
		"go.mod":        {Data: []byte("module example.com/x\n")},
		"bad/types.go":  {Data: []byte(goFile("bad"))},
		"good/types.go": {Data: []byte(goFile("good"))},
		"a.yaml":        {Data: []byte("apiVersion: a.example.dev/v1\nkind: Old\n")},
	})
	if err != nil {
		t.Fatal(err)
	}
	said := map[string]string{}
	for _, f := range p.Files {
		if f.Skip != nil {
			said[f.Path] = f.Skip.Err.Error()
		}
		for _, s := range f.Sites {
			said[f.Path] += string(s.Action()) + " " + s.Old + ";"
		}
	}
	want := map[string]string{"bad/types.go": "internal error: caught", "good/types.go": "person Old;", "a.yaml": "change Old;"}
	if !maps.Equal(said, want) {
		t.Errorf("got %q, want %q", said, want)
	}
}
