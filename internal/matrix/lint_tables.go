package matrix

import (
	"io/fs"

	"github.com/project-codeflare/cfctl/internal/report"
	"github.com/project-codeflare/cfctl/internal/stack"
)

// LintTables looks for rows and cells of the tables of releases that cannot be
// read. tables is how many tables there are.
func LintTables(s *stack.Stack, tree fs.FS) (findings []report.Finding, tables int, err error) {
	list, err := releaseTables(s, tree)
	if err != nil {
		return nil, 0, err
	}
	for _, r := range list {
		l := &linter{stack: s, lines: &Lines{Path: r.Path}}
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

// ranges looks at the ranges of declared releases: one that cannot be read, a
// version outside of it, a rule that it leaves no version for.
func (l *linter) ranges() {
	for i, r := range l.config.Releases {
		for j, p := range r.Components {
			if p.Range == "" {
				continue
			}
			line, title := l.lines.pin(i, j), titleOf(l.stack, p.Name)
			allowed, err := stack.ParseRange(p.Range)
			switch {
			case err != nil:
				l.add("constraint-malformed", line, title, p.Version, "%s: %s: %v", r.Version, title, err)
			case p.Version != "" && !allowed.Has(p.Version):
				l.add("tested", line, title, p.Version, "%s: %s %s is not in its range %s", r.Version, title, p.Version, p.Range)
			}
			for _, rule := range l.config.Rules {
				l.rangeRule(r, p, allowed, rule, line)
			}
		}
	}
}

// rangeRule checks a declared range against a rule of kind pair.
func (l *linter) rangeRule(r Release, p Pin, allowed stack.Range, rule Rule, line int) {
	a, _ := l.stack.Component(rule.Component)
	b, _ := l.stack.Component(rule.With)
	if rule.Kind != kindPair || a == nil || b == nil || b.Name != p.Name || allowed.Empty() {
		return
	}
	other, ok := r.Pin(a.Name)
	when, err := stack.ParseRange(rule.When)
	needs, err2 := stack.ParseRange(rule.Needs)
	if rule.When == "" {
		when, err = stack.AnyVersion(), nil
	}
	if !ok || err != nil || err2 != nil || !other.takes().Within(when) || other.takes().Empty() || !allowed.Intersect(needs).Empty() {
		return
	}
	l.add("pairwise", line, b.Title, p.Range, "%s: %s %s needs %s %s, not %s%s", r.Version, a.Title, other.Says(), b.Title, rule.Needs, p.Range, because(rule.Reason))
}
