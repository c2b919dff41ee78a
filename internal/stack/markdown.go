package stack

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/project-codeflare/cfctl/internal/lazyregexp"
	"github.com/project-codeflare/cfctl/internal/source"
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
	Text    source.Span // the version's text: of the cell, or in the brackets of its link
	URL     source.Span // the link's target; empty span = no link
	Tag     source.Span // the tag in a URL of the form .../OWNER/NAME/releases/tag/TAG or /tree/TAG[/PATH]; else empty
	Name    string      // trimmed text of the component's cell, a link's text when it is one
	Value   string      // the version's text
	Repo    string      // OWNER/NAME of such a URL; else empty
	LinkTag string      // the tag of such a URL, unescaped; else empty
	BadLink bool        // the cell has a link that is none of these forms, or text beside the link
}

// A TableError says that the table's file has no usable table, and why.
type TableError struct {
	Line   int  // from 1; 0 = the whole file
	Absent bool // there is no table at all, as opposed to a broken one
	Err    error
}

func (e *TableError) Error() string { return e.Err.Error() }
func (e *TableError) Unwrap() error { return e.Err }

// A mdLine is a line of the file without its line end.
type mdLine struct {
	span   source.Span
	number int
	code   bool // within a fenced code block, or in a comment, which no reader sees
}

// Parse finds the table in a Markdown file: the first one with the columns of
// t, between the markers when both are there. Without a usable one it returns
// a *TableError.
func (t *Table) Parse(data []byte) (*Doc, error) {
	lines := mdLines(data)
	from, to, _, broken := t.between(data, lines)
	if broken != nil {
		return nil, broken
	}
	doc := &Doc{}
	for _, table := range mdTables(data, lines[from:to]) {
		doc.Header = splitRow(data, table[0].span)
		name, version := column(data, doc.Header, t.Component), column(data, doc.Header, t.Version)
		if name >= 0 && version >= 0 {
			return doc, doc.read(data, table, name, version)
		}
	}
	return nil, noTable(data, t.Component+" and "+t.Version)
}

// noTable is the error of a file without a table that has the columns.
func noTable(data []byte, columns string) *TableError {
	err := fmt.Errorf("no table with the columns %s", columns)
	if htmlTable.Match(data) {
		err = fmt.Errorf("no Markdown table with the columns %s; tables of HTML are not read: declare their releases in matrix.releases", columns)
	}
	return &TableError{Absent: true, Err: err}
}

var htmlTable = lazyregexp.New(`(?i)<table[\s>]`)

// mdLines splits data and marks fenced code and comments of several lines.
func mdLines(data []byte) []mdLine {
	var lines []mdLine
	fence, comment := "", false
	for at, n := 0, 1; at < len(data); n++ {
		end := len(data)
		next := end
		if i := bytes.IndexByte(data[at:], '\n'); i >= 0 {
			end, next = at+i, at+i+1
		}
		text := strings.TrimSpace(string(data[at:end]))
		l := mdLine{span: source.Span{Start: at, End: at + len(bytes.TrimSuffix(data[at:end], []byte("\r")))}, number: n, code: fence != ""}
		if mark := fenceOf(text); mark != "" && !comment && (fence == "" || strings.HasPrefix(mark, fence)) {
			l.code = true
			if fence == "" {
				fence = mark
			} else {
				fence = ""
			}
		}
		if i := strings.LastIndex(text, "<!--"); !l.code && !comment && strings.HasPrefix(text, "<!--") {
			comment = !strings.Contains(text[i:], "-->")
		} else if comment {
			l.code = true
			comment = !strings.Contains(text, "-->")
		}
		lines = append(lines, l)
		at = next
	}
	return lines
}

// fenceOf is the run of back-quotes or tildes that a code fence begins with.
func fenceOf(text string) string {
	for _, c := range []string{"`", "~"} {
		rest := strings.TrimLeft(text, c)
		if n := len(text) - len(rest); n >= 3 && (c == "~" || !strings.Contains(rest, "`")) {
			return text[:n]
		}
	}
	return ""
}

func lineWith(data []byte, lines []mdLine, text string) int {
	for i, l := range lines {
		if bytes.Contains(l.span.Of(data), []byte(text)) {
			return i
		}
	}
	return -1
}

func lineStart(lines []mdLine, i, size int) int {
	if i < len(lines) {
		return lines[i].span.Start
	}
	return size
}

var delimiter = lazyregexp.New(`^:?-+:?$`)

// mdTables are the Markdown tables of the lines: a header, a delimiter row, and the
// lines with a pipe that follow.
func mdTables(data []byte, lines []mdLine) [][]mdLine {
	piped := func(l mdLine) bool { return !l.code && bytes.IndexByte(l.span.Of(data), '|') >= 0 }
	var tables [][]mdLine
	for i := 0; i+1 < len(lines); i++ {
		if !piped(lines[i]) || !isDelimiter(data, splitRow(data, lines[i+1].span)) {
			continue
		}
		end := i + 2
		for end < len(lines) && piped(lines[end]) {
			end++
		}
		tables = append(tables, lines[i:end])
		i = end - 1
	}
	return tables
}

func isDelimiter(data []byte, cells []source.Span) bool {
	for _, c := range cells {
		if !delimiter.Match(c.Of(data)) {
			return false
		}
	}
	return len(cells) > 0
}

func column(data []byte, cells []source.Span, title string) int {
	for i, c := range cells {
		if string(c.Of(data)) == title {
			return i
		}
	}
	return -1
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
func (d *Doc) read(data []byte, lines []mdLine, name, version int) error {
	for _, line := range lines[2:] {
		d.Rows = append(d.Rows, readRow(data, line, name, version))
	}
	last := lines[len(lines)-1].span.End
	if i := bytes.IndexByte(data[last:], '\n'); i >= 0 {
		last += i + 1
	}
	d.Table = source.Span{Start: lines[0].span.Start, End: last}
	if len(d.Header) != len(splitRow(data, lines[1].span)) {
		return &TableError{Line: lines[1].number, Err: errors.New("the header and the line under it have not the same number of columns")}
	}
	return nil
}

var (
	linkCell = lazyregexp.New(`^\[([^\]]*)\]\(([^()\s]*)\)$`)
	anyLink  = lazyregexp.New(`\[[^\]]*\]\s*\(`)
	tagURL   = lazyregexp.New(`^https://github\.com/([^/\s]+/[^/\s]+)/(?:releases/tag/([^?#\s]+)|tree/([^?#/\s]+)(?:/[^?#\s]*)?)$`)
)

func readRow(data []byte, line mdLine, name, version int) Row {
	r := Row{Line: line.number, Cells: splitRow(data, line.span)}
	if name < len(r.Cells) {
		r.Name = string(r.Cells[name].Of(data))
		if m := linkCell.FindStringSubmatch(r.Name); m != nil {
			r.Name = strings.TrimSpace(m[1])
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
		r.BadLink = anyLink.MatchString(r.Value)
		if !r.BadLink {
			r.undress(data)
		}
		return r
	}
	r.Text = trimmed(data, source.Span{Start: cell.Start + m[2], End: cell.Start + m[3]})
	r.URL = source.Span{Start: cell.Start + m[4], End: cell.Start + m[5]}
	r.Value = string(r.Text.Of(data))
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

// undress takes a version out of the markup around it: bold, code, an HTML tag.
func (r *Row) undress(data []byte) {
	cell, err := readCell(data, nil, r.Version)
	if err != nil || cell.Text == r.Value || len(cell.terms) != 1 || !cell.terms[0].plain() {
		return
	}
	n := cell.terms[0].limits[0]
	if s, ok := cell.find(data, n.text, r.Version.Start); ok && n.text == cell.Text && n.parts == 3 {
		r.Text, r.Value = s, n.text
	}
}

// Several says whether the version's cell takes more than one version: a range,
// a list. One with a link has one version.
func (r *Row) Several(data []byte) (*Reading, bool) {
	if IsVersion(r.Value) || r.BadLink || r.URL.Len() > 0 || r.Version.Len() == 0 {
		return nil, false
	}
	cell, err := readCell(data, nil, r.Version)
	return cell, err == nil && cell.several()
}

// partLink marks the tag in the link of a row: it is written in the tag scheme
// of the component, not in the forms of the place.
const partLink = "link"

// findRow is the extractor of kind table-row: the version and the tag in the
// link of every row of that name. A file without a table has none.
func findRow(p *Place, path string, data []byte) ([]hit, error) {
	var hits []hit
	for _, t := range p.tables {
		doc, err := t.Parse(data)
		if broken, ok := errors.AsType[*TableError](err); ok {
			if broken.Absent {
				continue
			}
			return nil, &source.Error{Path: path, Pos: source.Position{Line: broken.Line}, Err: err}
		}
		if err != nil {
			return nil, err
		}
		hits = append(hits, p.rowsIn(doc, data)...)
	}
	return hits, nil
}

// rowsIn are the hits in a table: in rows of the name, alone or beside others. A
// cell that takes several versions is none: see AdmitCell.
func (p *Place) rowsIn(doc *Doc, data []byte) []hit {
	var hits []hit
	for _, r := range doc.Rows {
		if r.Text.Len() == 0 || !slices.Contains(append(p.stack.RowNames(r.Name), r.Name), p.Key) {
			continue
		}
		if _, several := r.Several(data); several {
			continue
		}
		hits = append(hits, hit{span: r.Text})
		if r.Tag.Len() > 0 {
			hits = append(hits, hit{span: r.Tag, part: partLink})
		}
	}
	return hits
}

// Markers finds the lines between the two markers, also when no table stands
// there. It is not ok when one is missing or they are out of order.
func (t *Table) Markers(data []byte) (source.Span, bool) {
	lines := mdLines(data)
	from, to, marked, _ := t.between(data, lines)
	if !marked || to < from {
		return source.Span{}, false
	}
	return source.Span{Start: lineStart(lines, from, len(data)), End: lines[to].span.Start}, true
}
