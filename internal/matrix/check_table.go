package matrix

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"golang.org/x/mod/semver"

	"github.com/project-codeflare/cfctl/internal/stack"
	"github.com/project-codeflare/cfctl/internal/versions"
)

func checkMissing(_ context.Context, p *pass) error {
	if len(p.declared) > 0 && len(p.rows) == 0 {
		return nil // the declaration is what the tree is held against
	}
	for _, t := range p.tables {
		f := finding{Path: t.table.Path, Actual: "none", Hint: "cfctl matrix render -w"}
		f.Expected = fmt.Sprintf("a compatibility matrix with the columns %s and %s", t.table.Component, t.table.Version)
		if t.table.Rows == stack.RowsReleases {
			f.Expected, f.Hint = "a table of releases", ""
		}
		switch {
		case t.broken != nil && !t.broken.Absent:
		case t.data == nil:
			p.Report(f, "there is no %s", f.Path)
		case t.broken != nil:
			p.Report(f, "%v", t.broken)
		case t.doc != nil && len(t.doc.Rows) == 0, t.releases != nil && len(t.releases.Rows) == 0:
			p.Report(f, "the compatibility table has no row")
		}
	}
	return nil
}

// checkReleaseMissing wants a row for the release in every table of releases.
func checkReleaseMissing(p *pass) {
	version := p.version()
	for _, t := range p.tables {
		if t.releases == nil || version == "" || len(t.releases.Rows) == 0 {
			continue
		}
		if !t.missing {
			if !unreadable(t.claims) {
				p.looked++
			}
			continue
		}
		p.looked++
		f := finding{Path: t.table.Path, Line: t.releases.Rows[0].Pos.Line, Component: p.Stack.RootComponent().Title, Version: version, Expected: "a row for " + version, Actual: "none"}
		if newest := t.releases.Newest(); newest != "" {
			f.Hint = "the newest that it has: " + newest
		}
		p.Report(f, "the table has no row for %s", version)
	}
}

// unreadable says whether there are claims, and none can be read.
func unreadable(claims []*stack.Claim) bool {
	return len(claims) > 0 && !slices.ContainsFunc(claims, func(k *stack.Claim) bool { return k.Err == nil })
}

// checkCells wants to understand the cells of the release.
func checkCells(p *pass) {
	for _, t := range p.tables {
		for _, claim := range t.claims {
			if claim.Err == nil {
				continue
			}
			p.Report(finding{Path: t.table.Path, Line: claim.Pos.Line, Column: claim.Pos.Column, Component: claim.Component.Title, Expected: "versions", Actual: string(claim.Span.Of(t.data))},
				"%s: %v", claim.Component.Title, claim.Err)
		}
	}
}

func checkMalformed(p *pass) {
	for _, t := range p.tables {
		if t.broken != nil && !t.broken.Absent {
			p.Report(finding{Path: t.table.Path, Line: t.broken.Line}, "%v", t.broken)
		}
	}
	for _, r := range p.rows {
		if r.columns == 0 {
			continue
		}
		g := p.at(r)
		g.Expected, g.Actual = fmt.Sprintf("%d cells", r.columns), fmt.Sprintf("%d cells", len(r.Cells))
		switch {
		case r.Name == "":
			p.Report(g, "the row has no component")
		case len(r.Cells) != r.columns:
			p.Report(g, "the row of %s has %d cells, the table has %d columns", r.Name, len(r.Cells), r.columns)
		}
	}
}

func checkDuplicate(p *pass) {
	first := map[string]int{}
	for _, r := range p.rows {
		if r.columns == 0 {
			continue
		}
		if line, ok := first[r.Name]; ok && r.Name != "" {
			p.Report(p.at(r), "%s has a row on line %d already", r.Name, line)
			continue
		}
		first[r.Name] = r.Line
	}
}

func checkUnknown(p *pass) {
	for _, r := range p.rows {
		if r.of != nil || r.Name == "" {
			continue
		}
		f := p.at(r)
		_, err := p.Stack.Lookup(r.Name)
		f.Hint = "declare it in .cfctl.yaml, under stack.components"
		p.Report(f, "the row is of no component of the stack: %v", err)
	}
}

func checkRowMissing(p *pass) {
	if len(p.rows) == 0 || p.version() == "" {
		return
	}
	have := p.inTable()
	for _, comp := range p.Stack.At(p.version()) {
		place := p.Stack.RowPlace(comp)
		if place != nil && !have[comp] {
			p.Report(finding{Path: place.Path, Component: comp.Title, Expected: "a row", Actual: "none"},
				"%s belongs to %s and has no row", comp.Title, p.version())
		}
	}
}

func checkSemver(p *pass) {
	for _, r := range p.rows {
		if versions.IsVersion(r.Value) || r.takesMore() || r.of != nil && r.of.Refs {
			continue
		}
		f := p.at(r)
		f.Expected, f.Actual = r.spell("vMAJOR.MINOR.PATCH[-PRERELEASE]"), string(r.Text.Of(r.data))
		if r.of != nil {
			if v := p.nearest(r.of, r.Value); v != "" {
				f.Hint = "nearest release: " + v
			}
		}
		if r.Value == "" {
			p.Report(f, "%s has no version", r.Name)
			continue
		}
		p.Report(f, "%s: %q is not a semantic version", r.Name, r.Value)
	}
}

func checkReleaseTag(p *pass) {
	r, ok := p.root()
	if !ok || p.Tag == "" || r.takes(cmp.Or(p.tagged(), p.Tag)) {
		return
	}
	f := p.at(r)
	f.Expected, f.Actual = p.Tag, r.Value
	p.setRow(&f, r, cmp.Or(p.tagged(), p.Tag))
	p.Report(f, "%s is tagged %s and its row says %s", r.Name, p.Tag, r.Value)
}

// setRow adds the fix that writes a version into a row, text and link.
func (p *pass) setRow(f *finding, r row, version string) {
	if r.of == nil || !versions.IsVersion(version) {
		return
	}
	if len(r.claims) > 0 || r.takesMore() {
		edits, err := r.admit(version)
		if err != nil {
			f.Hint = err.Error()
		}
		p.fix(f, edits...)
		return
	}
	p.fix(f, rowEdits(r, version, r.of.TagOf(version))...)
}

// checkDowngrade compares with the nearest earlier release that has the row
// with a semantic version.
func checkDowngrade(ctx context.Context, p *pass) error {
	if p.Past == nil {
		return nil
	}
	earlier, err := p.earlier(ctx)
	if err != nil {
		return err
	}
	for _, r := range p.rows {
		if !versions.IsVersion(r.Value) {
			continue
		}
		tag, before, err := p.before(ctx, earlier, r.Name)
		if err != nil {
			return err
		}
		if before == "" || semver.Compare(r.Value, before) >= 0 {
			continue
		}
		f := p.at(r)
		f.Expected, f.Actual = before+" or later", r.Value
		f.Hint = "nearest version that is no step back: " + before
		p.Report(f, "%s goes back to %s: the table of %s says %s", r.Name, r.Value, tag, before)
	}
	return nil
}
