package stack

import (
	"strings"
	"testing"
	"testing/fstest"

	"github.com/project-codeflare/cfctl/internal/strict"
)

// A table of releases is recognised by what stands in it, and declared so that
// it is read again; tables of other things are not.
func TestRecognise(t *testing.T) {
	const table = "| Gizmo | Kubernetes version | cert-manager | Notes |\n|---|---|---|---|\n| main | 1.29 - 1.31 | >=1.14 | new |\n| v1.2 | 1.28 – 1.30 | 1.13.x | |\n| v1.1 | 1.27+ | 1.12, 1.11 | old |\n"
	for _, c := range []struct{ name, file, text, want string }{
		{"ranges", "README.md", "# Gizmo\n\n" + table, "gizmo: kubernetes cert-manager at README.md:3"},
		{"in the documentation", "docs/compatibility.md", table, "gizmo: kubernetes cert-manager at docs/compatibility.md:1"},
		{"marks", "README.md", "|  | Kubernetes 1.30 | Kubernetes 1.31 |\n|---|---|---|\n| v1.2 | ✓ | ✗ |\n| v1.3 | ✗ | ✓ |\n", "gizmo: kubernetes at README.md:1"},
		{"marks below bare versions", "README.md", "# Gizmo\n\n## Kubernetes compatibility\n\n| Gizmo | 1.30 | 1.31 |\n|---|---|---|\n| v1.2 | ✓ | ✗ |\n| v1.3 | ✗ | ✓ |\n", "gizmo: kubernetes at README.md:5"},
		{"a column for each release", "README.md", "| Kubernetes | v1.2 | v1.3 | v1.4 |\n|---|---|---|---|\n| 1.30 | ✓ | ✗ | ✗ |\n| 1.31 | ✗ | ✓ | ✓ |\n", "gizmo: kubernetes at README.md:1"},
		{"the release stands second", "README.md", "| Supported | Gizmo | Lib |\n|---|---|---|\n| ✓ | **v1.2.0** | 3.1 |\n|  | v1.1.0 | 3.0 |\n", "gizmo: lib at README.md:1"},
		{"rows and columns named in the corner", "README.md", "| Acme Big Gizmo \\ Kubernetes Version | v1.30 | v1.31 |\n|---|---|---|\n| master | no | yes |\n| v2.x | no | yes |\n| v1.1 | yes | yes |\n", "gizmo: kubernetes at README.md:1"},
		{"the column of the project stands behind another one of versions", "README.md", "| Kubernetes | Gizmo | Manifest |\n|---|---|---|\n| 1.31 | v1.3.0+ | a.yml |\n| 1.30 | v1.2.0 | b.yml |\n", "gizmo: kubernetes at README.md:1"},
		{"branches", "README.md", "| Gizmo | Kubernetes 1.30 | Kubernetes 1.31 |\n|---|---|---|\n| [`release-0.3`](https://x.y/release-0.3) | ✓ | ✗ |\n| `release-0.4` | ✗ | ✓ |\n", "gizmo: kubernetes at README.md:1"},
		{"major releases before the versions of another column", "README.md", "| Minor release | Gizmo Lib | Tool |\n|---|---|---|\n| 1.x | 6.1.2+ | 1.15.0+ |\n| 2.x | 7.1.0+ | --- |\n| 3.x | 7.2.0+ | --- |\n| 4.x | 7.3.0 | 1.16.0 |\n", "gizmo: gizmo-lib tool at README.md:1"},
		{"prose about versions", "README.md", "| Line | Supported until |\n|---|---|\n| v1.16.x | in maintenance mode when v1.18.0 will be released |\n| v1.15.x | EOL since v1.17.0 was released |\n", ""},
		{"links to branches", "README.md", "| Line | Docs |\n|---|---|\n| v0.36.x | [release-1.36](https://x.y/release-1.36) |\n| v0.35.x | [release-1.35](https://x.y/release-1.35) |\n", ""},
		{"releases of something else", "README.md", "| Kubernetes | Ubuntu 22.04 | Ubuntu 24.04 |\n|---|---|---|\n| v1.30.0 | ✓ | |\n| v1.31.0 | | ✓ |\n", ""},
		{"the image of each release", "README.md", "| Gizmo Release | Container image name | Image Tag | Lib |\n|---|---|---|---|\n| v1.2.0 | quay.io/a/b | v1.2.0 | 3.1 |\n| v1.1.0 | quay.io/a/b | v1.1.0 | 3.0 |\n", "gizmo: lib at README.md:1"},
		{"options", "README.md", "| Flag | Default | Since |\n|---|---|---|\n| --a | 1 | v1.0 |\n| --b | 2.5 | v1.1 |\n", ""},
		{"a table of components", "README.md", "| Component | Version |\n|---|---|\n| Lib | v1.0.0 |\n| Tool | v1.1.0 |\n", ""},
		{"releases without versions", "README.md", "| Release | Date |\n|---|---|\n| v1.0 | May |\n| v1.1 | June |\n", ""},
		{"another file", "docs/flags.md", table, ""},
		{"names that YAML reads as something else", "README.md", "| Gizmo | Null | Lib |\n|---|---|---|\n| v1.2 | 1.30 | 1.2 |\n| v1.3 | 1.31 | 1.3 |\n", "gizmo: null lib at README.md:1"},
	} {
		r, err := Recognise(fstest.MapFS{c.file: {Data: []byte(c.text)}}, "Gizmo")
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		if r != nil {
			var names []string
			for _, col := range r.Stack.Table.Columns {
				names = append(names, col.Component)
			}
			got = r.Stack.Root + ": " + strings.Join(names, " ") + " at " + r.Path + ":" + string(rune('0'+r.Pos.Line))
			var doc struct {
				Stack Stack `yaml:"stack"`
			}
			if err := strict.Decode("x", []byte(r.Declaration()), &doc); err != nil || doc.Stack.Complete("x") != nil {
				t.Errorf("%s: %v\n%s", c.name, err, r.Declaration())
			}
			read, err := doc.Stack.TablesOf(RowsReleases)[0].Read(&doc.Stack, []byte(c.text))
			if err != nil || len(read.Rows) != r.Rows {
				t.Errorf("%s: it is not read again: %v", c.name, err)
			}
		}
		if got != c.want {
			t.Errorf("%s: got %q, want %q", c.name, got, c.want)
		}
	}
}
