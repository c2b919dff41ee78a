package migrate

import (
	"runtime"
	"strings"
	"testing"

	"github.com/project-codeflare/cfctl/internal/migrate/core/syntax"
	"github.com/project-codeflare/cfctl/internal/testing/racetest"
)

// repeats are files of a part that is many times: what is before it, the
// part, what is behind.
var repeats = map[string][3]string{
	"a.yaml":          {"", "---\napiVersion: old.example.com/v1\nkind: X\nmetadata: {name: x, labels: {a: b}}\n", ""},
	"role.yaml":       {"kind: ClusterRole\nrules:\n", "- apiGroups: [split.example.com]\n  resources: [apples, berries]\n  verbs: [get]\n", ""},
	"string.yaml":     {"data:\n  x: |\n", "    ---\n    apiVersion: old.example.com/v1\n    kind: X\n", ""},
	"pears.yaml":      {"", "---\napiVersion: same.example.com/v1beta1\nkind: Pear\nspec:\n  colour: red\n  size: 1\n", ""},
	"list.yaml":       {"kind: List\nitems:\n", "- apiVersion: same.example.com/v1beta1\n  kind: Pear\n  spec: {colour: green, size: 1}\n", ""},
	"a.properties":    {"", "group=old.example.com\n", ""},
	"a.json":          {`{"items": [`, `{"apiVersion": "old.example.com/v1", "kind": "X"},` + "\n", `{}]}`},
	"templates/a.tpl": {"", "{{- if .x }}\n---\napiVersion: old.example.com/v1\nkind: {{ .y }}\n{{- end }}\n", ""},
	"a.md":            {"", "Text.\n\n```yaml\napiVersion: old.example.com/v1\nkind: X\n```\n", ""},
	"line.md":         {"", "`same.example.com/v1beta1` ", ""},
	"a.go":            {"package a\n\nvar x = []string{\n", "\t\"old.example.com/v1\", // old.example.com\n", "}\n"},
	"a.py":            {"", "x = '''\napiVersion: old.example.com/v1\nkind: X\n'''\n", ""},
	"a.sh":            {"", "cat <<E\napiVersion: old.example.com/v1\nkind: X\nE\n", ""},
	"a.ipynb":         {`{"cells": [`, `{"cell_type": "code", "source": ["x = \"old.example.com/v1\"\n"]},` + "\n", `{}]}`},
	"a.toml":          {"", "[[x]]\ny = \"old.example.com/v1\"\n", ""},
	"a.txt":           {"", "kubectl get xs.old.example.com\n", ""},
	"a.ts":            {"", "const x = `\napiVersion: old.example.com/v1\nkind: X\n`; // old.example.com\n", ""},
	"a.groovy":        {"", "def x = 'old.example.com/v1' /* old.example.com */\n", ""},
	"a.lua":           {"", "x = \"old.example.com/\" .. 'v1' -- old.example.com\n", ""},
	"A.java":          {"class A {\n", "String x = \"old.example.com/v1\"; /* old.example.com */\n", "}\n"},
	"a.kt":            {"", "val x = \"old.example.com/v1\" // old.example.com\n", ""},
	"a.rs":            {"", "const X: &str = r#\"old.example.com/v1\"#; // 'a'\n", ""},
}

// A format is held to grow as its input does as soon as it is in the table.
func TestEveryFormatIsRepeated(t *testing.T) {
	seen := map[string]bool{}
	for name, p := range repeats {
		seen[syntax.FormatOf(name, []byte(p[0]+p[1]+p[2]))] = true
	}
	for _, name := range Formats() {
		if !seen[name] {
			t.Errorf("no row of repeats is a file of the format %s", name)
		}
	}
}

// Eight times the input allocates about eight times the memory, in every format
// and both modes: the analysis, the proof and the edits together. It may be 2.2
// times for each doubling, as lists grow by leaps; what is quadratic would be 64.
// What is allocated does not depend on the machine or on what else it does.
func TestAllocationsGrowWithTheInput(t *testing.T) {
	racetest.OneGoroutine(t)
	m := fuzzMigration(t)
	dual := *m
	dual.opts.Dual = true
	for name, p := range repeats {
		for _, m := range []*Migration{m, &dual} {
			text := func(n int) []byte { return []byte(p[0] + strings.Repeat(p[1], n) + p[2]) }
			n := 8_000 / len(p[1]) // slices of fewer items grow by doubling, of more by a quarter
			one, eight := allocated(m, name, text(n)), allocated(m, name, text(8*n))
			if ratio := float64(eight) / float64(one); ratio > 2.2*2.2*2.2 {
				t.Errorf("%s (dual %v): eight times the input allocates %.2f times as much", name, m.opts.Dual, ratio)
			}
		}
	}
}

// A rule of permissions with long lists of both, groups and resources, is read once for
// each group.
func TestLongRuleOfPermissions(t *testing.T) {
	racetest.OneGoroutine(t)
	m := fuzzMigration(t)
	rule := func(n int) []byte {
		return []byte("kind: ClusterRole\nrules:\n- apiGroups: [" + strings.Repeat("split.example.com, ", n) + "]\n  resources: [" + strings.Repeat("apples, ", n) + "]\n  verbs: [get]\n")
	}
	one, eight := allocated(m, "role.yaml", rule(200)), allocated(m, "role.yaml", rule(1600))
	if ratio := float64(eight) / float64(one); ratio > 2.2*2.2*2.2 {
		t.Errorf("eight times the groups and resources allocate %.2f times as much", ratio)
	}
}

// allocated is what the migration of a text allocates, in bytes.
func allocated(m *Migration, name string, data []byte) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	if f := fileOf(m, name, data); f != nil && f.Skip == nil {
		f.Edits(data)
	}
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}
