package stack

import (
	"errors"
	"testing"

	"github.com/project-codeflare/cfctl/internal/source"
)

// A cell is changed within itself, in its own spelling.
func TestAdmit(t *testing.T) {
	for _, c := range []struct{ cell, version, want string }{
		{"1.31, 1.30", "v1.30.4", "1.31, 1.30"},
		{"v1.2.3", "v1.4.0", "v1.4.0"},
		{"**1.2.3**", "v1.4.0", "**1.4.0**"},
		{"1.2", "v1.4.5", "1.4"},
		{"0.4.x", "v0.5.1", "0.5.x"},
		{"4.8.*", "v4.9.1", "4.9.*"},
		{"1.29 – 1.32", "v1.33.1", "1.29 – 1.33"},
		{"1.29-1.32", "v1.28.0", "1.28-1.32"},
		{"`1.29` → `1.32`", "v1.33.1", "`1.29` → `1.33`"},
		{">=0.5 <0.7", "v0.7.2", ">=0.5 <0.8"},
		{">=0.5.1 <0.7.0", "v0.7.2", ">=0.5.1 <0.7.3"},
		{">=0.5 <=0.7", "v0.8.2", ">=0.5 <=0.8"},
		{">=0.5 <0.7", "v0.4.2", ">=0.4 <0.7"},
		{"1.31+", "v1.30.2", "1.30+"},
		{"up to 1.30", "v1.31.0", "up to 1.31"},
		{"&lt;1.30", "v1.31.0", "&lt;1.32"},
		{"^1.2.0", "v2.0.1", "^2.0.1"},
		{"1.31, 1.30, 1.29", "v1.32.1", "by hand"},
		{"[v0.3.1](https://example.com/lib/releases/tag/cf0.3.1)[^2]", "v0.4.0", "[v0.4.0](https://example.com/lib/releases/tag/cf0.4.0)[^2]"},
		{"[![](https://img.shields.io/badge/k8s-1.28-blue)](https://example.com/1.28.0)", "v1.29.3", "[![](https://img.shields.io/badge/k8s-1.29-blue)](https://example.com/1.28.0)"},
		{"<a href=\"/v0.3.1/\"><b>0.3.1</b></a>", "v0.3.11", "<a href=\"/v0.3.11/\"><b>0.3.11</b></a>"},
		{"[0.3.1](https://example.com/10.3.1/0.3.10/v0.3.1)", "v0.4.0", "[0.4.0](https://example.com/10.3.1/0.3.10/v0.4.0)"},
		{"1.34 and 1.35", "v1.36.1", "by hand"},
		{"1.2+, 2.3+", "v3.0.0", "by hand"},
		{"1.2 or >=2", "v1.3.0", "by hand"},
		{"[1.31](a), [1.30](b)", "v1.32.0", "by hand"},
		{"–", "v1.2.0", "by hand"},
		{"TBD", "v1.2.0", "by hand"},
	} {
		s, table := tableOf(t, "{rows: releases, columns: [{component: lib}]}")
		before, after := "| App | lib | more |\r\n|---|---|---|\r\n| 1.0 |  ", " | 1.2.3 |\r\n| 0.9 | "+c.cell+" | |\r\n"
		data := []byte(before + c.cell + after)
		read, err := table.Read(s, data)
		if err != nil {
			t.Fatal(err)
		}
		edits, err := read.Rows[0].Claims[0].Admit(data, c.version)
		if c.want == "by hand" {
			if !errors.Is(err, errCell) {
				t.Errorf("%q %s: %v, %v", c.cell, c.version, edits, err)
			}
			continue
		}
		got, err2 := source.Apply(data, edits)
		if err != nil || err2 != nil || string(got) != before+c.want+after {
			t.Errorf("%q %s: %q, %v, %v, want %q", c.cell, c.version, got, err, err2, c.want)
			continue
		}
		if read, err = table.Read(s, got); err != nil || !read.Rows[0].Claims[0].Cell.Range.Has(c.version) {
			t.Errorf("%q: %s is not in it: %v", got, c.version, err)
		}
	}
}

// Other formats are written where they stand.
func TestAdmitElsewhere(t *testing.T) {
	for name, c := range map[string]struct{ table, path, text, version, want string }{
		"YAML": {"{rows: releases, path: c.yaml, key: rows, release: a, columns: [{component: lib}]}", "c.yaml", "rows:\n- a: 3\n  lib: \"1.1 - 1.2\" # kept\n", "v1.3.0", "rows:\n- a: 3\n  lib: \"1.1 - 1.3\" # kept\n"},
		"JSON": {"{rows: releases, path: c.json, release: app, columns: [{component: lib}]}", "c.json", "[{\"app\": \"3.0\", \"lib\": \"^1.1\"}]\n", "v2.3.0", "[{\"app\": \"3.0\", \"lib\": \"^2.3\"}]\n"},
	} {
		s, table := tableOf(t, c.table)
		read, err := table.Read(s, []byte(c.text))
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		claims := read.Rows[0].Claims
		edits, err := claims[len(claims)-1].Admit([]byte(c.text), c.version)
		got, err2 := source.Apply([]byte(c.text), edits)
		if err != nil || err2 != nil || string(got) != c.want {
			t.Errorf("%s: %q, %v, %v", name, got, err, err2)
		}
	}
}
