package migrate

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/project-codeflare/cfctl/internal/source"
)

// planOf is the plan of the files of a tree on disk.
func planOf(t *testing.T, m *Migration, tree memory, links map[string]string) *Plan {
	t.Helper()
	dir := t.TempDir()
	writeTree(t, dir, tree)
	for link, to := range links {
		if err := os.Symlink(to, filepath.Join(dir, link)); err != nil {
			t.Skip(err)
		}
	}
	opened, err := source.Open([]string{dir})
	if err != nil {
		t.Fatal(err)
	}
	defer opened.Close()
	plan, err := m.Plan(context.Background(), opened, source.WalkOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return plan
}

// reviewsOf are the places of a plan that need review: path:line:column old, with the reason.
func reviewsOf(p *Plan) (list []string) {
	for _, f := range p.Files {
		for _, s := range f.Sites {
			if s.Action() == NeedsReview {
				list = append(list, fmt.Sprintf("%s:%d:%d %s %s", f.Path, s.Pos.Line, s.Pos.Column, s.Old, s.ID()))
			}
		}
	}
	return list
}

// A name that is spelled with escapes or over two lines needs review, where it
// would change as it is; nothing of its object is rewritten.
func TestEscapedNames(t *testing.T) {
	m := parsedMigration(t, `name: r
doc: d
rules:
  - {id: a, from: {group: old.example.com}, to: {group: new.example.org}}
  - {id: b, from: {group: same.example.com, kind: Gadget, plural: gadgets}, to: {group: same.example.com, kind: Tool, plural: tools}}
  - {id: c, from: {group: policy, version: v1beta1, kind: Budget, plural: budgets}, to: {group: policy, version: v1}}
`, false)
	large := "# " + strings.Repeat("x", 256<<10-60) + "\n"
	for _, x := range []struct{ name, text, want string }{
		{"a.json", `{"apiVersion": "old.\u0065xample.com/v1", "kind": "Thing"}`, "a.json:1:17 old.example.com/v1 escaped"},
		{"a.json", `{"apiVersion": "policy\/v1beta1", "kind": "Budget"}`, "a.json:1:17 policy/v1beta1 escaped"},
		{"a.yaml", "apiVersion: \"old\\x2eexample.com/v1\"\nkind: Thing\n", "a.yaml:1:14 old.example.com/v1 escaped"},
		{"a.yaml", "apiVersion: \"old.\\U00000065xample.com/v1\"\n", "a.yaml:1:14 old.example.com/v1 escaped"},
		{"a.yaml", "apiVersion: \"o\\\n  ld.example.com/v1\"\nkind: Thing\n", "a.yaml:1:14 old.example.com/v1 escaped"},
		{"a.yaml", "apiVersion: policy/v1beta1\nkind: \"Bud\\x67et\"\n", "a.yaml:1:13 policy/v1beta1 escaped"},
		{"a.yaml", "apiVersion: v1\nkind: ConfigMap\ndata:\n  a.json: |\n    {\"apiVersion\": \"old.\\u0065xample.com/v1\"}\n", "a.yaml:5:21 old.example.com/v1 escaped"},
		{"a.yaml", "a: \"{\\\"apiVersion\\\": \\\"old.\\\\u0065xample.com/v1\\\"}\"\n", "a.yaml:1:24 old.example.com/v1 escaped"},
		{"a.yaml", large + "apiVersion: \"old.e\\x78ample.com/v1\"\n", "a.yaml:2:14 old.example.com/v1 escaped"},
		{"a.yaml", "apiVersion: \"old.example.com/v1\"\nkind: \"Th\\x69ng\"\n", ""},
		{"a.yaml", "apiVersion: \"\\u006fld.example.com/v1\" # cfctl:keep x\n", ""},
		{"a.yaml", "a: \"\\x65\"\nb: !Ref Thing\nc: |\n  run \\\n    it\n", ""},
	} {
		p := planOf(t, m, memory{x.name: x.text}, nil)
		if got := strings.Join(reviewsOf(p), "; "); got != x.want {
			t.Errorf("%.200q: %q, want %q", x.text, got, x.want)
		}
		if x.want != "" && slices.ContainsFunc(p.Files, (*File).Changes) {
			t.Errorf("%.200q: some of it is rewritten", x.text)
		}
	}
}

// A link to old names in a folder that is not read needs review; one to other files does not.
func TestLinksToCodeOfOthers(t *testing.T) {
	m := parsedMigration(t, "name: r\ndoc: d\nrules: [{id: a, from: {group: old.example.com}, to: {group: new.example.org}}]\n", false)
	m.opts.Keep = []Keep{{Path: "kept"}}
	p := planOf(t, m, memory{"vendor/a/old.yaml": "apiVersion: old.example.com/v1\n", "vendor/b/new.yaml": "a: b\n", "x/node_modules/c.yaml": "apiVersion: old.example.com/v1\n", "d.yaml": "a: b\n"},
		map[string]string{"one.yaml": "vendor/a/old.yaml", "all": "vendor/a", "other": "vendor/b", "x/c.yaml": "node_modules/c.yaml", "kept": "vendor/a", "d": "d.yaml", "lost": "vendor/lost"})
	got := reviewsOf(p)
	want := []string{"all:1:1 vendor/a link", "one.yaml:1:1 vendor/a/old.yaml link", "x/c.yaml:1:1 x/node_modules/c.yaml link"}
	if !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
}
