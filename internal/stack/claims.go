package stack

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"golang.org/x/mod/semver"

	"github.com/project-codeflare/cfctl/internal/source"
	"github.com/project-codeflare/cfctl/internal/versions"
)

// The shapes of a table.
const (
	RowsComponents = "components" // a row is a component, with its version: the table of one release
	RowsReleases   = "releases"   // a row is a release, or a line of them; a column is a component
)

// A Claim is what one cell of a table of releases says: the releases of the row
// go with these versions of the component.
type Claim struct {
	Path      string
	Component *Component
	Cell      *versions.Reading // nil = it cannot be read, and Err says why
	Err       error
	Releases  versions.Range // of the row; narrower when the cell says so
	Span      source.Span
	Pos       source.Position
}

// A ReleaseRow is a row of a table of releases.
type ReleaseRow struct {
	Pos     source.Position
	Label   string            // what it calls the releases
	Release *versions.Reading // nil = that cannot be read, and Err says why
	Err     error
	Claims  []*Claim
}

// A ReleaseTable is a table of releases as it was read.
type ReleaseTable struct {
	Table *Table
	Path  string
	Data  []byte // of the file
	Rows  []*ReleaseRow
	named map[string]*ReleaseRow // by each version that stands alone in its label
	wide  []*ReleaseRow          // rows about more than such versions
}

// Read reads a table of releases. Without such a table the error is a
// *TableError; a file of YAML or JSON that does not parse is a *source.Error.
func (t *Table) Read(s *Stack, data []byte) (*ReleaseTable, error) {
	sheets, err := t.sheets(t.Path, data)
	if err != nil {
		return nil, err
	}
	var r *ReleaseTable
	var first source.Position
	for _, sheet := range sheets {
		if t.Flip {
			sheet = sheet.flipped()
		}
		if !t.isUnder(sheet.headings) {
			continue
		}
		cols, ok := t.columns(data, sheet.rows[0])
		if !ok {
			continue
		}
		at := source.PositionAt(data, sheet.start)
		if r != nil {
			return nil, &source.Error{
				Path: t.Path, Pos: at, Hint: "say which is meant by the heading above it: under; or declare both",
				Err: fmt.Errorf("a second table has the columns %s, like the one at line %d", strings.Join(t.titles(), ", "), first.Line),
			}
		}
		r, first = &ReleaseTable{Table: t, Path: t.Path, Data: data}, at
		r.read(s, sheet, cols)
	}
	if r != nil {
		return r, nil
	}
	return nil, noTable(data, strings.Join(t.titles(), ", "))
}

// read reads the rows below the header.
func (r *ReleaseTable) read(s *Stack, sheet *sheet, cols []columnAt) {
	at := positionsOf(r.Data)
	r.named = map[string]*ReleaseRow{}
	for _, boxes := range sheet.rows[1:] {
		label := boxAt(boxes, cols[0].index)
		row := &ReleaseRow{Label: label.plain(r.Data), Pos: at.of(rowStart(boxes, label))}
		row.Release, row.Err = versions.Read(r.Data, r.Table.Forms, label.parts...)
		if row.Err == nil && row.Release.None {
			row.Err = versions.ErrNoVersion
		}
		for _, c := range cols[1:] {
			claim := r.claim(s, row, boxes, c)
			claim.Pos = at.of(claim.Span.Start)
			row.Claims = append(row.Claims, claim)
		}
		r.Rows = append(r.Rows, row)
		if row.Err != nil {
			continue
		}
		alone := true
		for _, v := range row.Release.Range.First() {
			if !row.Release.Range.Names(v) {
				alone = false
			} else if r.named[v] == nil {
				r.named[v] = row
			}
		}
		if !alone {
			r.wide = append(r.wide, row)
		}
	}
}

func boxAt(boxes []box, i int) box {
	if i < 0 || i >= len(boxes) {
		return box{}
	}
	return boxes[i]
}

// rowStart is where a row stands: its label, or its first cell.
func rowStart(boxes []box, label box) int {
	if label.start() >= 0 {
		return label.start()
	}
	for _, b := range boxes {
		if b.start() >= 0 {
			return b.start()
		}
	}
	return 0
}

// claim reads a cell.
func (r *ReleaseTable) claim(s *Stack, row *ReleaseRow, boxes []box, c columnAt) *Claim {
	comp, _ := s.Component(c.column.Component)
	k := &Claim{Path: r.Path, Component: comp}
	if row.Err == nil {
		k.Releases = row.Release.Range
	}
	box := boxAt(boxes, c.index)
	k.Span.Start = max(rowStart(boxes, box), 0)
	k.Span.End = k.Span.Start
	if len(box.parts) > 0 {
		k.Span = source.Span{Start: box.parts[0].Start, End: box.parts[len(box.parts)-1].End}
	}
	if c.versions != nil {
		return k.marked(r.Data, box, c)
	}
	k.Cell, k.Err = versions.Read(r.Data, c.column.Forms, box.parts...)
	return k
}

// marked reads a cell of marks: the versions are the header's. What stands
// behind the mark narrows the releases: "✓ >= v1.2.1".
func (k *Claim) marked(data []byte, b box, c columnAt) *Claim {
	text := b.plain(data)
	marks := c.column.Marks
	if len(marks) == 0 {
		marks = yes
	}
	best := ""
	for _, m := range marks {
		if len(m) > len(best) && len(text) >= len(m) && strings.EqualFold(text[:len(m)], m) {
			best = m
		}
	}
	k.Cell = &versions.Reading{Text: c.text}
	if best == "" {
		k.Cell.None = true
		return k
	}
	k.Cell.Range = *c.versions
	rest := strings.TrimSpace(text[len(best):])
	if more, err := versions.Read([]byte(rest), nil, source.Span{End: len(rest)}); err == nil && !more.None && !more.Tip {
		k.Releases = k.Releases.Intersect(more.Range)
	} else if err != nil && !errors.Is(err, versions.ErrNoVersion) {
		k.Err = err
	}
	return k
}

// Newest is the highest release that the table names; empty = it names none.
func (r *ReleaseTable) Newest() string {
	newest := ""
	for _, row := range r.Rows {
		if row.Err != nil {
			continue
		}
		for _, v := range row.Release.Range.First() {
			if newest == "" || semver.Compare(v, newest) > 0 {
				newest = v
			}
		}
	}
	return newest
}

// Of are the claims about a release; those of the branch that is worked on when
// version is empty, or those of the newest release when there is no row for
// that. A row of that very version goes before one of its line, and a
// pre-release without a row has that of its release. ok says whether there is a
// row at all.
func (r *ReleaseTable) Of(version string) (claims []*Claim, ok bool) {
	if claims, ok = r.about(version); !ok && semver.Prerelease(version) != "" {
		return r.about(strings.TrimSuffix(semver.Canonical(version), semver.Prerelease(version)))
	}
	return claims, ok
}

func (r *ReleaseTable) about(version string) (claims []*Claim, ok bool) {
	if version == "" {
		if row := r.Tip(); row != nil {
			return row.Claims, true
		}
		version = r.Newest()
	}
	if row := r.named[semver.Canonical(version)]; row != nil {
		return row.Claims, true
	}
	for _, row := range r.wide {
		if !row.Release.Range.Has(version) {
			continue
		}
		ok = true
		for _, c := range row.Claims {
			if c.Releases.Has(version) {
				claims = append(claims, c)
			}
		}
	}
	return claims, ok
}

// Tip is the row of the branch that is worked on; nil = there is none.
func (r *ReleaseTable) Tip() *ReleaseRow {
	for _, row := range r.Rows {
		if row.Err == nil && row.Release.Tip {
			return row
		}
	}
	return nil
}

// An Allowed is what a table says of a component in a release, cells together.
type Allowed struct {
	Component *Component
	Range     versions.Range
	None      bool     // the cells say that there is none
	Text      string   // as the cells have it
	Claims    []*Claim // that say so; one that cannot be read is alone
}

// JoinClaims joins the claims of each component, in the order of the columns.
func JoinClaims(claims []*Claim) []*Allowed {
	var list []*Allowed
	for _, c := range claims {
		i := slices.IndexFunc(list, func(a *Allowed) bool { return a.Component == c.Component && c.Err == nil && a.Claims[0].Err == nil })
		if i < 0 {
			i = len(list)
			list = append(list, &Allowed{Component: c.Component, None: true})
		}
		a := list[i]
		switch {
		case c.Err != nil:
			a.Claims = append(a.Claims, c)
			continue
		case c.Cell.None && len(a.Claims) > 0:
			continue
		}
		if a.None && !c.Cell.None {
			a.None, a.Claims = false, nil
		}
		a.Claims = append(a.Claims, c)
		a.Range = a.Range.Union(c.Cell.Range)
		if !c.Cell.None {
			a.Text = strings.TrimPrefix(a.Text+", "+c.Cell.Text, ", ")
		}
	}
	return list
}

// errCell is wrapped by the error of a cell that has to be written by hand.
var errCell = errors.New("this cell has to be written by hand")

// Admit returns the edits, within the cell alone, after which it takes a
// version: one version is replaced in its own spelling, a bound is moved. A cell
// that takes it already needs none. One for which there is no such edit, like a
// list, is an error that wraps errCell.
func (k *Claim) Admit(data []byte, version string) ([]source.Edit, error) {
	byHand := fmt.Errorf("%s:%d:%d: %q: %w", k.Path, k.Pos.Line, k.Pos.Column, k.Span.Of(data), errCell)
	if k.Err != nil || !versions.IsVersion(version) {
		return nil, byHand
	}
	if k.Cell.Range.Has(version) {
		return nil, nil
	}
	if edits := k.Cell.Admit(data, version); len(edits) > 0 {
		return edits, nil
	}
	return nil, byHand
}

// AdmitCell is Admit for the cell of a table of components.
func AdmitCell(path string, data []byte, cell source.Span, version string) ([]source.Edit, error) {
	k := &Claim{Path: path, Span: cell, Pos: source.PositionAt(data, cell.Start)}
	k.Cell, k.Err = versions.Read(data, nil, cell)
	return k.Admit(data, version)
}
