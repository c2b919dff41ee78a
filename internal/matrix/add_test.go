package matrix

import (
	"errors"
	"strings"
	"testing"

	"github.com/project-codeflare/cfctl/internal/source"
	"github.com/project-codeflare/cfctl/internal/stack"
)

// A row is put where it belongs, in the form of its neighbours, and nothing
// else of the file is touched.
func TestAddRow(t *testing.T) {
	row := Release{Version: "v1.2.0", Components: []Pin{{Name: "app", Version: "v1.2.0"}, {Name: "lib", Version: "v0.4.0"}}}
	const text = "    - version: v1.2.0\n      components:\n        - {name: app, version: v1.2.0}\n        - {name: lib, version: v0.4.0}\n"
	const one = "    - version: v1.1.0 # of June\n      components: [{name: app, version: v1.1.0}]\n      notes: |\n        two\n\n        paragraphs\n"
	const later = "    # the great one\n    - version: v2.0.0\n      components: []\n"
	for _, c := range []struct{ name, in, want string }{
		{"at the end of the file", "matrix:\n  releases:\n" + one, "matrix:\n  releases:\n" + one + text},
		{"without a last line break", "matrix:\n  releases:\n" + strings.TrimSuffix(one, "\n"), "matrix:\n  releases:\n" + one + text},
		{"before what follows", "matrix:\n  releases:\n" + one + "\n  # rules\n  rules: []\nstack: {}\n", "matrix:\n  releases:\n" + one + text + "\n  # rules\n  rules: []\nstack: {}\n"},
		{"below a higher one", "matrix:\n  releases:\n" + one + later, "matrix:\n  releases:\n" + one + "    # the great one\n" + text + "    - version: v2.0.0\n      components: []\n"},
		{"at another indentation", "matrix:\n  releases:\n  - version: v1.0.0\n    components: []\n  rules: []\n", "matrix:\n  releases:\n  - version: v1.0.0\n    components: []\n" + strings.ReplaceAll(text, "\n  ", "\n")[2:] + "  rules: []\n"},
		{"as the first of its section", "matrix:\n  rules: []\n", "matrix:\n  releases:\n" + text + "  rules: []\n"},
		{"as the first", "stack: {}", "stack: {}\n\nmatrix:\n  releases:\n" + text},
	} {
		edit, ok, err := AddRow(".cfctl.yaml", []byte(c.in), row)
		if err != nil || !ok {
			t.Errorf("%s: %v %v", c.name, ok, err)
			continue
		}
		got, err := source.Apply([]byte(c.in), []source.Edit{edit})
		if err != nil || string(got) != c.want {
			t.Errorf("%s: %v\n%s\nwant\n%s", c.name, err, got, c.want)
		}
		if _, again, err := AddRow(".cfctl.yaml", got, row); again || err != nil {
			t.Errorf("%s: it is added twice: %v", c.name, err)
		}
	}
	for _, in := range []string{"matrix: {releases: []}", "matrix:\n  releases: [{version: v1.0.0}]\n", "matrix: [\n"} {
		if edit, ok, err := AddRow(".cfctl.yaml", []byte(in), row); err == nil {
			t.Errorf("%q: %v %+v", in, ok, edit)
		}
	}
	_, _, err := AddRow(".cfctl.yaml", []byte("matrix:\n  releases:\n    - version: v1.2.0\n      components: [{name: app, version: v1.2.0}]\n"), row)
	if !errors.Is(err, ErrDeclared) || !strings.Contains(err.Error(), "app v1.2.0") {
		t.Errorf("%v", err)
	}
}

// What is not given stays at the version of the release below, in its era.
func TestNewRow(t *testing.T) {
	s := &stack.Stack{Root: "app", Components: []stack.Component{{Name: "app"}, {Name: "lib"}, {Name: "old", Until: "v1.2.0"}, {Name: "new", From: "v1.2.0"}}}
	if err := s.Complete(""); err != nil {
		t.Fatal(err)
	}
	c := &Config{Releases: []Release{
		{Version: "v1.3.0", Components: []Pin{{Name: "lib", Version: "v0.9.0"}}},
		{Version: "v1.1.0", Components: []Pin{{Name: "app", Version: "v1.1.0"}, {Name: "lib", Version: "v0.4.0", Tested: ">=0.3", Link: "x"}, {Name: "old", Version: "v3.0.0"}}},
		{Version: "v1.0.0", Components: []Pin{{Name: "lib", Version: "v0.3.0"}}},
	}}
	row, kept := c.NewRow(s, "v1.2.0", map[string]string{"new": "v0.1.0"})
	if got := pinList(row); got != "app v1.2.0, lib v0.4.0, new v0.1.0" || strings.Join(kept, " ") != "lib" || row.Components[1].Tested != ">=0.3" || row.Components[1].Link != "" {
		t.Errorf("%s, kept %v, %+v", got, kept, row)
	}
}
