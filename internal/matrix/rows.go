package matrix

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"golang.org/x/mod/semver"

	"github.com/project-codeflare/cfctl/internal/lazyregexp"
	"github.com/project-codeflare/cfctl/internal/lists"
	"github.com/project-codeflare/cfctl/internal/stack"
	"github.com/project-codeflare/cfctl/internal/versions"
)

// A row is what a table, or the declaration, says of a component: a row of a
// table of components, or the cells of a release in a table of releases. Its
// Value is the version, whatever form the component's versions are written in.
type row struct {
	stack.Row
	of      *stack.Component // nil = unknown
	spell   func(version string) string
	columns int    // of the table's header
	path    string // of the file that it is in
	data    []byte
	allowed *versions.Range // versions that it takes; nil = Value alone
	claims  []*stack.Claim
	says    string // where it comes from: "the table", "the declared release v1.2.0"
}

// takes says whether the row goes with a version.
func (r row) takes(version string) bool {
	if r.allowed != nil {
		return r.allowed.Has(version)
	}
	return version == r.Value || r.of != nil && r.of.Refs && sameCommit(version, r.Value)
}

var commitHash = lazyregexp.New(`^[0-9a-f]{7,64}$`)

// sameCommit says whether one is the short form of the other.
func sameCommit(a, b string) bool {
	return commitHash.MatchString(a) && commitHash.MatchString(b) && (strings.HasPrefix(a, b) || strings.HasPrefix(b, a))
}

// takesMore says whether the row goes with more than one version.
func (r row) takesMore() bool { return r.allowed != nil }

// expected is what a place is to say: the version in its spelling, or the range.
func (r row) expected(spell func(string) string) string {
	if r.takesMore() {
		return r.Value
	}
	return spell(r.Value)
}

// nearestIn is the hint for a version outside of the row's range.
func (r row) nearestIn(version string) string {
	if v := r.allowed.Nearest(version); v != "" {
		return "nearest that the row takes: " + v
	}
	return ""
}

// said is what the row says, for the end of a sentence.
func (r row) said() string {
	verb := " says "
	if r.takesMore() {
		verb = " takes "
	}
	return r.says + verb + r.written()
}

// written is the version as the table has it, which may have no v.
func (r row) written() string {
	if t := string(r.Text.Of(r.data)); "v"+t == r.Value {
		return t
	}
	return r.Value
}

// facts are the rows of the tables, and what is declared of components that
// have none: what places are held against.
func (p *pass) facts() []row {
	if len(p.declared) == 0 {
		return p.rows
	}
	return append(slices.Clip(p.rows), p.declared...)
}

// inTable are the components that have a row.
func (p *pass) inTable() map[*stack.Component]bool {
	return lists.Set(p.rows, func(r row) *stack.Component { return r.of })
}

// A tableRead is a table of the declaration as it is in the tree.
type tableRead struct {
	table    *stack.Table
	data     []byte              // nil = there is no such file
	doc      *stack.Doc          // of components; nil = there is no usable table
	releases *stack.ReleaseTable // of releases; nil = there is none
	claims   []*stack.Claim      // of releases: those about this one
	broken   *stack.TableError   // why there is none
	missing  bool                // it has no row for this release
}

// loadTables reads the tables of both shapes: those of components first,
// because they may say which release this is.
func (p *pass) loadTables() error {
	for _, t := range p.Stack.TablesOf(stack.RowsComponents) {
		if !t.InEra(p.version()) {
			continue
		}
		x := &tableRead{table: t}
		var err error
		if x.data, err = ReadFile(p.Tree, t.Path); err != nil {
			return err
		}
		x.doc, err = t.Parse(x.data)
		if err != nil && !errors.As(err, &x.broken) {
			return err
		}
		if x.doc != nil {
			p.rows = append(p.rows, rowsOf(p.Stack, t, x.data, x.doc)...)
		}
		p.tables = append(p.tables, x)
	}
	p.looked += len(p.rows)
	for _, t := range p.Stack.TablesOf(stack.RowsReleases) {
		if !t.InEra(p.version()) {
			continue
		}
		x := &tableRead{table: t}
		if err := p.loadReleases(x); err != nil {
			return err
		}
		p.tables = append(p.tables, x)
	}
	return nil
}

// loadReleases reads a table of releases, and takes the row of this one.
func (p *pass) loadReleases(x *tableRead) error {
	var err error
	if x.data, err = ReadFile(p.Tree, x.table.Path); err != nil {
		return err
	}
	if x.data == nil {
		x.broken = &stack.TableError{Absent: true, Err: fmt.Errorf("there is no %s", x.table.Path)}
		return nil
	}
	x.releases, err = x.table.Read(p.Stack, x.data)
	if err != nil {
		if errors.As(err, &x.broken) {
			return nil
		}
		return err
	}
	version := p.version()
	if newest := p.Config.newest(); version == "" && x.releases.Tip() == nil && semver.Compare(newest, x.releases.Newest()) > 0 {
		version = newest // the table is not continued, the declaration is
	}
	claims, ok := x.releases.Of(version)
	x.missing, x.claims = !ok, claims
	p.rows = append(p.rows, rowsOfClaims(x, claims)...)
	return nil
}

// rowsOf reads the rows of a table of components. A row may be of several, with
// a comma, "and", "&" or "/" between their names.
func rowsOf(s *stack.Stack, t *stack.Table, data []byte, doc *stack.Doc) []row {
	var rows []row
	for _, r := range doc.Rows {
		for _, name := range s.RowNames(r.Name) {
			x := row{Row: r, spell: func(v string) string { return v }, columns: len(doc.Header), path: t.Path, data: data, says: "the table"}
			x.Name = name
			x.of, _ = s.Component(name)
			if x.of != nil {
				if place := s.RowPlace(x.of); place != nil {
					x.Value, x.spell = place.Read(r.Value)
				}
				x.readCell()
			} else if t.Others {
				continue
			}
			rows = append(rows, x)
		}
	}
	return rows
}

// readCell takes a cell that says more than one version: a range, a list.
func (r *row) readCell() {
	if cell, ok := r.Several(r.data); ok {
		r.allowed, r.Value = &cell.Range, cell.Text
	}
}

// rowsOfClaims makes a row for each component that the cells of a release are
// about. Cells that cannot be read, and that say that there is none, make none.
func rowsOfClaims(x *tableRead, claims []*stack.Claim) []row {
	var rows []row
	for _, a := range stack.JoinClaims(claims) {
		first := a.Claims[0]
		if a.None || first.Err != nil {
			continue
		}
		r := row{
			Row: stack.Row{Line: first.Pos.Line, Name: a.Component.Title, Value: a.Text, Text: first.Span},
			of:  a.Component, spell: func(v string) string { return v },
			path: x.table.Path, data: x.data, claims: a.Claims, says: "the table",
		}
		if v := a.Range.Exact(); v != "" {
			r.Value = v
		} else {
			r.allowed = &a.Range
		}
		rows = append(rows, r)
	}
	return rows
}

// declare takes what is declared of the components of this release that no
// table has. Where neither tag nor table say which release it is, it is the
// newest one that is declared.
func (p *pass) declare() {
	version := p.version()
	if version == "" && len(p.rows) == 0 {
		version = p.Config.newest()
	}
	release, ok := p.Config.Release(version)
	if !ok {
		return
	}
	p.release = *release
	have := p.inTable()
	for _, pin := range release.Components {
		c, ok := p.Stack.Component(pin.Name)
		if !ok || have[c] {
			continue
		}
		have[c] = true
		r := row{Row: stack.Row{Name: c.Title, Value: pin.Version}, of: c, spell: func(v string) string { return v }, says: "the declared release " + release.Version}
		if pin.Range != "" {
			if allowed, err := versions.ParseRange(pin.Range); err == nil {
				r.allowed, r.Value = &allowed, pin.Range
			}
		}
		p.declared = append(p.declared, r)
	}
}

// newest is the highest declared release; empty = none is declared.
func (c *Config) newest() string {
	newest := ""
	for _, r := range c.Releases {
		if semver.Compare(r.Version, newest) > 0 {
			newest = r.Version
		}
	}
	return newest
}

// A NothingError says that there was nothing to check the tree against, or
// nothing in it to be held: no answer, and no green one.
type NothingError struct {
	Why   string // what was looked for
	Table bool   // a table has versions, and nothing to compare them with
}

func (e *NothingError) Error() string { return "nothing to check: " + e.Why }

// nothing is an error when no version was held against another, and no finding
// says more than that there is no table, or that its cells cannot be read.
func (p *pass) nothing() error {
	if p.looked > 0 {
		return nil
	}
	why := "no release is declared, and no place has a version"
	if len(p.rows) > 0 {
		why = "a table has the versions of this release, and no declared place has one of them"
	}
	for _, f := range p.Findings {
		if f.Rule != "matrix-missing" && f.Rule != "cell-unreadable" {
			return nil
		}
		if why = f.Path + ": " + f.Message; f.Line > 0 {
			why = fmt.Sprintf("%s:%d:%d: %s", f.Path, f.Line, f.Column, f.Message)
		}
	}
	return &NothingError{Why: why, Table: len(p.rows) > 0}
}
