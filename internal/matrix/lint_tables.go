package matrix

import (
	"cmp"
	"fmt"
	"io/fs"
	"slices"

	"golang.org/x/mod/semver"

	"github.com/project-codeflare/cfctl/internal/report"
	"github.com/project-codeflare/cfctl/internal/stack"
)

// LintTables looks for what is wrong in the tables of releases themselves: rows
// out of order, rows that overlap or leave a line out, cells that cannot be
// read, lists with a hole. read is how many tables there are.
func LintTables(s *stack.Stack, tree fs.FS) (findings []report.Finding, tables int, err error) {
	list, err := releaseTables(s, tree)
	if err != nil {
		return nil, 0, err
	}
	for _, r := range list {
		l := &linter{stack: s, lines: &Lines{Path: r.Path}}
		l.rows(r)
		l.cells(r)
		l.columns(r)
		findings = append(findings, l.Findings...)
	}
	return findings, len(list), nil
}

// rows checks the releases of neighbouring rows against each other.
func (l *linter) rows(r *stack.ReleaseTable) {
	root := l.stack.RootComponent().Title
	var list []*stack.ReleaseRow
	for _, row := range r.Rows {
		switch {
		case row.Err != nil:
			l.add("row-unreadable", row.Pos.Line, root, row.Label, "%v", row.Err)
		case !row.Release.Tip:
			list = append(list, row)
		}
	}
	l.overlaps(list, root)
	direction := 0
	for i := 1; i < len(list); i++ {
		a, b := list[i-1], list[i]
		d := semver.Compare(a.Release.Range.Member(), b.Release.Range.Member())
		switch {
		case d == 0:
		case direction == 0:
			direction = d
		case d != direction:
			l.add("row-order", b.Pos.Line, root, b.Label, "the row of %s is out of order after %s", b.Label, a.Label)
		}
	}
	for i := 1; i < len(list); i++ {
		low, high := list[i-1].Release.Range, list[i].Release.Range
		if direction > 0 {
			low, high = high, low
		}
		if missing := between(low, high); missing != "" {
			l.add("row-gap", list[i].Pos.Line, root, missing, "no row has %s: it lies between %s and %s", missing, list[i-1].Label, list[i].Label)
		}
	}
}

// overlaps finds releases that two rows have. A row of one release goes before
// that of its line, and bounds without an end are joined.
func (l *linter) overlaps(list []*stack.ReleaseRow, root string) {
	var pairs [][2]int
	for _, exact := range []bool{true, false} {
		var at []int
		for i, row := range list {
			if r := row.Release.Range; !r.Open() && (r.Exact() != "") == exact {
				at = append(at, i)
			}
		}
		slices.SortStableFunc(at, func(i, j int) int { return stack.ByStart(list[i].Release.Range, list[j].Release.Range) })
		for n, i := range at {
			for _, j := range at[n+1:] {
				a, b := list[i].Release.Range, list[j].Release.Range
				if a.Before(b) || len(pairs) >= maxOverlaps {
					break
				}
				if !a.Intersect(b).Empty() {
					pairs = append(pairs, [2]int{max(i, j), min(i, j)})
				}
			}
		}
	}
	slices.SortFunc(pairs, func(a, b [2]int) int { return cmp.Or(a[0]-b[0], a[1]-b[1]) })
	for _, pair := range pairs {
		a, b := list[pair[0]], list[pair[1]]
		l.add("row-overlap", a.Pos.Line, root, a.Label, "%s has a row on line %d already", a.Release.Range.Intersect(b.Release.Range), b.Pos.Line)
	}
}

// maxOverlaps is how many overlaps of the rows of a table are listed.
const maxOverlaps = 1000

// between is the line of versions that two ranges, the lower one first, leave
// out between them; empty when they leave out none, or it cannot be determined: a new
// major version begins where it likes.
func between(low, high stack.Range) string {
	a, b := low.Last(), high.Member()
	ma, na, ok := minor(a)
	mb, nb, ok2 := minor(b)
	if !ok || !ok2 || low.Open() || ma != mb || nb-na < 2 {
		return ""
	}
	if nb-na == 2 {
		return fmt.Sprintf("v%d.%d.x", ma, na+1)
	}
	return fmt.Sprintf("v%d.%d.x - v%d.%d.x", ma, na+1, ma, nb-1)
}

// cells looks at each cell alone.
func (l *linter) cells(r *stack.ReleaseTable) {
	for _, row := range r.Rows {
		for _, k := range row.Claims {
			if k.Err != nil {
				l.add("cell-unreadable", k.Pos.Line, k.Component.Title, row.Label, "%s: %v", k.Component.Title, k.Err)
				continue
			}
			l.items(row, k)
		}
	}
}

// items checks the items of a cell's list against each other.
func (l *linter) items(row *stack.ReleaseRow, k *stack.Claim) {
	items := k.Cell.Items()
	direction := 0
	for i := 1; i < len(items); i++ {
		a, b := items[i-1], items[i]
		if both := a.Intersect(b); !both.Empty() {
			l.add("cell-overlap", k.Pos.Line, k.Component.Title, row.Label, "%s: %q has %s twice", k.Component.Title, k.Cell.Text, both)
			continue
		}
		d := semver.Compare(a.Member(), b.Member())
		if direction != 0 && d != direction {
			l.add("cell-order", k.Pos.Line, k.Component.Title, row.Label, "%s: %q is out of order at %s", k.Component.Title, k.Cell.Text, b)
			return
		}
		direction = d
		low, high := a, b
		if d > 0 {
			low, high = b, a
		}
		if missing := between(low, high); missing != "" && a.Exact() == "" && b.Exact() == "" {
			l.add("cell-gap", k.Pos.Line, k.Component.Title, row.Label, "%s: %q leaves out %s", k.Component.Title, k.Cell.Text, missing)
		}
	}
}

// columns looks for versions of a component that no row takes, between those
// that rows take. Single versions leave gaps by nature.
func (l *linter) columns(r *stack.ReleaseTable) {
	taken := map[*stack.Component][]stack.Range{}
	single := map[*stack.Component]bool{}
	var order []*stack.Component
	for _, row := range r.Rows {
		for _, a := range stack.JoinClaims(row.Claims) {
			if a.None || a.Claims[0].Err != nil {
				continue
			}
			if _, ok := taken[a.Component]; !ok {
				order = append(order, a.Component)
			}
			taken[a.Component] = append(taken[a.Component], a.Range)
			single[a.Component] = single[a.Component] || a.Range.Exact() != ""
		}
	}
	for _, c := range order {
		parts := stack.UnionOf(taken[c]...).Parts()
		for i := 1; i < len(parts) && !single[c]; i++ {
			if missing := between(parts[i-1], parts[i]); missing != "" {
				l.add("column-gap", r.Rows[0].Pos.Line, c.Title, "", "no row takes %s %s", c.Title, missing)
			}
		}
	}
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
