package matrix

import (
	"strings"
	"testing"
	"testing/fstest"

	"github.com/project-codeflare/cfctl/internal/source"
	"github.com/project-codeflare/cfctl/internal/stack"
	"github.com/project-codeflare/cfctl/internal/strict"
)

func decode(t *testing.T, text string, v any) {
	t.Helper()
	if err := strict.Decode("test.yaml", []byte(text), v); err != nil {
		t.Fatal(err)
	}
}

// TestRenderIsReadBack: what is rendered reads as the release, also by way of the
// declaration's YAML.
func TestRenderIsReadBack(t *testing.T) {
	s := acme(t)
	for _, cells := range [][]string{{"v1.0.0", "v.0.0.7"}, {"[v1.0.0](https://github.com/acme/app/releases/tag/v1.0.0)", "v1.2.0"}, {"v1.0.0", "[v1.0.0](https://github.com/fork/lib/tree/v2)"}, {"v1.0.0", "1.2 - 1.4"}} {
		readme := []byte("| Component | Version |\n|:-|-:|\n| Acme App | " + cells[0] + " |\nLib|" + cells[1] + "\n")
		doc, err := s.Table.Parse(readme)
		if err != nil {
			t.Fatal(err)
		}
		r := ReadRelease(s, readme, doc, "v1.0.0")
		var b strings.Builder
		WriteReleases(&b, []Release{r})
		var back struct {
			Matrix Config `yaml:"matrix"`
		}
		decode(t, b.String(), &back)
		for _, declared := range []*Release{&r, &back.Matrix.Releases[0]} {
			if edit, err := Insert(s, "README.md", readme, declared); err != nil || edit.New != string(edit.Of(readme)) {
				t.Errorf("%q: %+v, %v", cells, edit, err)
			}
		}
	}
}

func TestInsert(t *testing.T) {
	s := acme(t)
	r := &Release{Version: "v1.0.0", Components: []Pin{{Name: "app", Version: "v1.0.0"}}}
	block := Block(s, r)
	want := "Acme Stack\n\n| Component | Version                                                     |\n|-----------|-------------------------------------------------------------|\n| Acme App  | [v1.0.0](https://github.com/acme/app/releases/tag/v1.0.0) |\n"
	want = strings.Replace(want, "                                                     |", "                                                   |", 1)
	want = strings.Replace(want, strings.Repeat("-", 61), strings.Repeat("-", 59), 1)
	if block != want {
		t.Errorf("%q\nwant %q", block, want)
	}
	rows := strings.TrimPrefix(block, "Acme Stack\n\n")
	for name, c := range map[string][2]string{
		"CR LF":        {"| Component | Version |\r\n|---|---|\r\n| x | y |\r\nb", strings.ReplaceAll(rows, "\n", "\r\n") + "b"},
		"markers":      {"a\n<!-- Matrix start -->\n<!-- Matrix end -->\nb\n", "a\n<!-- Matrix start -->\n" + block + "<!-- Matrix end -->\nb\n"},
		"present":      {"<!-- Matrix start -->\nold\n| Component | Version |\n|---|---|\n| x | y |\nold\n<!-- Matrix end -->\n", "<!-- Matrix start -->\nold\n" + rows + "old\n<!-- Matrix end -->\n"},
		"no markers":   {"a\n\n| Component | Version |\n|---|---|\n| x | y |\n\nb\n", "a\n\n" + rows + "\nb\n"},
		"nothing":      {"a\n", ""},
		"out of order": {"<!-- Matrix end -->\n<!-- Matrix start -->\n", ""},
		"third column": {"| Component | Path | Version |\n|---|---|---|\n| x | p | y |\n", ""},
	} {
		edit, err := Insert(s, "README.md", []byte(c[0]), r)
		if c[1] == "" {
			if err == nil {
				t.Errorf("%s: no error", name)
			}
			continue
		}
		got, aerr := source.Apply([]byte(c[0]), []source.Edit{edit})
		if err != nil || aerr != nil || string(got) != c[1] {
			t.Errorf("%s: %v %v\n%s", name, err, aerr, got)
		}
	}
}

func TestBuiltInData(t *testing.T) {
	s, c := stack.Default(), Default()
	if len(c.Rules) == 0 || len(Known()) != 34 {
		t.Errorf("%d rules, %d releases", len(c.Rules), len(Known()))
	}
	for _, r := range Known() {
		for _, p := range r.Components {
			if _, ok := s.Component(p.Name); !ok {
				t.Errorf("%s: unknown component %s", r.Version, p.Name)
			}
		}
	}
}

func TestSet(t *testing.T) {
	s := acme(t)
	tree := fstest.MapFS{
		"README.md":                     {Data: []byte("| Component | Version |\n|---|---|\n| Acme App | v1.0.0 |\n| Lib | [v1.0.0](https://github.com/acme/lib/releases/tag/v1.0.0) |\n")},
		"Makefile":                      {Data: []byte("LIB_VERSION ?= v1.0.0\nTOOL_VERSION = 0.5.0\n")},
		"config/lib/kustomization.yaml": {Data: []byte("resources:\n- github.com/acme/lib/a?ref=release-v0.0.0\n- github.com/acme/lib/b?ref=release-v1.0.0\n")},
	}
	lib, _ := s.Component("lib")
	tool, _ := s.Component("tool")
	changes, edits, err := Set(s, tree, []Bump{{lib, "v1.1.0"}})
	if err != nil || len(changes) != 4 || len(edits) != 3 {
		t.Fatalf("%d changes in %d files, %v", len(changes), len(edits), err)
	}
	got, err := source.Apply(tree["config/lib/kustomization.yaml"].Data, edits["config/lib/kustomization.yaml"])
	if err != nil || string(got) != "resources:\n- github.com/acme/lib/a?ref=release-v0.0.0\n- github.com/acme/lib/b?ref=release-v1.1.0\n" {
		t.Errorf("%v\n%s", err, got)
	}
	if _, _, err := Set(s, tree, []Bump{{tool, "v1.0.0"}}); err == nil {
		t.Error("Tool has no row: setting it must fail")
	}
	for _, bad := range []string{"v.0.0.7", "latest", "", "v1.0", "v1.0.0\n", "$(id)", "-x"} {
		if _, _, err := Set(s, tree, []Bump{{lib, bad}}); err == nil {
			t.Errorf("version %q was taken", bad)
		}
	}
}

// TestSetShared: the version of a component that is not set stays, though both stand behind
// one variable; set to one version, both are written once.
func TestSetShared(t *testing.T) {
	place := func(c, key string) stack.Place { return stack.Place{Component: c, Kind: "make-var", Key: key} }
	s := &stack.Stack{Root: "app", Components: []stack.Component{{Name: "app"}, {Name: "lib"}}, Places: []stack.Place{place("app", "VERSION"), place("lib", "LIB_VERSION")}}
	if err := s.Complete("t"); err != nil {
		t.Fatal(err)
	}
	tree := fstest.MapFS{"Makefile": {Data: []byte("VERSION = v1.0.0\nLIB_VERSION = $(VERSION)\n")}}
	app, lib := Bump{&s.Components[0], "v1.1.0"}, Bump{&s.Components[1], "v1.1.0"}
	if _, _, err := Set(s, tree, []Bump{lib}); err == nil || !strings.Contains(err.Error(), "Makefile:1:11: this is the version of app, too: make-var VERSION in Makefile") {
		t.Errorf("%v", err)
	}
	if _, edits, err := Set(s, tree, []Bump{lib, app}); err != nil || len(edits["Makefile"]) != 1 {
		t.Errorf("%v, %v", edits, err)
	}
}

// Rows whose versions have no "v" are read, and written, so; a name may link to its repository.
func TestAdoptPlainVersions(t *testing.T) {
	readme := "| Component | Version |\n|---|---|\n| App | 1.1.0 |\n| [Lib](https://github.com/acme/lib) | v0.5.0 |\n"
	s, err := AdoptTree(stack.Table{}, fstest.MapFS{"README.md": {Data: []byte(readme)}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	s.Write(&b)
	if lib, _ := s.Component("lib"); lib.Repository != "acme/lib" {
		t.Errorf("the repository of lib is %q", lib.Repository)
	}
	if want := "    - {component: app, kind: table-row, forms: [\"{version}\"]}\n    - {component: lib, kind: table-row}\n"; !strings.HasSuffix(b.String(), want) {
		t.Errorf("%s", b.String())
	}
}

// Where most tags that are versions have no "v", those of the root have none.
func TestAdoptPlainTags(t *testing.T) {
	readme := "| Component | Version |\n|---|---|\n| App | 1.1.0-community |\n| Lib | v0.5.0 |\n"
	for _, x := range []struct {
		tags []string
		want string
	}{
		{[]string{"1.0.0-community", "1.1.0-community", "v0.1.0", "nightly"}, "{version}"},
		{[]string{"1.0.0", "v1.1.0"}, "v{version}"},
		{nil, "v{version}"},
	} {
		s, err := AdoptTree(stack.Table{}, fstest.MapFS{"README.md": {Data: []byte(readme)}}, x.tags)
		if err != nil {
			t.Fatal(err)
		}
		if got := s.RootComponent().Tag; got != x.want || s.Components[1].Tag != "v{version}" {
			t.Errorf("%v: %s and %s, want %s", x.tags, got, s.Components[1].Tag, x.want)
		}
	}
}

// Of tables that disagree, the first one is declared, by its heading.
func TestAdoptFirstOfSeveralTables(t *testing.T) {
	readme := "# App\n\n## Now\n\n| Component | Version |\n|---|---|\n| App | v1.1.0 |\n| Lib | v0.5.0 |\n\n## Before\n\n| Component | Version |\n|---|---|\n| App | v1.0.0 |\n| Lib | v0.4.0 |\n"
	s, err := AdoptTree(stack.Table{}, fstest.MapFS{"README.md": {Data: []byte(readme)}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	s.Write(&b)
	if !strings.Contains(b.String(), "    under: Now\n") {
		t.Errorf("%s", b.String())
	}
}
