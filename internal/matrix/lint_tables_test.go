package matrix

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/project-codeflare/cfctl/internal/report"
)

func TestLintTables(t *testing.T) {
	const stackText = "root: app\ntables: [{rows: releases, columns: [{component: lib}, {component: tool}]}]\ncomponents: [{name: app, title: App}, {name: lib, title: Lib}, {name: tool, title: Tool}]\n"
	for name, c := range map[string]struct{ rows, want string }{
		"in order":   {"| main | 1.31 | v1.0.0 |\n| 1.3 | 1.30 – 1.31 | v0.9.0 |\n| v1.2.5 | 1.29, 1.30 | v0.7.0 |\n| 1.2.x | 1.28, 1.29 | – |\n", ""},
		"unreadable": {"| v1beta1 | 1.35 | TBD |\n| 1.2 | 1.37 - 1.36 | 1 |\n", "3: cell-unreadable Tool, 3: row-unreadable App, 4: cell-unreadable Lib"},
	} {
		tree := fstest.MapFS{"README.md": {Data: []byte("| App | Lib | Tool |\n|---|---|---|\n" + c.rows)}}
		findings, tables, err := LintTables(stackOf(t, []byte(stackText)), tree)
		if err != nil || tables != 1 {
			t.Errorf("%s: %d tables, %v", name, tables, err)
		}
		if got := lintSaid(findings); got != c.want {
			t.Errorf("%s: %s, want %s", name, got, c.want)
		}
	}
}

// lintSaid is what findings say, sorted: "LINE: RULE COMPONENT, ...".
func lintSaid(findings []report.Finding) string {
	var list []string
	for _, f := range findings {
		text := f.Rule + " " + f.Component
		if f.Line > 0 {
			text = fmt.Sprintf("%d: %s", f.Line, text)
		}
		list = append(list, text)
	}
	slices.Sort(list)
	return strings.Join(list, ", ")
}

func TestLintRanges(t *testing.T) {
	s := acme(t)
	c := &Config{
		Releases: []Release{
			{Version: "v1.0.0", Components: []Pin{{Name: "lib", Version: "v1.2.0", Range: "1.3+"}, {Name: "tool", Range: "what"}}},
			{Version: "v1.1.0", Components: []Pin{{Name: "lib", Range: "1.2 - 1.3"}, {Name: "tool", Range: "0.4, 0.5"}}},
			{Version: "v1.2.0", Components: []Pin{{Name: "lib", Range: "1.2 - 1.4"}, {Name: "tool", Range: "0.4, 0.5"}}},
		},
		Rules: []Rule{{Kind: KindPair, Component: "lib", When: "<1.4", With: "tool", Needs: ">=0.6"}},
	}
	if got, want := lintSaid(Lint(s, c, "", time.Time{})), "constraint-malformed Tool, pairwise Tool, tested Lib"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}
