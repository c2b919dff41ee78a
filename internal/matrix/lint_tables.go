package matrix

import (
	"io/fs"

	"github.com/project-codeflare/cfctl/internal/report"
	"github.com/project-codeflare/cfctl/internal/stack"
)

// LintTables looks for rows and cells of the tables of releases that cannot be
// read. tables is how many tables there are.
func LintTables(s *stack.Stack, tree fs.FS) (findings []report.Finding, tables int, err error) {
	list, err := ReleaseTables(s, tree)
	if err != nil {
		return nil, 0, err
	}
	for _, r := range list {
		l := &linter{stack: s, path: r.Path}
		for _, row := range r.Rows {
			if row.Err != nil {
				l.add("row-unreadable", row.Pos.Line, s.RootComponent().Title, row.Label, "%v", row.Err)
			}
			for _, k := range row.Claims {
				if k.Err != nil {
					l.add("cell-unreadable", k.Pos.Line, k.Component.Title, row.Label, "%s: %v", k.Component.Title, k.Err)
				}
			}
		}
		findings = append(findings, l.Findings...)
	}
	return findings, len(list), nil
}
