package stack

import (
	"fmt"
	"strings"
	"testing"

	"github.com/project-codeflare/cfctl/internal/source"
	"github.com/project-codeflare/cfctl/internal/strict"
)

// shapes are tables as projects write them, each with the configuration that
// reads it, and what it says: "RELEASES: COMPONENT RANGE; ...".
var shapes = map[string]struct{ table, path, text, want string }{
	"release per row": {
		"{rows: releases, release: App, columns: [{component: lib}, {component: k8s, header: Cluster}]}", "README.md",
		"# A\n\n| State | App | Lib | Cluster |\n|:-:|---|---|---|\n| ok | **v1.2.0** | [v0.4.1](https://example.com/v0.4.1) | 1.31, 1.30, 1.29 |\n| | `1.1.x` | 0.3+ | >=1.27 <1.30 |\n| | main | – | 1.32 |\n",
		"v1.2.0: lib v0.4.1; k8s v1.29.x - v1.31.x\nv1.1.x: lib >=v0.3.0; k8s >=v1.27.0 <v1.30.0\ntip: lib none; k8s v1.32.x",
	},
	"first column, no pipes": {
		"{rows: releases, columns: [{component: lib, header: Lib *version*}]}", "README.md",
		"App | lib version\n--- | ---\nApp v0.9 | CR v0.4\n",
		"v0.9.x: lib v0.4.x",
	},
	"marks": {
		"{rows: releases, columns: [{component: k8s, header: \"Kubernetes {version}\"}]}", "README.md",
		"| | Kubernetes 1.29 | Kubernetes 1.30 |\n|---|---|---|\n| `release-0.3` | ✓ | ✗ |\n| `release-0.4` | ✔ (beta) | ✅ |\n| main | | |\n",
		"v0.3.x: k8s v1.29.x\nv0.4.x: k8s v1.29.x - v1.30.x\ntip: k8s none",
	},
	"filled by CI": { // a run in each cell, and the day of the last one
		"{rows: releases, release: Operator, columns: [{component: lib, header: Tested with Lib}, {component: k8s, header: \"Kubernetes {version}\"}]}", "README.md",
		"<!-- written by ci/compat.yaml -->\n| Operator | Tested with Lib | Kubernetes 1.29 | Kubernetes 1.30 | Last tested |\n|---|---|---|---|---|\n| v1.2.0 | [v0.4.1](https://ci.example.com/runs/18) | [✅](https://ci.example.com/runs/18) | ❌ ([log](https://ci.example.com/runs/19)) | 2026-11-26 |\n| v1.1.0 | v0.3.0, v0.3.1 | ✅ ([run](https://ci.example.com/runs/7)) | ⚠️ | 2026-10-02 |\n| v1.0.0 | v0.2.0 | ![pass](https://ci.example.com/pass.svg) | – | |\n",
		"v1.2.0: lib v0.4.1; k8s v1.29.x\nv1.1.0: lib v0.3.0 || v0.3.1; k8s v1.29.x\nv1.0.0: lib v0.2.0; k8s none",
	},
	"marks of its own": {
		"{rows: releases, columns: [{component: k8s, header: \"{version}\", marks: [\"+-\", \"=\"]}]}", "README.md",
		"| | 1.29 | 1.30 |\n|---|---|---|\n| 0.3 | = | - |\n| 0.4 | +- | = |\n",
		"v0.3.x: k8s v1.29.x\nv0.4.x: k8s v1.29.x - v1.30.x",
	},
	"flipped marks, narrowed": {
		"{rows: releases, flip: true, columns: [{component: k8s, header: \"Kubernetes {version}\"}]}", "README.md",
		"| | v1.12, _old_ | v1.13 |\n|---|---|---|\n| Kubernetes v1.29 | ✓ | |\n| Kubernetes v1.30 | ✓ >= v1.12.3 | ✓ |\n",
		"v1.12.x: k8s v1.29.x - v1.30.x\nv1.13.x: k8s v1.30.x",
	},
	"flipped ranges of the release": {
		"{rows: releases, flip: true, release: app, columns: [{component: k8s, header: Kubernetes}]}", "README.md",
		"| Kubernetes | 1.30 | 1.31 |\n|---|---|---|\n| app | \\>= 0.37 | \\>= 1.0.5 |\n",
		">=v0.37.0: k8s v1.30.x\n>=v1.0.5: k8s v1.31.x",
	},
	"under its heading": {
		"{rows: releases, under: Now, columns: [{component: lib}]}", "README.md",
		"# Before\n| App | lib |\n|---|---|\n| 1.0 | 1.0 |\n\n# Now\n\n## Table\n| App | lib |\n|---|---|\n| 2.0 | 2.0 |\n",
		"v2.0.x: lib v2.0.x",
	},
	"between markers": {
		"{rows: releases, start: T start, end: T end, columns: [{component: lib}]}", "README.md",
		"| App | lib |\n|---|---|\n| 1.0 | 1.0 |\n<!-- T start -->\n| App | lib |\n|---|---|\n| 2.0 | 2.0 |\n<!-- T end -->\n",
		"v2.0.x: lib v2.0.x",
	},
	"not in code": {
		"{rows: releases, columns: [{component: lib}]}", "README.md",
		"```\n| App | lib |\n|---|---|\n| 1.0 | 1.0 |\n```\n| App | lib |\n|---|---|\n| 2.0 | 2.0 |\n",
		"v2.0.x: lib v2.0.x",
	},
	"YAML, a list": {
		"{rows: releases, path: c.yaml, key: matrix.rows, release: app, columns: [{component: k8s, header: kube.range}, {component: lib, header: libs}]}", "c.yaml",
		"matrix:\n  rows:\n    - app: 0.1.x\n      kube: {range: \"1.27 - 1.30\"} # quoted\n      libs: [1.0.0, 1.1.0]\n    - app: 0.2.x\n      kube: {range: 1.28+}\n",
		"v0.1.x: k8s v1.27.x - v1.30.x; lib v1.0.0 || v1.1.0\nv0.2.x: k8s >=v1.28.0; lib none",
	},
	"JSON": {
		"{rows: releases, path: c.json, release: version, columns: [{component: lib, header: \"needs.lib\"}]}", "c.json",
		"[{\"version\": \"1.0.0\", \"needs\": {\"lib\": \"^2.1\"}}]\n",
		"v1.0.0: lib >=v2.1.0 <v3.0.0",
	},
	"cells that say nothing": {
		"{rows: releases, columns: [{component: lib}]}", "README.md",
		"| App | lib |\n|---|---|\n| v1beta2-1.6.x-3.5.0 | 1.0 |\n| 1.0 | TBD |\n| 1.1 |\n",
		"error\nv1.0.x: lib error\nv1.1.x: lib none",
	},
}

func tableOf(t testing.TB, text string) (*Stack, *Table) {
	t.Helper()
	s := &Stack{}
	doc := "root: app\ncomponents: [{name: app}, {name: lib}, {name: k8s}]\ntables: [" + text + "]\n"
	if err := strict.Decode("c", []byte(doc), s); err != nil {
		t.Fatal(err)
	}
	if err := s.Complete("c"); err != nil {
		t.Fatal(err)
	}
	return s, &s.Tables[0]
}

func TestShapesOfTables(t *testing.T) {
	for name, c := range shapes {
		s, table := tableOf(t, c.table)
		read, err := table.Read(s, []byte(c.text))
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if got := strings.Join(told(read), "\n"); got != c.want {
			t.Errorf("%s:\n%s\nwant:\n%s", name, got, c.want)
		}
		for _, row := range read.Rows {
			for _, k := range row.Claims {
				if k.Span.End > len(c.text) || k.Pos != source.PositionAt([]byte(c.text), k.Span.Start) {
					t.Errorf("%s: %v is not at %v", name, k.Span, k.Pos)
				}
			}
		}
	}
}

// told is what a table says, row by row.
func told(r *ReleaseTable) []string {
	var rows []string
	for _, row := range r.Rows {
		if row.Err != nil {
			rows = append(rows, "error")
			continue
		}
		label := row.Release.Range.String()
		if row.Release.Tip {
			label = "tip"
		}
		var cells []string
		for _, a := range JoinClaims(row.Claims) {
			says := a.Range.String()
			if a.None {
				says = "none"
			}
			if a.Claims[0].Err != nil {
				says = "error"
			}
			cells = append(cells, a.Component.Name+" "+says)
		}
		rows = append(rows, fmt.Sprintf("%s: %s", label, strings.Join(cells, "; ")))
	}
	return rows
}

func TestReleaseOfATable(t *testing.T) {
	s, table := tableOf(t, "{rows: releases, columns: [{component: lib}]}")
	r, err := table.Read(s, []byte("| App | lib |\n|---|---|\n| main | 9 |\n| 1.2.x | 2 |\n| v1.2.3 | 3 |\n| >=1.1 | 1 |\n"))
	if err != nil {
		t.Fatal(err)
	}
	for version, want := range map[string]string{"": "lib v9.x", "v1.2.3": "lib v3.x", "v1.2.4": "lib v1.x - v2.x", "v1.1.0": "lib v1.x", "v1.0.0": "no row", "v1.2.3-rc.1": "lib v1.x - v2.x", "v1.1.0-rc.1": "lib v1.x"} {
		claims, ok := r.Of(version)
		got := "no row"
		if ok {
			a := JoinClaims(claims)[0]
			got = a.Component.Name + " " + a.Range.String()
		}
		if got != want {
			t.Errorf("%q: %s, want %s", version, got, want)
		}
	}
}

func TestTablesAreChecked(t *testing.T) {
	for text, want := range map[string]string{
		"{rows: release}":  "known are components and releases",
		"{rows: releases}": "needs columns",
		"{flip: true}":     "are for rows: releases",
		"{rows: releases, columns: [{component: nope}]}":                            "unknown component",
		"{rows: releases, columns: [{component: lib, marks: [x]}]}":                 "marks are for a header",
		"{rows: releases, forms: [x], columns: [{component: lib}]}":                 "scheme",
		"{rows: releases, columns: [{component: lib, forms: [\"{version}x{y}\"]}]}": "scheme",
	} {
		s := &Stack{}
		doc := "root: app\ncomponents: [{name: app}, {name: lib}]\ntables: [" + text + "]\n"
		if err := strict.Decode("c", []byte(doc), s); err != nil {
			t.Fatal(err)
		}
		if err := s.Complete("c"); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", text, err, want)
		}
	}
}

// A row of YAML that has a key twice is no answer.
func TestRepeatedKeysOfATable(t *testing.T) {
	s, table := tableOf(t, "{rows: releases, path: c.yaml, key: rows, release: app, columns: [{component: lib}]}")
	_, err := table.Read(s, []byte("rows:\n- app: 1.0.0\n  lib: 2.0.0\n  lib: 3.0.0\n"))
	if err == nil || err.Error() != `c.yaml:4:3: the key "lib" is there twice` {
		t.Errorf("%v", err)
	}
}
