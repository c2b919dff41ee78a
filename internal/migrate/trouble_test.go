package migrate

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/project-codeflare/cfctl/internal/migrate/rules"

	"github.com/project-codeflare/cfctl/internal/source"
)

// A list at the top of a file has siblings, too.
func TestListAtTheTop(t *testing.T) {
	for _, dual := range []bool{false, true} {
		m := parsedMigration(t, mergeRules, dual)
		for _, text := range []string{"- a.example.dev_things.yaml\n", "- a.example.dev_things.yaml\n- x.example.dev_things.yaml\n", "- - a.example.dev_things.yaml\n"} {
			if f := fileOf(m, "kustomization.yaml", []byte(text)); f == nil || f.Skip != nil {
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

// A YAML file that cannot be read is not read, also where nothing in it would change: what is
// asked about it may be wrong.
func TestUnreadThoughNothingChanges(t *testing.T) {
	m := parsedMigration(t, "name: r\nrules:\n- {id: all, from: {group: old.example.com}, to: {group: new.example.org}}\n", false)
	for end, read := range map[string]bool{"": true, "b: [\n": false} {
		f := fileOf(m, "a.yaml", []byte("a: 'old\\.example\\.com'\n"+end))
		if f == nil || (f.Skip == nil) != read || read != (len(f.Sites) == 1) {
			t.Errorf("%q: %+v", end, f)
		}
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
	look := func(name string, data []byte) ([]*File, source.Reason) {
		skipped := []source.Skip{{Path: name, Reason: source.SkipBinary}}
		files := (&planning{Migration: m, files: source.OpenFS(fstest.MapFS{name: {Data: data}}, nil), skipped: skipped}).unlike()
		return files, skipped[0].Reason
	}
	for _, mark := range []string{"\xff\xfe", "\xfe\xff", ""} {
		if files, _ := look("a.yaml", wide(oldThing, mark)); len(files) != 1 || files[0].Skip == nil {
			t.Errorf("mark %q: no finding", mark)
		}
		if files, why := look("a.yaml", wide("kind: Other\n", mark)); len(files) > 0 || why != source.SkipBinary {
			t.Errorf("mark %q: a finding without a name of the rules", mark)
		}
	}
	if files, why := look("a.png", append(wide(oldThing, ""), 1, 0, 2, 0)); len(files) > 0 || why != heldBinary {
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
	removed, _ := kubernetesRemoved(t, Options{Target: "1.999"})
	opts := Options{Rulesets: []*rules.Ruleset{codeflareGroups(t), removed}, Fixes: true}
	m, err := New(opts)
	if err != nil {
		t.Fatal(err)
	}
	plan := tree.planned(m)
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
		var said strings.Builder
		for _, f := range tree.planned(m).Files {
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
