package matrix

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/project-codeflare/cfctl/internal/racetest"
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

// TestRenderGivesTheBlockBack is the law of render: reading a table and
// rendering it, also by way of the declaration's YAML, gives the same bytes.
func TestRenderGivesTheBlockBack(t *testing.T) {
	racetest.OneGoroutine(t)
	s := acme(t)
	rng := rand.New(rand.NewPCG(3, 3))
	for range 500 {
		readme := randomReadme(rng)
		doc, err := s.Table.Parse([]byte(readme))
		if err != nil {
			t.Fatalf("%v\n%s", err, readme)
		}
		r := ReadRelease(s, []byte(readme), doc, "v1.0.0")
		r.Version = "v1.0.0"
		want := string(doc.Block.Of([]byte(readme)))
		if got := Block(s, &r); got != want {
			t.Fatalf("rendered:\n%q\nwant:\n%q\n%+v", got, want, r)
		}
		var b strings.Builder
		WriteReleases(&b, []Release{r})
		var back struct {
			Matrix Config `yaml:"matrix"`
		}
		decode(t, b.String(), &back)
		if got := Block(s, &back.Matrix.Releases[0]); got != want {
			t.Fatalf("rendered from\n%s:\n%q\nwant:\n%q", b.String(), got, want)
		}
	}
}

// randomReadme has a table as people's scripts leave it: cells of any width.
func randomReadme(rng *rand.Rand) string {
	nl := "\n"
	if rng.IntN(4) == 0 {
		nl = "\r\n"
	}
	blanks := func(n int) string { return strings.Repeat(" ", n) }
	width := 8 + rng.IntN(70)
	var b strings.Builder
	if rng.IntN(4) > 0 {
		b.WriteString("# x" + nl + "<!-- Matrix start -->" + nl + "Acme Stack" + nl + nl)
	} else {
		b.WriteString("<!-- Matrix start -->" + nl + "another: \"text\" #" + nl)
	}
	delim := func(n int) string {
		if rng.IntN(4) == 0 {
			return ":" + strings.Repeat("-", max(1, n-2)) + ":"
		}
		return strings.Repeat("-", n)
	}
	fmt.Fprintf(&b, "| Component%s | Version%s |%s", blanks(1), blanks(width-7), nl)
	fmt.Fprintf(&b, "|%s|%s|%s", delim(12), delim(width+2), nl)
	for _, name := range []string{"Acme App", "Lib", "Tool", "Nobody's"}[:1+rng.IntN(4)] {
		cell := []string{
			"v1.0.0", "v.0.0.7", "", "[v1.0.0](https://github.com/acme/lib/releases/tag/v1.0.0)", "[v1.0.0](https://github.com/fork/lib/tree/v2)",
		}[rng.IntN(5)]
		pad := max(0, width-len(cell))
		if rng.IntN(3) == 0 {
			pad += rng.IntN(3)
		}
		form := []string{"| %s%s | %s%s |%s", "| %s%s | %s%s |%s", "|%s%s|%s%s|%s", "%s%s | %s%s%s", " |  %s%s | %s%s |  %s"}[rng.IntN(5)]
		fmt.Fprintf(&b, form, name, blanks(max(0, 10-len(name)-2*rng.IntN(2))), cell, blanks(pad), nl)
	}
	if rng.IntN(3) == 0 {
		b.WriteString("after: \\ it" + nl)
	}
	b.WriteString("<!-- Matrix end -->" + nl + "rest" + nl)
	return b.String()
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
	for name, c := range map[string][2]string{
		"markers":      {"a\n<!-- Matrix start -->\n<!-- Matrix end -->\nb\n", "a\n<!-- Matrix start -->\n" + block + "<!-- Matrix end -->\nb\n"},
		"present":      {"<!-- Matrix start -->\nold\n| Component | Version |\n|---|---|\n| x | y |\nold\n<!-- Matrix end -->\n", "<!-- Matrix start -->\n" + block + "<!-- Matrix end -->\n"},
		"no markers":   {"a\n\n| Component | Version |\n|---|---|\n| x | y |\n\nb\n", "a\n\n" + strings.TrimPrefix(block, "Acme Stack\n\n") + "\nb\n"},
		"nothing":      {"a\n", ""},
		"out of order": {"<!-- Matrix end -->\n<!-- Matrix start -->\n", ""},
		"third column": {"| Component | Path | Version |\n|---|---|---|\n| x | p | y |\n", ""},
	} {
		edit, err := Insert(s, "README.md", []byte(c[0]), block)
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
