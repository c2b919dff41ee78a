package stack

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"golang.org/x/mod/semver"

	"github.com/project-codeflare/cfctl/internal/source"
)

// The shapes of a table.
const (
	RowsComponents = "components" // a row is a component, with its version: the table of one release
	RowsReleases   = "releases"   // a row is a release, or a line of them; a column is a component
)

// A Claim is what one cell of a table of releases says: the releases of the row
// go with these versions of the component.
type Claim struct {
	table     *Table
	Path      string
	line      *ReleaseRow
	Component *Component
	column    *Column
	Cell      *Reading // nil = it cannot be read, and Err says why
	Err       error
	Releases  Range // of the row; narrower when the cell says so
	Span      source.Span
	Pos       source.Position

	header    *Range   // of marks: the versions of the column
	low, high *Reading // of Min and Max; nil = there is no such cell
}

// A ReleaseRow is a row of a table of releases.
type ReleaseRow struct {
	Pos     source.Position
	Label   string   // what it calls the releases
	Release *Reading // nil = that cannot be read, and Err says why
	Err     error
	Claims  []*Claim
}

// A ReleaseTable is a table of releases as it was read.
type ReleaseTable struct {
	Table *Table
	Path  string
	data  []byte
	Rows  []*ReleaseRow
	spans []rowSpan // of Rows, by their beginnings
}

// A rowSpan is an interval of the releases of a row.
type rowSpan struct {
	interval
	row   int
	reach string // the highest end of this and those before it
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
		if t.Under != "" && !slices.ContainsFunc(sheet.headings, func(h string) bool { return strings.EqualFold(h, t.Under) }) {
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
		r, first = &ReleaseTable{Table: t, Path: t.Path, data: data}, at
		r.read(s, sheet, cols)
	}
	if r != nil {
		r.index()
		return r, nil
	}
	return nil, noTable(data, strings.Join(t.titles(), ", "))
}

// read reads the rows below the header.
func (r *ReleaseTable) read(s *Stack, sheet *sheet, cols []columnAt) {
	at := positionsOf(r.data)
	for _, boxes := range sheet.rows[1:] {
		label := boxAt(boxes, cols[0].index)
		row := &ReleaseRow{Label: label.plain(r.data), Pos: at.of(rowStart(boxes, label))}
		row.Release, row.Err = readCell(r.data, r.Table.Forms, label.parts...)
		if row.Err == nil && row.Release.none {
			row.Err = errNoVersion
		}
		for _, c := range cols[1:] {
			if claim := r.claim(s, row, boxes, c); claim != nil {
				claim.Pos = at.of(claim.Span.Start)
				row.Claims = append(row.Claims, claim)
			}
		}
		r.Rows = append(r.Rows, row)
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

// claim reads a cell; nil when a cell of marks says no.
func (r *ReleaseTable) claim(s *Stack, row *ReleaseRow, boxes []box, c columnAt) *Claim {
	comp, _ := s.Component(c.column.Component)
	k := &Claim{table: r.Table, Path: r.Path, line: row, Component: comp, column: c.column}
	if row.Err == nil {
		k.Releases = row.Release.Range
	}
	box := boxAt(boxes, c.index)
	if c.index < 0 {
		box = boxAt(boxes, c.high)
	}
	k.Span.Start = max(rowStart(boxes, box), 0)
	k.Span.End = k.Span.Start
	if len(box.parts) > 0 {
		k.Span = source.Span{Start: box.parts[0].Start, End: box.parts[len(box.parts)-1].End}
	}
	switch {
	case c.versions != nil:
		return k.marked(r.data, box, c)
	case c.column.Min != "" || c.column.Max != "":
		k.bounds(r.data, boxAt(boxes, c.index), boxAt(boxes, c.high), c)
	default:
		k.Cell, k.Err = readCell(r.data, c.column.Forms, c.column.partOf(r.data, box)...)
	}
	return k
}

// partOf is the part of a box that is the column's component's.
func (c *Column) partOf(data []byte, b box) []source.Span {
	if c.Part == 0 || len(b.parts) != 1 {
		return b.parts
	}
	whole := b.parts[0]
	texts := strings.Split(string(whole.Of(data)), c.Split)
	at := whole.Start
	for i, text := range texts {
		if i == c.Part-1 {
			return []source.Span{trimmed(data, source.Span{Start: at, End: at + len(text)})}
		}
		at += len(text) + len(c.Split)
	}
	return nil
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
	k.Cell, k.header = &Reading{Text: c.text, marked: true}, c.versions
	if best == "" {
		k.Cell.none = true
		return k
	}
	k.Cell.Range = *c.versions
	rest := strings.TrimSpace(text[len(best):])
	if more, err := readCell([]byte(rest), nil, source.Span{End: len(rest)}); err == nil && !more.none && !more.Tip {
		k.Releases = k.Releases.Intersect(more.Range)
	} else if err != nil && !errors.Is(err, errNoVersion) {
		k.Err = err
	}
	return k
}

// bounds reads a pair of cells, the lowest version and the highest.
func (k *Claim) bounds(data []byte, low, high box, c columnAt) {
	k.Cell = &Reading{Range: AnyVersion(), none: true}
	var texts []string
	for i, b := range []box{low, high} {
		r, err := readCell(data, c.column.Forms, b.parts...)
		if err != nil {
			k.Cell, k.Err = nil, err
			return
		}
		if r.none {
			continue
		}
		k.Cell.none = false
		if i == 0 {
			k.low = r
		} else {
			k.high = r
		}
		texts = append(texts, []string{">=", "<="}[i]+r.Text)
		s := interval{from: first}
		if span := r.Range.spans; i == 0 {
			s.from = span[0].from
		} else {
			s.until = span[len(span)-1].until
		}
		k.Cell.Range = k.Cell.Range.Intersect(Range{[]interval{s}})
	}
	k.Cell.Text = strings.Join(texts, " ")
}

// Newest is the highest release that the table names; empty = it names none.
func (r *ReleaseTable) Newest() string {
	newest := ""
	for _, row := range r.Rows {
		if row.Err != nil {
			continue
		}
		for _, s := range row.Release.Range.spans {
			v := release(s.from)
			if !row.Release.Range.Has(v) {
				v = s.from
			}
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
		return r.about(versionOf(numbersOf(semver.Canonical(version))))
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
	for _, row := range r.rowsWith(version) {
		if row.exactly(version) {
			return row.Claims, true
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

// index sorts the intervals of the rows.
func (r *ReleaseTable) index() {
	for i, row := range r.Rows {
		if row.Err == nil {
			for _, s := range row.Release.Range.spans {
				r.spans = append(r.spans, rowSpan{interval: s, row: i, reach: s.until})
			}
		}
	}
	slices.SortStableFunc(r.spans, func(a, b rowSpan) int { return semver.Compare(a.from, b.from) })
	for i := 1; i < len(r.spans); i++ {
		if last := r.spans[i-1].reach; ascending(last, r.spans[i].reach) > 0 {
			r.spans[i].reach = last
		}
	}
}

// rowsWith are the rows whose releases have a version, in the order of the table.
func (r *ReleaseTable) rowsWith(version string) []*ReleaseRow {
	if !IsVersion(version) {
		return nil
	}
	var found []int
	end, _ := slices.BinarySearchFunc(r.spans, version, func(s rowSpan, v string) int { return cmp.Or(semver.Compare(s.from, v), -1) })
	for i := end - 1; i >= 0 && below(version, r.spans[i].reach); i-- {
		if below(version, r.spans[i].until) {
			found = append(found, r.spans[i].row)
		}
	}
	slices.Sort(found)
	var rows []*ReleaseRow
	for _, i := range slices.Compact(found) {
		rows = append(rows, r.Rows[i])
	}
	return rows
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

// exactly says whether the row names the version itself.
func (row *ReleaseRow) exactly(version string) bool {
	return slices.ContainsFunc(row.Release.Range.spans, func(s interval) bool {
		return semver.Compare(s.from, version) == 0 && s.until == after(semver.Canonical(version))
	})
}

// An Allowed is what a table says of a component in a release, cells together.
type Allowed struct {
	Component *Component
	Range     Range
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
		case c.Cell.none && len(a.Claims) > 0:
			continue
		}
		if a.None && !c.Cell.none {
			a.None, a.Claims = false, nil
		}
		a.Claims = append(a.Claims, c)
		a.Range = a.Range.Union(c.Cell.Range)
		if !c.Cell.none {
			a.Text = strings.TrimPrefix(a.Text+", "+c.Cell.Text, ", ")
		}
	}
	return list
}
