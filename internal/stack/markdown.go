package stack

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"

	"github.com/project-codeflare/cfctl/internal/lazyregexp"
	"github.com/project-codeflare/cfctl/internal/lists"
	"github.com/project-codeflare/cfctl/internal/source"
	"github.com/project-codeflare/cfctl/internal/versions"
)

// A Doc is a compatibility table as it stands in a Markdown file.
type Doc struct {
	Table  source.Span // header, delimiter row and rows, whole lines
	Header []source.Span
	Rows   []Row
}

// A Row is one line of the table.
type Row struct {
	Line    int           // from 1
	Cells   []source.Span // as many as stand there, without the blanks around them
	Version source.Span
	Text    source.Span   // the version's text: of the cell, or in the brackets of its link
	URL     source.Span   // the link's target; empty span = no link
	Tag     source.Span   // the tag in a URL of the form .../OWNER/NAME/releases/tag/TAG or /tree/TAG[/PATH]; else empty
	Name    string        // trimmed text of the component's cell, a link's text when it is one
	Also    []source.Span // where a badge says the version again
	Value   string        // the version's text
	Repo    string        // OWNER/NAME of such a URL; else empty
	Home    string        // OWNER/NAME that the component's cell links to; else empty
	LinkTag string        // the tag of such a URL, unescaped; else empty
	BadLink bool          // the cell has a link that is none of these forms, or text beside the link
}

// A TableError says that the table's file has no usable table, and why.
type TableError struct {
	Line   int    // from 1; 0 = the whole file
	Absent bool   // there is no table at all, as opposed to a broken one
	Under  string // heading of the first table, when a second one disagrees with it
	Err    error
}

func (e *TableError) Error() string { return e.Err.Error() }
func (e *TableError) Unwrap() error { return e.Err }

// Parse finds the table in a Markdown file: the first one with the columns of
// t, between the markers when both are there. Without a usable one it returns
// a *TableError; a further one that says another version of a row is an error.
func (t *Table) Parse(data []byte) (*Doc, error) {
	region, _, broken := t.between(data)
	if broken != nil {
		return nil, broken
	}
	tables, marks := blocks(data)
	at := positionsOf(data)
	var list []*Doc
	under := ""
	for _, table := range tables {
		doc := &Doc{Header: splitRow(data, table[0])}
		name, version := column(data, doc.Header, t.Component), column(data, doc.Header, t.Version)
		if name < 0 || version < 0 || !inside(region, table[0].Start) || !t.isUnder(above(marks, table[0].Start)) {
			continue
		}
		doc.read(data, at, table, name, version)
		if headings := above(marks, table[0].Start); len(list) == 0 && len(headings) > 0 {
			under = headings[len(headings)-1]
		}
		list = append(list, doc)
	}
	if len(list) == 0 {
		return nil, noTable(data, t.Component+" and "+t.Version)
	}
	for _, doc := range list[1:] {
		if err := list[0].disagrees(doc); err != nil {
			err.Under = under
			return nil, err
		}
	}
	return list[0], nil
}

// isUnder says whether headings have the one that the table is declared under.
func (t *Table) isUnder(headings []string) bool {
	return t.Under == "" || slices.ContainsFunc(headings, func(h string) bool { return strings.EqualFold(h, t.Under) })
}

// disagrees is the error of another table that says another version of a row:
// nothing says which of them its readers take.
func (d *Doc) disagrees(other *Doc) *TableError {
	says := map[string]Row{}
	for _, r := range slices.Backward(d.Rows) {
		says[versions.WithoutMarkup(r.Name)] = r
	}
	for _, r := range other.Rows {
		if first, ok := says[versions.WithoutMarkup(r.Name)]; ok && r.Name != "" && first.Value != r.Value {
			return &TableError{Line: r.Line, Err: fmt.Errorf("a second table says %s of %s, line %d says %s; name the heading of the valid one in under", r.Value, r.Name, first.Line, first.Value)}
		}
	}
	return nil
}

// inside says whether an offset lies in a span.
func inside(s source.Span, at int) bool { return s.Start <= at && at < s.End }

// noTable is the error of a file without a table that has the columns.
func noTable(data []byte, columns string) *TableError {
	err := fmt.Errorf("no table with the columns %s", columns)
	if htmlTable.Match(data) {
		err = fmt.Errorf("no Markdown table with the columns %s; tables of HTML are not read: declare their releases in matrix.releases", columns)
	}
	return &TableError{Absent: true, Err: err}
}

var htmlTable = lazyregexp.New(`(?i)<table[\s>]`)

// parseMarkdown reads the blocks of a file; what is in a line is read by the cell.
var parseMarkdown = sync.OnceValue(func() parser.Parser {
	return parser.NewParser(parser.WithBlockParsers(parser.DefaultBlockParsers()...))
})

// blocks are the tables of a Markdown file that its readers see, each as the
// lines of its rows, and its headings.
func blocks(data []byte) (tables [][]source.Span, marks []heading) {
	data = readable(data)
	_ = ast.Walk(parseMarkdown().Parse(text.NewReader(data)), func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering || n.Type() != ast.TypeBlock || n.Lines().Len() == 0 {
			return ast.WalkContinue, nil
		}
		switch n := n.(type) {
		case *ast.Paragraph, *ast.TextBlock:
			if table := tableIn(data, n.Lines()); table != nil {
				tables = append(tables, table)
			}
		case *ast.Heading:
			if table := tableIn(data, n.Lines()); table != nil { // with a line of dashes right below it
				tables = append(tables, table)
			} else {
				marks = append(marks, heading{n.Level, n.Lines().At(0).Start, versions.WithoutMarkup(string(n.Lines().Value(data)))})
			}
		case *ast.HTMLBlock:
			for _, line := range n.Lines().Sliced(0, n.Lines().Len()) {
				if m := htmlH.FindSubmatch(line.Value(data)); m != nil {
					marks = append(marks, heading{int(m[1][0] - '0'), line.Start, versions.WithoutMarkup(string(m[2]))})
				}
			}
		}
		return ast.WalkContinue, nil
	})
	return tables, marks
}

var delimiter = lazyregexp.New(`^:?-+:?$`)

// tableIn are the rows of the table in a paragraph: a header, a delimiter row with as
// many cells, which is no row, and all lines below it. Without one it is nil.
// Source: https://github.github.com/gfm/#tables-extension-
func tableIn(data []byte, lines *text.Segments) (rows []source.Span) {
	for i := range lines.Len() {
		line := restOfLine(data, lines.At(i).Start)
		if len(rows) > 0 {
			rows = append(rows, line)
			continue
		}
		cells := splitRow(data, line)
		no := func(c source.Span) bool { return !delimiter.Match(c.Of(data)) }
		if i == 0 || slices.ContainsFunc(cells, no) || indent(data, line.Start) > indent(data, lines.At(0).Start)+3 {
			continue
		}
		header := restOfLine(data, lines.At(i-1).Start)
		if piped := bytes.IndexByte(data[header.Start:line.End], '|') >= 0; piped && len(splitRow(data, header)) == len(cells) {
			rows = append(rows, header)
		}
	}
	for len(rows) > 1 && bytes.IndexByte(rows[len(rows)-1].Of(data), '|') < 0 {
		rows = rows[:len(rows)-1] // text right below the table
	}
	return rows
}

// indent is how far behind the beginning of its line an offset is.
func indent(data []byte, at int) int { return at - bytes.LastIndexByte(data[:at], '\n') }

// unread is the metadata before the text of a file, and lines that begin more than
// a thousand quotes and lists within each other.
var unread = lazyregexp.New(`(?s)\A---[ \t]*\r?\n(?:.*?\n)??(?:---|\.\.\.)[ \t]*(?:\r?\n|\z)|(?m:^[>*+ \t-]{1000}[^\n]*)`)

// readable is the file with blanks in place of what its readers do not see as text.
func readable(data []byte) []byte {
	found := unread.Get().FindAllIndex(data, -1)
	if found != nil {
		data = slices.Clone(data)
	}
	for _, m := range found {
		for i := m[0]; i < m[1]; i++ {
			if data[i] != '\n' {
				data[i] = ' '
			}
		}
	}
	return data
}

// nextLine is where the line after an offset begins.
func nextLine(data []byte, at int) int {
	if i := bytes.IndexByte(data[at:], '\n'); i >= 0 {
		return at + i + 1
	}
	return len(data)
}

// restOfLine is a line from an offset on, without its end.
func restOfLine(data []byte, at int) source.Span {
	return source.Span{Start: at, End: at + len(bytes.TrimRight(data[at:nextLine(data, at)], "\r\n"))}
}

// column is the column with a title, in any case; -1 = none.
func column(data []byte, cells []source.Span, title string) int {
	return headed(data, boxes(cells), title)
}

// splitRow cuts a line at the pipes that are not escaped. The pipes at both
// ends are optional, as in GitHub's Markdown.
// Source: https://github.github.com/gfm/#tables-extension-
func splitRow(data []byte, line source.Span) []source.Span {
	start := line.Start
	for start < line.End && (data[start] == ' ' || data[start] == '\t') {
		start++
	}
	if start < line.End && data[start] == '|' {
		start++
	}
	var cells []source.Span
	for i := start; i <= line.End; i++ {
		if i < line.End && (data[i] != '|' || i > start && data[i-1] == '\\') {
			continue
		}
		outer := source.Span{Start: start, End: i}
		if i == line.End && len(bytes.TrimSpace(outer.Of(data))) == 0 && len(cells) > 0 {
			break // what follows the closing pipe
		}
		cells = append(cells, trimmed(data, outer))
		start = i + 1
	}
	return cells
}

func trimmed(data []byte, s source.Span) source.Span {
	text := s.Of(data)
	left := len(text) - len(bytes.TrimLeft(text, " \t"))
	return source.Span{Start: s.Start + left, End: s.Start + left + len(bytes.TrimSpace(text))}
}

// read takes the lines of a table, with the columns of the names and of the versions.
func (d *Doc) read(data []byte, at positions, lines []source.Span, name, version int) {
	d.Rows = lists.Of(lines[1:], func(line source.Span) Row { return readRow(data, at.of(line.Start).Line, line, name, version) })
	start := bytes.LastIndexByte(data[:lines[0].Start], '\n') + 1
	end := nextLine(data, lines[len(lines)-1].Start)
	if len(lines) == 1 {
		end = nextLine(data, end) // the delimiter row
	}
	d.Table = source.Span{Start: start, End: end}
}

var (
	linkCell = lazyregexp.New(`^\[(!\[[^\]]*\]\([^()]*\)|[^\]]*)\]\(([^()\s]*)\)$`)
	badge    = lazyregexp.New(`^!\[[^\]]*\]\([^()]*\)$`)
	anyLink  = lazyregexp.New(`\[[^\]]*\]\s*\(`)
	aVersion = lazyregexp.New(`[0-9]+\.[0-9]+\.[0-9]+`)
	repoURL  = lazyregexp.New(`^https://github\.com/([^/\s]+/[^/?#\s]+?)(?:\.git)?/?$`)
	tagURL   = lazyregexp.New(`^https://github\.com/([^/\s]+/[^/\s]+)/(?:releases/tag/([^?#\s]+)|tree/([^?#/\s]+)(?:/[^?#\s]*)?)$`)
)

func readRow(data []byte, number int, line source.Span, name, version int) Row {
	r := Row{Line: number, Cells: splitRow(data, line)}
	if name < len(r.Cells) {
		r.Name = string(r.Cells[name].Of(data))
		if m := linkCell.FindStringSubmatch(r.Name); m != nil {
			r.Name = strings.TrimSpace(m[1])
			if u := repoURL.FindStringSubmatch(m[2]); u != nil {
				r.Home = u[1]
			}
		}
	}
	if version >= len(r.Cells) {
		return r
	}
	r.Version = r.Cells[version]
	cell := r.Version
	r.Text = cell
	m := linkCell.FindSubmatchIndex(cell.Of(data))
	if m == nil {
		r.Value = string(cell.Of(data))
		if !r.badge(data) {
			r.BadLink = anyLink.MatchString(r.Value)
		}
		if !r.BadLink {
			r.undress(data)
		}
		return r
	}
	r.Text = trimmed(data, source.Span{Start: cell.Start + m[2], End: cell.Start + m[3]})
	r.URL = source.Span{Start: cell.Start + m[4], End: cell.Start + m[5]}
	r.Value = string(r.Text.Of(data))
	r.badge(data)
	u := tagURL.FindSubmatchIndex(r.URL.Of(data))
	if u == nil {
		r.BadLink = true
		return r
	}
	r.Repo = string(r.URL.Of(data)[u[2]:u[3]])
	if u[4] < 0 { // a tree: what follows the tag is a path in it
		u[4], u[5] = u[6], u[7]
	}
	r.Tag = source.Span{Start: r.URL.Start + u[4], End: r.URL.Start + u[5]}
	r.LinkTag = string(r.Tag.Of(data))
	return r
}

// badge takes a version out of an image that shows nothing else, everywhere in it: in
// its alternative text, in its address. It is none where one of them says otherwise.
func (r *Row) badge(data []byte) bool {
	image := r.Text
	if !badge.Match(image.Of(data)) {
		return false
	}
	said, err := versions.Read(data, nil, image)
	if err != nil || !versions.IsVersion("v"+strings.TrimPrefix(said.Text, "v")) {
		return false
	}
	var at []source.Span
	for i := image.Start; ; i = at[len(at)-1].End {
		next := bytes.Index(data[i:image.End], []byte(said.Text))
		if next < 0 {
			break
		}
		at = append(at, source.Span{Start: i + next, End: i + next + len(said.Text)})
	}
	// A pre-release has a dash, which is written twice in an address.
	if len(at) == 0 || strings.Contains(said.Text, "-") || len(aVersion.FindAllSubmatch(image.Of(data), -1)) != len(at) {
		return false
	}
	r.Value, r.Text, r.Also = said.Text, at[0], at[1:]
	return true
}

// undress takes a version out of the markup around it: bold, code, an HTML tag.
func (r *Row) undress(data []byte) {
	cell, err := versions.Read(data, nil, r.Version)
	if err != nil || cell.Text == r.Value {
		return
	}
	if s, ok := cell.Alone(data); ok {
		r.Text, r.Value = s, cell.Text
	}
}

// Several says whether the version's cell takes more than one version: a range,
// a list. One with a link has one version.
func (r *Row) Several(data []byte) (*versions.Reading, bool) {
	if versions.IsVersion(r.Value) || r.BadLink || r.URL.Len() > 0 || r.Version.Len() == 0 {
		return nil, false
	}
	cell, err := versions.Read(data, nil, r.Version)
	return cell, err == nil && cell.Several()
}

// partLink marks the tag in the link of a row: it is written in the tag scheme
// of the component, not in the forms of the place.
const partLink = "link"

// findRow is the extractor of kind table-row: the version and the tag in the
// link of every row of that name. A file without a table has none.
func findRow(p *Place, f *file) ([]hit, error) {
	var hits []hit
	for _, t := range p.tables {
		table := f.table(p.stack, t)
		err := table.err
		if broken, ok := errors.AsType[*TableError](err); ok {
			if broken.Absent {
				continue
			}
			return nil, &source.Error{Path: f.path, Pos: source.Position{Line: broken.Line}, Err: err}
		}
		if err != nil {
			return nil, err
		}
		hits = append(hits, hitsIn(table.named[p.Key], f.data)...)
	}
	return hits, nil
}

// hitsIn are the hits in rows of a name, alone or beside others. A
// cell that takes several versions is none: see AdmitCell.
func hitsIn(rows []Row, data []byte) []hit {
	var hits []hit
	for _, r := range rows {
		if r.Text.Len() == 0 {
			continue
		}
		if _, several := r.Several(data); several {
			continue
		}
		for _, s := range append([]source.Span{r.Text}, r.Also...) {
			hits = append(hits, hit{span: s})
		}
		if r.Tag.Len() > 0 {
			hits = append(hits, hit{span: r.Tag, part: partLink})
		}
	}
	return hits
}

// Markers finds the lines between the two markers, also when no table stands
// there. It is not ok when one is missing or they are out of order.
func (t *Table) Markers(data []byte) (source.Span, bool) {
	region, marked, broken := t.between(data)
	return region, marked && broken == nil
}

// between are the lines that the markers enclose; the whole file when a marker is
// missing, or none is declared.
func (t *Table) between(data []byte) (region source.Span, marked bool, err *TableError) {
	start, end := bytes.Index(data, []byte(t.Start)), bytes.Index(data, []byte(t.End))
	if t.Start == "" || t.End == "" || start < 0 || end < 0 {
		return source.Span{End: len(data)}, false, nil
	}
	region.Start = nextLine(data, start)
	region.End = bytes.LastIndexByte(data[:end], '\n') + 1
	if region.End < region.Start {
		return region, false, &TableError{Line: source.PositionAt(data, end).Line, Err: fmt.Errorf("the line %q comes before %q", t.End, t.Start)}
	}
	return region, true, nil
}
