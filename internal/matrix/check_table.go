package matrix

import (
	"fmt"

	"golang.org/x/mod/semver"

	"github.com/project-codeflare/cfctl/internal/stack"
)

func checkMissing(p *Pass, c *Check) error {
	if p.broken != nil && !p.broken.Absent || len(p.rows) > 0 {
		return nil
	}
	f := finding{
		Rule: c.Name, Severity: c.Severity, Path: p.Stack.Table.Path, Actual: "none",
		Expected: fmt.Sprintf("a compatibility matrix with the columns %s and %s", p.Stack.Table.Component, p.Stack.Table.Version),
		Hint:     "cfctl matrix render -w",
	}
	switch {
	case p.readme == nil:
		p.report(f, "there is no %s", f.Path)
	case p.broken != nil:
		p.report(f, "%v", p.broken)
	default:
		p.report(f, "the compatibility table has no row")
	}
	return nil
}

func checkMalformed(p *Pass, c *Check) error {
	f := finding{Rule: c.Name, Severity: c.Severity, Path: p.Stack.Table.Path}
	if p.broken != nil && !p.broken.Absent {
		f.Line = p.broken.Line
		p.report(f, "%v", p.broken)
	}
	for _, r := range p.rows {
		g := p.at(c, r)
		g.Expected, g.Actual = fmt.Sprintf("%d cells", len(p.doc.Header)), fmt.Sprintf("%d cells", len(r.Cells))
		switch {
		case r.Name == "":
			p.report(g, "the row has no component")
		case len(r.Cells) != len(p.doc.Header):
			p.report(g, "the row of %s has %d cells, the table has %d columns", r.Name, len(r.Cells), len(p.doc.Header))
		}
	}
	return nil
}

func checkDuplicate(p *Pass, c *Check) error {
	first := map[string]int{}
	for _, r := range p.rows {
		if line, ok := first[r.Name]; ok && r.Name != "" {
			p.report(p.at(c, r), "%s has a row on line %d already", r.Name, line)
			continue
		}
		first[r.Name] = r.Line
	}
	return nil
}

func checkUnknown(p *Pass, c *Check) error {
	for _, r := range p.rows {
		if r.of != nil || r.Name == "" {
			continue
		}
		f := p.at(c, r)
		_, err := p.Stack.Lookup(r.Name)
		f.Hint = "declare it in .cfctl.yaml, under stack.components"
		p.report(f, "the row is of no component of the stack: %v", err)
	}
	return nil
}

func checkRowMissing(p *Pass, c *Check) error {
	if len(p.rows) == 0 || p.version() == "" {
		return nil
	}
	for _, comp := range p.Stack.At(p.version()) {
		if _, ok := p.rowOf(comp); !ok && p.Stack.RowPlace(comp) != nil {
			p.report(finding{Rule: c.Name, Severity: c.Severity, Path: p.Stack.Table.Path, Component: comp.Title, Expected: "a row", Actual: "none"},
				"%s belongs to %s and has no row", comp.Title, p.version())
		}
	}
	return nil
}

func checkSemver(p *Pass, c *Check) error {
	for _, r := range p.rows {
		if stack.IsVersion(r.Value) {
			continue
		}
		f := p.at(c, r)
		f.Expected, f.Actual = r.spell("vMAJOR.MINOR.PATCH[-PRERELEASE]"), string(r.Text.Of(p.readme))
		if r.of != nil {
			if v := p.nearest(r.of, r.Value); v != "" {
				f.Hint = "nearest release: " + v
			}
		}
		if r.Value == "" {
			p.report(f, "%s has no version", r.Name)
			continue
		}
		p.report(f, "%s: %q is not a semantic version", r.Name, r.Value)
	}
	return nil
}

func checkReleaseTag(p *Pass, c *Check) error {
	r, ok := p.root()
	if !ok || p.Tag == "" || r.Value == p.Tag {
		return nil
	}
	f := p.at(c, r)
	f.Expected, f.Actual = p.Tag, r.Value
	p.setRow(&f, r, p.Tag)
	p.report(f, "%s is tagged %s and its row says %s", r.Name, p.Tag, r.Value)
	return nil
}

// setRow adds the fix that writes a version into a row, text and link.
func (p *Pass) setRow(f *finding, r row, version string) {
	if r.of == nil || !stack.IsVersion(version) {
		return
	}
	for _, e := range rowEdits(r, p.readme, version, r.of.TagOf(version)) {
		p.fix(f, e)
	}
}

// checkDowngrade compares with the nearest earlier release that has the row
// with a semantic version.
func checkDowngrade(p *Pass, c *Check) error {
	if p.Past == nil {
		return nil
	}
	earlier, err := p.earlier()
	if err != nil {
		return err
	}
	for _, r := range p.rows {
		if !stack.IsVersion(r.Value) {
			continue
		}
		tag, before, err := p.before(earlier, r.Name)
		if err != nil {
			return err
		}
		if before == "" || semver.Compare(r.Value, before) >= 0 {
			continue
		}
		f := p.at(c, r)
		f.Expected, f.Actual = before+" or later", r.Value
		f.Hint = "nearest version that is no step back: " + before
		p.report(f, "%s goes back to %s: the table of %s says %s", r.Name, r.Value, tag, before)
	}
	return nil
}
