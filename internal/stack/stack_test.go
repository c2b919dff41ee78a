package stack

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/project-codeflare/cfctl/internal/source"
	"github.com/project-codeflare/cfctl/internal/strict"
	"github.com/project-codeflare/cfctl/internal/versions"
)

func TestDefaultIsComplete(t *testing.T) {
	s := Default()
	if got := len(s.At("v1.1.0")); got != 5 {
		t.Errorf("%d components at v1.1.0, want 5", got)
	}
	mcad, _ := s.Component("multi-cluster app dispatcher")
	if got := mcad.ImageOf("v1.33.0"); got != "quay.io/project-codeflare/mcad-controller:release-v1.33.0" {
		t.Error(got)
	}
	ray, _ := s.Component("kuberay")
	if got := ray.ModuleTagOf("v1.3.2"); got != "ray-operator/v1.3.2" {
		t.Error(got)
	}
	var names []string
	for _, c := range s.Dependents(mcad) {
		names = append(names, c.Name)
	}
	if got := strings.Join(names, " "); got != "codeflare-operator codeflare-sdk instascale" {
		t.Errorf("dependents of mcad: %s", got)
	}
}

func TestIsVersion(t *testing.T) {
	for _, v := range []string{"v1.2.3", "v1.0.0-rc.4", "v0.0.0-dev", "v1.2.3+incompatible", "v1.2.3-a-b+c-d"} {
		if !versions.IsVersion(v) {
			t.Errorf("%s is refused", v)
		}
	}
	for _, v := range []string{"", "1.2.3", "v.0.0.7", "v1.2", "v1", "latest", "v01.2.3", "v1.2.3 ", "v1.2.3.4", "v1.2-rc.1.0"} {
		if versions.IsVersion(v) {
			t.Errorf("%q is taken", v)
		}
	}
}

// TestKinds reads and writes one version with every kind of place.
func TestKinds(t *testing.T) {
	cases := []struct {
		place      Place
		file       string
		want, text string // what is read; the file after setting v9.8.7
	}{
		{Place{Kind: "table-row", Key: "Two"}, "# x\n\n| Component | Version |\n|---|---|\n| One | v1.0.0 |\n| Two | [v1.2.0](https://github.com/o/two/releases/tag/v1.2.0)   |\n",
			"v1.2.0 v1.2.0", "# x\n\n| Component | Version |\n|---|---|\n| One | v1.0.0 |\n| Two | [v9.8.7](https://github.com/o/two/releases/tag/v9.8.7)   |\n"},
		{Place{Kind: "make-var", Key: "A_VERSION"}, "# A_VERSION ?= v0\n A_VERSION ?= v1.0.0  # why\nx:\n\tA_VERSION = v2\n", "v1.0.0", "# A_VERSION ?= v0\n A_VERSION ?= v9.8.7  # why\nx:\n\tA_VERSION = v2\n"},
		{Place{Kind: "make-var", Key: "A"}, "A := $(B)\nB = 0.4.4\n", "v0.4.4", "A := $(B)\nB = 9.8.7\n"},
		{Place{Kind: "go-require", Key: "x.io/m"}, "module a\n\nrequire (\n\tx.io/m v1.0.0\n\tx.io/n v1.0.0 // indirect\n)\n", "v1.0.0", "module a\n\nrequire (\n\tx.io/m v9.8.7\n\tx.io/n v1.0.0 // indirect\n)\n"},
		{Place{Kind: "go-replace", Key: "x.io/m"}, "module a\n\nreplace x.io/m v1.0.0 => \"y.io/m\" v1.0.1 // why\n", "v1.0.1", "module a\n\nreplace x.io/m v1.0.0 => \"y.io/m\" v9.8.7 // why\n"},
		{Place{Kind: "go-const", Key: "Img", Image: true}, "package a\n\nconst (\n\tImg = \"q.io/a/b:release-v1.0.0\"\n)\n", "v1.0.0", "package a\n\nconst (\n\tImg = \"q.io/a/b:release-v9.8.7\"\n)\n"},
		{Place{Kind: "properties", Key: "img", Image: true}, "x=1\r\nimg=q.io:5000/a:v1.0.0@sha256:ab\r\n", "v1.0.0", "x=1\r\nimg=q.io:5000/a:v9.8.7\r\n"},
		{Place{Kind: "kustomize-ref", Key: "github.com/o/n"}, "resources:\n- github.com/o/nn/c?ref=v5\n- \"github.com/o/n/c?timeout=1&ref=v1.0.0\" # x\n", "v1.0.0", "resources:\n- github.com/o/nn/c?ref=v5\n- \"github.com/o/n/c?timeout=1&ref=v9.8.7\" # x\n"},
		{Place{Kind: "kustomize-image", Key: "ctrl"}, "images:\n- name: ctrl\n  newTag: v1.0.0\n- name: other\n  newTag: v1\n", "v1.0.0", "images:\n- name: ctrl\n  newTag: v9.8.7\n- name: other\n  newTag: v1\n"},
		{Place{Kind: "yaml", Key: `a."b.c/d"[name=ü].v`}, "# ü\na: {\"b.c/d\": [{name: ü, v: 'v1.0.0'}]}\n", "v1.0.0", "# ü\na: {\"b.c/d\": [{name: ü, v: 'v9.8.7'}]}\n"},
		{Place{Kind: "dockerfile-arg", Key: "V"}, "ARG V=\"1.0.0\"\n", "v1.0.0", "ARG V=\"9.8.7\"\n"},
		{Place{Kind: "dockerfile-from", Key: "q.io/a"}, "FROM --platform=x q.io/a:v1.0.0 AS b\n", "v1.0.0", "FROM --platform=x q.io/a:v9.8.7 AS b\n"},
		{Place{Kind: "dockerfile-from", Key: "q.io/a"}, "FROM q.io/a:v1.0.0@sha256:ab AS b\n", "v1.0.0", "FROM q.io/a:v9.8.7 AS b\n"},
		{Place{Kind: "pattern", Key: `a:(v[0-9.]+)`}, "run a:v1.0.0@sha256:ab now\n", "v1.0.0", "run a:v9.8.7 now\n"},
		{Place{Kind: "yaml", Key: "image", Image: true}, "image: \"q.io/a:v1.0.0@sha256:ab\" # x\n", "v1.0.0", "image: \"q.io/a:v9.8.7\" # x\n"},
		{Place{Kind: "yaml", Key: "image.tag"}, "image:\n  tag: v1.0.0\n  digest: ''\n", "v1.0.0", "image:\n  tag: v9.8.7\n  digest: ''\n"},
		{Place{Kind: "kustomize-ref", Key: "github.com/o/n"}, "resources:\n- https://GitHub.com:443/o/n/c?r%65f=v0.4.0\n- https://github.com/o/n//c?x=y\n- https://github.com/o/n\n", "v0.4.0  ",
			"resources:\n- https://GitHub.com:443/o/n/c?r%65f=v9.8.7\n- https://github.com/o/n//c?x=y&ref=v9.8.7\n- https://github.com/o/n?ref=v9.8.7\n"},
		{Place{Kind: "kustomize-image", Key: "ctrl"}, "images:\n- &i {name: ctrl, newTag: v1.0.0}\n- {<<: *i, newTag: v0.4.0}\n", "v1.0.0 v0.4.0", "images:\n- &i {name: ctrl, newTag: v9.8.7}\n- {<<: *i, newTag: v9.8.7}\n"},
		{Place{Kind: "yaml", Key: "a.tag"}, "x: &k a\na: {tag: v1.0.0}\n*k : {tag: v0.4.0}\n", "v1.0.0 v0.4.0", "x: &k a\na: {tag: v9.8.7}\n*k : {tag: v9.8.7}\n"},
		{Place{Kind: "yaml", Key: "a.tag"}, "x: &x {tag: v0.4.0}\ny: &y {tag: v0.3.0}\na: {tag: v1.0.0, <<: [*x, *y]}\n", "v1.0.0 v0.4.0 v0.3.0", "x: &x {tag: v9.8.7}\ny: &y {tag: v9.8.7}\na: {tag: v9.8.7, <<: [*x, *y]}\n"},
		{Place{Kind: "yaml", Key: "a.tag"}, "x: &x {tag: v0.4.0}\na:\n  <<: *x\n  tag: v1.0.0\n", "v1.0.0", "x: &x {tag: v0.4.0}\na:\n  <<: *x\n  tag: v9.8.7\n"},
		{Place{Kind: "dockerfile-arg", Key: "V"}, "ARG V=1.0.0 W=2\nENV V 0.4.0\nENV X=1 V='0.3.0'\n# ARG V=5\nENV X=1 \\\n  # none\n  V=0.2.0\n", "v1.0.0 v0.4.0 v0.3.0 v0.2.0", "ARG V=9.8.7 W=2\nENV V 9.8.7\nENV X=1 V='9.8.7'\n# ARG V=5\nENV X=1 \\\n  # none\n  V=9.8.7\n"},
		{Place{Kind: "dockerfile-from", Key: "q.io/a"}, "FROM \"q.io/a:v1.0.0\"\nFROM \\\n# x\n q.io/a:v0.4.0\nCOPY --from=q.io/a:v0.3.0 x y\nRUN --mount=type=bind,from=q.io/a:v0.2.0,target=/x y\n", "v1.0.0 v0.4.0 v0.3.0 v0.2.0",
			"FROM \"q.io/a:v9.8.7\"\nFROM \\\n# x\n q.io/a:v9.8.7\nCOPY --from=q.io/a:v9.8.7 x y\nRUN --mount=type=bind,from=q.io/a:v9.8.7,target=/x y\n"},
		{Place{Kind: "dockerfile-from", Key: "q.io/a"}, "ARG T=v1.0.0\nFROM q.io/a:${T} AS x\nFROM q.io/a:$T\nFROM q.io/a:$T-slim\n", "v1.0.0 v$T-slim", "ARG T=v9.8.7\nFROM q.io/a:${T} AS x\nFROM q.io/a:$T\nFROM q.io/a:9.8.7\n"},
		{Place{Kind: "dockerfile-from", Key: "q.io/a", Skip: []string{"$T"}}, "ARG T=v1.0.0\nFROM q.io/a:$T\nFROM q.io/a:$U\n", "v$T v$U", "ARG T=v1.0.0\nFROM q.io/a:9.8.7\nFROM q.io/a:9.8.7\n"},
		{Place{Kind: "dockerfile-arg", Key: "I", Image: true}, "ARG V=v1.0.0\nARG I=$W\nARG W=q.io/a:v0.4.0\n", "v0.4.0", "ARG V=v1.0.0\nARG I=$W\nARG W=q.io/a:v9.8.7\n"},
		{Place{Kind: "dockerfile-from", Key: "q.io/a"}, "FROM q.io/a:v1.0.0\nFROM q.io/a\nCOPY --from=q.io/a x y\nFROM q.io/a@sha256:ab\n", "v1.0.0  ", "FROM q.io/a:v9.8.7\nFROM q.io/a:v9.8.7\nCOPY --from=q.io/a:v9.8.7 x y\nFROM q.io/a@sha256:ab\n"},
		{Place{Kind: "dockerfile-from", Key: "go"}, "FROM go:v1.0.0 AS go\nCOPY --from=go x y\n", "v1.0.0", "FROM go:v9.8.7 AS go\nCOPY --from=go x y\n"},
		{Place{Kind: "pattern", Key: `^see v(\S+)$`}, "see v1.0.0\n", "v1.0.0", "see v9.8.7\n"},
	}
	for _, c := range cases {
		s := &Stack{Root: "a", Components: []Component{{Name: "a"}}, Places: []Place{c.place}}
		p := &s.Places[0]
		p.Component, p.Path, p.Forms = "a", "f", []string{"v{version}", "{version}", "release-v{version}"}
		if err := s.Complete("t"); err != nil {
			t.Errorf("%s: %v", c.place.Kind, err)
			continue
		}
		tree := fstest.MapFS{"f": {Data: []byte(c.file)}}
		matches, err := p.Find(tree)
		var versions []string
		var edits []source.Edit
		for _, m := range matches {
			versions = append(versions, m.Version)
			e, err := m.Set("v9.8.7")
			if err != nil {
				t.Errorf("%s: %v", c.place.Kind, err)
			}
			edits = append(edits, e)
			if same, err := m.Set(m.Version); m.Version != "" && (err != nil || same.Old != same.New) {
				t.Errorf("%s: setting the same value: %v, %v", c.place.Kind, same, err)
			}
		}
		if got := strings.Join(versions, " "); got != c.want || err != nil {
			t.Errorf("%s: %q, %v; want %q", c.place.Kind, got, err, c.want)
		}
		if got, err := source.Apply([]byte(c.file), edits); err != nil || string(got) != c.text {
			t.Errorf("%s: set: %v\n%s", c.place.Kind, err, got)
		}
	}
}

// A digest next to a tag would win over another tag: it is for the user to remove.
func TestSetRefusesDigest(t *testing.T) {
	for place, file := range map[*Place]string{
		{Kind: "kustomize-image", Key: "ctrl"}: "images:\n- name: ctrl\n  newTag: v1.0.0\n  digest: sha256:ab # x\n",
		{Kind: "yaml", Key: "image.tag"}:       "{\"image\": {\"tag\": \"v1.0.0\", \"digest\": \"sha256:ab\"}}\n",
	} {
		s := &Stack{Root: "a", Components: []Component{{Name: "a"}}}
		place.Component, place.Path, place.Forms = "a", "f", []string{"v{version}"}
		if err := s.Complete("t"); err != nil {
			t.Fatal(err)
		}
		if err := place.Complete(s); err != nil {
			t.Fatal(err)
		}
		matches, err := place.Find(fstest.MapFS{"f": {Data: []byte(file)}})
		if err != nil || len(matches) != 1 {
			t.Fatalf("%v, %v", matches, err)
		}
		if _, err := matches[0].Set("v1.0.0"); err != nil {
			t.Errorf("setting the same value: %v", err)
		}
		if e, err := matches[0].Set("v2.0.0"); err == nil {
			t.Errorf("%s: %v", place, e)
		}
	}
}

func TestNoMatch(t *testing.T) {
	s := &Stack{Root: "a", Components: []Component{{Name: "a"}}, Places: []Place{{Component: "a", Kind: "make-var", Key: "V"}}}
	if err := s.Complete("t"); err != nil {
		t.Fatal(err)
	}
	for _, tree := range []fs.FS{fstest.MapFS{}, fstest.MapFS{"Makefile": {Data: []byte("W = 1\n")}}} {
		if _, err := s.Find(tree, &s.Components[0], ""); !errors.Is(err, ErrNoMatch) {
			t.Errorf("a place that matches nothing: %v", err)
		}
	}
	s.Places = nil
	if _, err := s.Find(fstest.MapFS{}, &s.Components[0], ""); !errors.Is(err, ErrNoPlace) || !errors.Is(err, ErrNoMatch) {
		t.Errorf("no place: %v", err)
	}
}

func TestDeclarationErrors(t *testing.T) {
	for text, want := range map[string]string{
		"root: b\ncomponents: [{name: a}]":                                                           "unknown component \"b\"",
		"root: a\ncomponents: [{name: a, tag: x}]":                                                   "must hold {version} once",
		"root: a\ncomponents: [{name: a}, {name: b, aliases: [A]}]":                                  "names both",
		"root: a\ncomponents: [{name: a, needs: [c]}]":                                               "unknown component \"c\"",
		"root: a\ncomponents: [{name: a}]\nplaces: [{component: a, kind: make-vra, key: X}]":         "did you mean make-var?",
		"root: a\ncomponents: [{name: a}]\nplaces: [{component: a, kind: make-var}]":                 "needs a key",
		"root: a\ncomponents: [{name: a}]\nplaces: [{component: a, kind: yaml, key: x, path: ../y}]": "inside of the repository",
		"root: a\ncomponents: [{name: a}]\nplaces: [{component: a, kind: pattern, key: x, path: y}]": "one group",
	} {
		var s Stack
		if err := strict.Decode("c", []byte(text), &s); err != nil {
			t.Fatal(err)
		}
		if err := s.Complete("c"); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", text, err, want)
		}
	}
}

func TestTables(t *testing.T) {
	table := Table{Start: "M start", End: "M end"}
	table.defaults()
	const rows = "| Component | Version |\n|---|---|\n| A | v1.0.0 |\n"
	for name, c := range map[string]struct {
		text string
		rows int
		err  string
	}{
		"plain":         {"x\n" + rows, 1, ""},
		"marked":        {rows + "<!-- M start -->\n" + rows + "| B | v2.0.0 |\n<!-- M end -->\n", 2, ""},
		"one marker":    {"<!-- M start -->\n" + rows, 1, ""},
		"out of order":  {"<!-- M end -->\n" + rows + "<!-- M start -->\n", 0, "comes before"},
		"empty":         {"", 0, "no table"},
		"other header":  {"| Component | Versions |\n|---|---|\n| A | v1 |\n", 0, "no table"},
		"fenced":        {"```\n" + rows + "```\n", 0, "no table"},
		"no delimiter":  {"| Component | Version |\n| A | v1 |\n", 0, "no table"},
		"three columns": {"| Component | Path | Version |\n|---|---|---|\n| A | p | v1.0.0 |\n", 1, ""},
		"bad delimiter": {"| Component | Version |\n|---|\n| A | v1.0.0 |\n", 0, "no table"},
		"in an item":    {"- a\n  1. x:\n       " + strings.ReplaceAll(strings.TrimSpace(rows), "\n", "\n       ") + "\n", 1, ""},
		"dashes below":  {rows + "---\n\n# B\n", 1, ""},
		"no pipes":      {"Component | Version\n---|---\nA | v1.0.0\n\nafter | it\n", 1, ""},
	} {
		doc, err := table.Parse([]byte(c.text))
		if c.err != "" {
			if err == nil || !strings.Contains(err.Error(), c.err) {
				t.Errorf("%s: %v, want %s", name, err, c.err)
			}
			continue
		}
		if err != nil || len(doc.Rows) != c.rows {
			t.Errorf("%s: %v, %v", name, doc, err)
		}
	}
	doc, err := table.Parse([]byte("| Component | Version |\n|---|---|\n| A \\| B | <b>v1</b> |\n| C |\n| D | [v1](nolink) |\n| E | [v1.0.0](https://github.com/o/n/tree/v1.0.1) |\n| F | [v1.0.0]( https://x ) |\n"))
	if err != nil {
		t.Fatal(err)
	}
	r := doc.Rows
	if r[0].Name != `A \| B` || r[0].Value != "<b>v1</b>" || r[1].Value != "" || !r[2].BadLink || r[3].Repo != "o/n" || r[3].LinkTag != "v1.0.1" || !r[4].BadLink {
		t.Errorf("%+v", r)
	}
}

func TestVersionOfImageTag(t *testing.T) {
	c := &Component{Image: Image{Tag: "release-v{version}"}}
	for tag, want := range map[string]string{"release-v1.2.0": "v1.2.0", "v1.2.0": "", "release-v.1.2": "", "release-v1.2": ""} {
		if got, ok := c.VersionOfImageTag(tag); ok != (want != "") || ok && got != want {
			t.Errorf("%s: %q, %v", tag, got, ok)
		}
	}
}

// What GitHub shows as no table is none; two that a reader sees must agree.
func TestVisibleTables(t *testing.T) {
	table := Table{}
	table.defaults()
	const shown, other = "| Component | Version |\n|---|---|\n| A | v2.0.0 |\n", "| Component | Version |\n|---|---|\n| A | v1.0.0 |\n"
	indented := "    " + strings.ReplaceAll(strings.TrimSpace(other), "\n", "\n    ") + "\n\n"
	for name, before := range map[string]string{
		"front matter": "---\ntext: |\n" + other + "---\n", "indented code": indented, "code in a list": "- a\n\n" + strings.ReplaceAll(indented, "    |", "      |"),
		"script": "<script>\n" + other + "</script>\n\n", "pre": "<pre>\n" + other + "\n\n" + other + "</pre>\n", "processing instruction": "<?x\n" + other + "?>\n",
		"declaration": "<!X\n" + other + ">\n", "CDATA": "<![CDATA[\n" + other + "]]>\n", "comment": "<!-- x\n\n" + other + "-->\n", "textarea": "<textarea>\n" + other + "</textarea>\n\n",
		"HTML block": "<div>\n" + other + "</div>\n\n", "fence": "~~~\n" + other + "```\n~~~\n", "fence in a quote": "> ```\n> " + strings.ReplaceAll(strings.TrimSpace(other), "\n", "\n> ") + "\n\n",
		"quotes": strings.Repeat("> ", 100_000) + "x\n\n", "delimiter as code": "x\n| Component | Version |\n    |---|---|\n| A | v1.0.0 |\n\n",
	} {
		doc, err := table.Parse([]byte(before + shown))
		if err != nil || len(doc.Rows) != 1 || doc.Rows[0].Value != "v2.0.0" {
			t.Errorf("%s: %+v, %v", name, doc, err)
		}
	}
	if text := string(readable([]byte("a\n" + strings.Repeat("> ", 500) + "x\nb"))); text != "a\n"+strings.Repeat(" ", 1001)+"\nb" {
		t.Errorf("quotes that take the square of their number: %q", text)
	}
	for name, text := range map[string]string{
		"two": shown + "\n" + other, "other case": shown + "\n" + strings.ToLower(other[:24]) + strings.ReplaceAll(other[24:], "A", "**A**"), "in details": shown + "\n<details>\n\n" + other + "</details>\n", "in a list": shown + "\n- " + strings.ReplaceAll(other, "\n", "\n  "),
	} {
		if _, err := table.Parse([]byte(text)); err == nil || !strings.Contains(err.Error(), "a second table says v1.0.0") {
			t.Errorf("%s: %v", name, err)
		}
	}
	for under, want := range map[string]string{"Now": "v2.0.0", "before": "v1.0.0"} {
		table.Under = under
		doc, err := table.Parse([]byte("# Now\n\n" + shown + "\nBefore\n===\n" + other))
		if err != nil || doc.Rows[0].Value != want {
			t.Errorf("under %s: %+v, %v", under, doc, err)
		}
	}
}

// The files that make includes are read as well, and a Containerfile next to a Dockerfile.
func TestFilesOfAPlace(t *testing.T) {
	tree := fstest.MapFS{
		"hack/Makefile": {Data: []byte("DIR = mk\ninclude $(DIR)/*.mk $(ROOT)/a.mk # why\n-include none.mk\nA = v1.0.0\nx:\n\tinclude b.mk\n")},
		"hack/mk/x.mk":  {Data: []byte("sinclude ../../up.mk\nA = v2.0.0\n")}, "hack/a.mk": {Data: []byte("A = v3.0.0\ninclude Makefile $(shell find mk -name \\*.mk)\n")}, "hack/b.mk": {Data: []byte("A = v4.0.0\n")},
		"Dockerfile": {Data: []byte("ARG A=v1.0.0\n")}, "Containerfile": {Data: []byte("ARG A=v2.0.0\n")},
	}
	for want, place := range map[string]Place{
		"v1.0.0 v2.0.0 v3.0.0": {Kind: "make-var", Path: "hack/Makefile", Key: "A"},
		"v1.0.0 v2.0.0":        {Kind: "dockerfile-arg", Path: "Dockerfile", Key: "A"},
	} {
		s := &Stack{Root: "a", Components: []Component{{Name: "a"}}, Places: []Place{place}}
		s.Places[0].Component = "a"
		if err := s.Complete("t"); err != nil {
			t.Fatal(err)
		}
		matches, err := s.Places[0].Find(tree)
		var got []string
		for _, m := range matches {
			got = append(got, m.Version)
		}
		if strings.Join(got, " ") != want || err != nil {
			t.Errorf("%s: %q, %v", place.Kind, got, err)
		}
	}
}

// What another thing than the version at a place decides is said.
func TestOtherThingsDecide(t *testing.T) {
	for _, c := range []struct {
		place      Place
		file, want string
	}{
		{Place{Kind: "go-const", Path: "c.go", Key: "A"}, "//go:build ignore\n\npackage a\n\nconst A = \"v1.0.0\"\n", "another file, as no build for Linux has this one,"},
		{Place{Kind: "go-const", Path: "c.go", Key: "A"}, "//go:build !windows\n\npackage a\n\nconst A = \"v1.0.0\"\n", ""},
		{Place{Kind: "kustomize-image", Path: "k.yaml", Key: "q.io/a"}, "images: [{name: q.io/a, newTag: v1.0.0}]\ntransformers:\n- |-\n  kind: ImageTagTransformer\n  imageTag: {name: q.io/a, newTag: v2}\n", "a transformer written in the kustomization"},
		{Place{Kind: "kustomize-image", Path: "k.yaml", Key: "q.io/a"}, "images: [{name: q.io/a, newTag: v1.0.0}]\ntransformers:\n- |-\n  kind: PrefixTransformer\n", ""},
	} {
		s := &Stack{Root: "a", Components: []Component{{Name: "a"}}, Places: []Place{c.place}}
		s.Places[0].Component = "a"
		if err := s.Complete("t"); err != nil {
			t.Fatal(err)
		}
		matches, err := s.Places[0].Find(fstest.MapFS{c.place.Path: {Data: []byte(c.file)}})
		if err != nil || len(matches) != 1 || matches[0].Other != c.want {
			t.Errorf("%s: %+v, %v", c.file, matches, err)
		}
	}
}

// TestUnknownNamesFew: an error about a component names the first of many.
func TestUnknownNamesFew(t *testing.T) {
	s := &Stack{}
	for i := range 5000 {
		s.Components = append(s.Components, Component{Name: fmt.Sprintf("component-%d", i)})
	}
	if _, err := s.Lookup("x"); err == nil || !strings.HasSuffix(err.Error(), "component-19, and 4980 more)") {
		t.Error(err)
	}
}
