package migrate

import (
	"maps"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/project-codeflare/cfctl/internal/source"
)

// What the base said of a file as often is not said again, wherever it is
// now; what is new is.
func TestSince(t *testing.T) {
	m := parsedMigration(t, fuzzRules, false)
	const line, other = "apiVersion: old.example.com/v1\nkind: Thing\n", "x: 'old\\.example\\.com'\n"
	for _, tt := range []struct {
		name, base, now string
		moved           map[string]string
		want            string // the old spellings of what is left
	}{
		{"the same", line, line, nil, ""},
		{"moved down", line, "# a note\n" + line, nil, ""},
		{"once more", line, line + "---\n" + line, nil, "old.example.com/v1"},
		{"something else", line, line + other, nil, `old\.example\.com`},
		{"the line is another one", line, strings.Replace(line, "/v1", "/v1 # ours", 1), nil, ""},
		{"under another name", line, line, map[string]string{"b.yaml": "a.yaml"}, ""},
		{"a comment is an object now", "# " + strings.Replace(line, "\n", "\n# ", 1), line, nil, "old.example.com/v1"},
		{"a page is a manifest now", "```yaml\n" + line + "```\n", line, map[string]string{"b.md": "a.yaml"}, "old.example.com/v1"},
		{"not read before, and not now", "a: old.example.com/v1\n\tb: [\n", "a: old.example.com/v1\n\tb: [\n", nil, ""},
		{"not read, with another name", "a: old.example.com/v1\n\tb: [\n", "a: old.example.com/v1\n\tb: [\nc: old.example.com/v1\n", nil, "a.yaml:2: found a tab character that violates indentation"},
		{"not read, with another line", "a: old.example.com/v1\n\tb: [\n", "a: old.example.com/v1\n\tb: [\nc: d\n", nil, ""},
	} {
		was := "a.yaml"
		for was = range tt.moved {
		}
		p, err := m.Since(t.Context(), m.One("a.yaml", []byte(tt.now)), one{name: "a.yaml", data: []byte(tt.now)}, fstest.MapFS{was: {Data: []byte(tt.base)}}, tt.moved)
		if err != nil {
			t.Fatal(err)
		}
		var left []string
		for _, f := range p.Files {
			for _, s := range f.Sites {
				left = append(left, s.Old)
			}
			if f.Skip != nil {
				left = append(left, f.Skip.Error())
			}
		}
		if got := strings.Join(left, " "); got != tt.want {
			t.Errorf("%s: left %q, want %q", tt.name, got, tt.want)
		}
	}
	if p, err := m.Since(t.Context(), m.One("new.yaml", []byte(line)), nothing{}, fstest.MapFS{}, nil); err != nil || len(p.Files) != 1 {
		t.Errorf("a new file: %v, %v", p, err)
	}
}

// What the base had to review is not new because an object in another file makes another rule
// the one that it is of.
func TestSinceBesideAnObject(t *testing.T) {
	m := parsedMigration(t, "name: r\nrules:\n- {id: thing, from: {group: old.example.com, kind: Thing}, to: {group: new.example.org}}\n- {id: all, from: {group: old.example.com}, to: {group: new.example.org}}\n", false)
	without := fstest.MapFS{
		"a.md":     {Data: []byte("```yaml\na:\n  x.health.old.example.com_Thing: |\n    b\n```\n")},
		"crd.yaml": {Data: []byte("apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {name: things.new.example.org}\nspec:\n  group: new.example.org\n  names: {kind: Thing, plural: things}\n  versions: [{name: v1, served: true, storage: true}]\n")},
	}
	with := maps.Clone(without)
	with["b.yaml"] = &fstest.MapFile{Data: []byte("apiVersion: old.example.com/v1\nkind: Thing\nmetadata: {name: x}\n")}
	served := func(group string) fstest.MapFS { // the CRD serves another version than the object has
		return fstest.MapFS{
			"a.md":     {Data: []byte("b\n")},
			"crd.yaml": {Data: []byte(strings.ReplaceAll(string(without["crd.yaml"].Data), "new.example.org", group))},
			"b.yaml":   {Data: []byte("apiVersion: " + group + "/v2\nkind: Thing\nmetadata: {name: x}\n")},
		}
	}
	for name, x := range map[string]struct {
		base, now fstest.MapFS
		want      int
	}{"added": {without, with, 1}, "removed": {with, without, 0}, "renamed": {served("old.example.com"), served("new.example.org"), 0}, "made": {served("other.example.org"), served("new.example.org"), 1}} {
		p, err := m.planFS(t.Context(), x.now)
		if err == nil {
			p, err = m.Since(t.Context(), p, source.OpenFS(x.now, nil), x.base, nil)
		}
		if err != nil || len(p.Files) != x.want {
			t.Errorf("%s: %d files are left (%v)", name, len(p.Files), err)
		}
	}
}

// The names of Go code that the base has as well are not new, nor are the files named after them.
func TestSinceOfGo(t *testing.T) {
	m := parsedMigration(t, "name: k\ndoc: d\nrules: [{id: a, from: {group: example.com, kind: BlueBox, plural: blueboxes}, to: {group: example.com, kind: RedCrate, plural: redcrates}}]\n", false)
	const types = "// +groupName=example.com\npackage v1\n\nconst GroupName = \"example.com\"\n\n// +kubebuilder:object:root=true\n\n// BlueBox is a box.\ntype BlueBox struct{}\n\nvar boxes []BlueBox\n"
	base := fstest.MapFS{"go.mod": {Data: []byte("module m.example\n")}, "api/v1/bluebox_types.go": {Data: []byte(types)}}
	for more, want := range map[string]int{"": 0, "\nvar more []BlueBox\n": 1} {
		now := fstest.MapFS{"go.mod": base["go.mod"], "api/v1/bluebox_types.go": {Data: []byte(types + more)}}
		p, err := m.Plan(t.Context(), source.OpenFS(now, nil), source.WalkOptions{})
		if err != nil || !slices.ContainsFunc(p.Files, func(f *File) bool { return f.Path == "api/v1/bluebox_types.go" && f.To != f.Path }) {
			t.Fatalf("%v, %v", p, err)
		}
		p, err = m.Since(t.Context(), p, source.OpenFS(now, nil), base, nil)
		if err != nil {
			t.Fatal(err)
		}
		left := 0
		for _, f := range p.Files {
			left += len(f.Sites)
			if f.To != f.Path {
				t.Errorf("%s becomes %s again", f.Path, f.To)
			}
		}
		if left != want {
			t.Errorf("with %q: %d names are new, want %d", more, left, want)
		}
	}
}

// A package is copied for a version alone, whatever the rules for APIs of Kubernetes change, and
// what changes in it is of the rule for its group.
func TestVersionBesideKubernetes(t *testing.T) {
	parsed := func(text string) *Ruleset {
		set, err := ParseRuleset("r.yaml", []byte(text))
		if err != nil {
			t.Fatal(err)
		}
		return set
	}
	step := parsed("name: s\ndoc: d\nrules: [{id: s, from: {group: example.com, version: v1beta1}, to: {group: example.com, version: v1}}]\n")
	removed, err := BuiltinRuleset("kubernetes-removed")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := New(Options{Rulesets: []*Ruleset{removed, step}, GoStep: "copy"}); err != nil {
		t.Error(err)
	}
	m, err := New(Options{Rulesets: []*Ruleset{removed, step}})
	if err != nil {
		t.Fatal(err)
	}
	tree := fstest.MapFS{"go.mod": {Data: []byte("module m.example\n")}, "api/v1beta1/types.go": {Data: []byte("// +groupName=example.com\npackage v1beta1\n\nvar GroupVersion = schema.GroupVersion{Group: \"example.com\", Version: \"v1beta1\"}\n\n// +kubebuilder:object:root=true\ntype Box struct{}\n\nfunc init() { SchemeBuilder.Register(&Box{}) }\n")}}
	for group, refused := range map[string]bool{"example.com": true, "other.example.com": false} { // the tree has no package of the other
		rename := parsed("name: r\ndoc: d\nrules: [{id: r, from: {group: " + group + ", version: v1beta1}, to: {group: new.example.org, version: v1}}]\n")
		copying, err := New(Options{Rulesets: []*Ruleset{removed, rename}, GoStep: "copy"})
		if err != nil {
			t.Fatal(err)
		}
		if _, err = copying.Plan(t.Context(), source.OpenFS(tree, nil), source.WalkOptions{}); (err != nil) != refused || refused && !strings.Contains(err.Error(), "rule r changes more than a version") {
			t.Errorf("%s: got %v", group, err)
		}
	}
	p, err := m.Plan(t.Context(), source.OpenFS(tree, nil), source.WalkOptions{})
	if err != nil || len(p.Files) != 1 {
		t.Fatalf("%v, %v", p, err)
	}
	for _, s := range p.Files[0].Sites {
		if s.New != "" && s.Rule.Set != "s" {
			t.Errorf("%s → %s is of %s/%s", s.Old, s.New, s.Rule.Set, s.Rule.ID)
		}
	}
}

// An entry that matched nothing may be misspelled.
func TestIdle(t *testing.T) {
	m := parsedMigration(t, "name: own\nrules: [{id: a, from: {group: old.example.com}, to: {group: new.example.org}}]\nkeys:\n- {from: old.example.com/, to: new.example.org/}\n- {from: other.example.com/, to: new.example.org/}\n"+
		"keep:\n- {value: kept.old.example.com}\n- {value: lost.old.example.com}\n- {path: 'x/**'}\n", false)
	opts := m.opts
	opts.Keep = []Keep{{Path: "b.yaml"}, {Value: "old.example.com/v1"}, {Path: ".cfctl.yaml"}}
	m, err := New(opts)
	if err != nil {
		t.Fatal(err)
	}
	p := m.One("a.yaml", []byte("apiVersion: old.example.com/v1\nmetadata:\n  labels: {old.example.com/x: y}\nhost: kept.old.example.com\n"))
	want := []string{`own: keep "lost.old.example.com" matched nothing`, `own: keep "x/**" matched nothing`, `own: key "other.example.com/" matched nothing`, `.cfctl.yaml: keep "b.yaml" matched nothing`}
	if got := p.Idle(".cfctl.yaml"); strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("%q", got)
	}
}
