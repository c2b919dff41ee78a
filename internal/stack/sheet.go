package stack

import (
	"bytes"
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/net/html"
	"sigs.k8s.io/kustomize/kyaml/yaml"

	"github.com/project-codeflare/cfctl/internal/lazyregexp"
	"github.com/project-codeflare/cfctl/internal/source"
)

// A Sheet is a table of a file, as it stands there: Markdown, HTML, or a list
// of a YAML or JSON file, whose fields are the columns.
type Sheet struct {
	Start    int     // offset in the file
	end      int     // of an HTML table
	Rows     [][]Box // the first is the header
	headings []string
}

// A Box is a cell of a sheet. The texts of one may stand apart: the items of a
// list in YAML.
type Box struct {
	Parts []source.Span
	name  string // what it says when it stands in no file: the name of a field
}

// Plain is what the box says, without markup.
func (b Box) Plain(data []byte) string {
	if b.name != "" {
		return b.name
	}
	return plainOf(data, b.Parts...).String()
}

// start is the offset where the box stands; -1 when it is empty.
func (b Box) start() int {
	if len(b.Parts) == 0 {
		return -1
	}
	return b.Parts[0].Start
}

// Sheets are the tables of a file, in order. A file of YAML or JSON has the one
// that the table's Key leads to; one that does not parse is a *source.Error.
func (t *Table) Sheets(file string, data []byte) ([]*Sheet, error) {
	switch strings.ToLower(path.Ext(file)) {
	case ".yaml", ".yml", ".json":
		return t.yamlSheet(file, data)
	}
	lines := mdLines(data)
	from, to, err := t.between(data, lines)
	if err != nil {
		return nil, &source.Error{Path: file, Pos: source.Position{Line: err.Line}, Err: err.Err}
	}
	marks := headings(data, lines)
	sheets := append(mdSheets(data, lines[from:to]), htmlSheets(data, lines[from:to])...)
	slices.SortFunc(sheets, func(a, b *Sheet) int { return a.Start - b.Start })
	for _, s := range sheets {
		s.headings = above(marks, s.Start)
	}
	return sheets, nil
}

// between are the lines that the markers enclose; all lines when a marker is
// missing, or none is declared.
func (t *Table) between(data []byte, lines []mdLine) (from, to int, err *TableError) {
	if t.Start == "" || t.End == "" {
		return 0, len(lines), nil
	}
	start, end := lineWith(data, lines, t.Start), lineWith(data, lines, t.End)
	switch {
	case start < 0 || end < 0:
		return 0, len(lines), nil
	case end < start:
		return 0, 0, &TableError{Line: lines[end].number, Err: fmt.Errorf("the line %q stands before %q", t.End, t.Start)}
	}
	return start + 1, end, nil
}

// mdSheets are the Markdown tables of the lines.
func mdSheets(data []byte, lines []mdLine) []*Sheet {
	var sheets []*Sheet
	for i := 0; i+1 < len(lines); i++ {
		if lines[i].code || !hasPipe(data, lines[i]) || !isDelimiter(data, splitRow(data, lines[i+1].span)) {
			continue
		}
		s := &Sheet{Start: lines[i].span.Start, Rows: [][]Box{boxes(splitRow(data, lines[i].span))}}
		for i += 2; i < len(lines) && !lines[i].code && hasPipe(data, lines[i]); i++ {
			s.Rows = append(s.Rows, boxes(splitRow(data, lines[i].span)))
		}
		sheets = append(sheets, s)
		i--
	}
	return sheets
}

func hasPipe(data []byte, l mdLine) bool { return bytes.IndexByte(l.span.Of(data), '|') >= 0 }

func boxes(cells []Cell) []Box {
	row := make([]Box, 0, len(cells))
	for _, c := range cells {
		row = append(row, Box{Parts: []source.Span{c.Span}})
	}
	return row
}

var tableTag = lazyregexp.New(`(?i)<table[\s>]`)

// htmlSheets are the HTML tables of the lines, outside of code.
func htmlSheets(data []byte, lines []mdLine) []*Sheet {
	if len(lines) == 0 {
		return nil
	}
	var sheets []*Sheet
	end := lines[len(lines)-1].span.End
	for at := lines[0].span.Start; at < end; {
		m := tableTag.FindIndex(data[at:end])
		if m == nil {
			break
		}
		s, length := htmlSheet(data, at+m[0], end)
		if !inCode(lines, s.Start) && len(s.Rows) > 0 {
			sheets = append(sheets, s)
		}
		at += m[0] + length
	}
	return sheets
}

func inCode(lines []mdLine, offset int) bool {
	i, ok := slices.BinarySearchFunc(lines, offset, func(l mdLine, o int) int { return l.span.Start - o })
	if !ok {
		i--
	}
	return i >= 0 && lines[i].code
}

// An htmlTable is being read.
type htmlTable struct {
	sheet *Sheet
	row   []Box
	open  int // where the text of the cell begins; 0 = in none
	spans [2]int
	held  map[int]heldBox // by column: cells of rows above that reach down
}

// A heldBox is a cell with rowspan.
type heldBox struct {
	box  Box
	rows int // that it still reaches
}

// maxSpan bounds colspan and rowspan: HTML has a thousand.
// Source: https://html.spec.whatwg.org/#attributes-common-to-td-and-th-elements
const maxSpan = 1000

// htmlSheet reads the table that begins at an offset, and says how many bytes
// it has. A table within it is text of its cell.
func htmlSheet(data []byte, at, end int) (*Sheet, int) {
	t := &htmlTable{sheet: &Sheet{Start: at}, held: map[int]heldBox{}}
	z := html.NewTokenizer(bytes.NewReader(data[at:end]))
	pos, depth := at, 0
	for {
		kind := z.Next()
		if kind == html.ErrorToken {
			break
		}
		start := pos
		pos += len(z.Raw())
		name, more := z.TagName()
		tag := string(name)
		if tag == "table" {
			depth += map[html.TokenType]int{html.StartTagToken: 1, html.EndTagToken: -1}[kind]
			if depth == 0 {
				break
			}
		}
		if depth != 1 {
			continue
		}
		switch tag {
		case "tr", "thead", "tbody", "tfoot":
			t.endCell(start)
			t.endRow()
		case "td", "th":
			t.endCell(start)
			if kind == html.StartTagToken {
				t.open, t.spans = pos, spansOf(z, more)
			}
		}
	}
	t.endCell(pos)
	t.endRow()
	t.sheet.trim(data)
	t.sheet.end = pos
	return t.sheet, max(pos-at, 1)
}

func spansOf(z *html.Tokenizer, more bool) [2]int {
	spans := [2]int{1, 1}
	for more {
		var key, value []byte
		key, value, more = z.TagAttr()
		i := slices.Index([]string{"colspan", "rowspan"}, string(key))
		if n, err := strconv.Atoi(string(value)); i >= 0 && err == nil && n > 0 {
			spans[i] = min(n, maxSpan)
		}
	}
	return spans
}

func (t *htmlTable) endCell(at int) {
	if t.open == 0 {
		return
	}
	t.fill()
	b := Box{Parts: []source.Span{{Start: t.open, End: at}}}
	for range t.spans[0] {
		if t.spans[1] > 1 {
			t.held[len(t.row)] = heldBox{b, t.spans[1]}
		}
		t.row = append(t.row, b)
	}
	t.open = 0
}

// fill adds the cells that reach down from above to the end of the row so far.
func (t *htmlTable) fill() {
	for {
		h, ok := t.held[len(t.row)]
		if !ok || h.rows <= 0 {
			return
		}
		t.row = append(t.row, h.box)
	}
}

func (t *htmlTable) endRow() {
	if len(t.row) == 0 {
		return
	}
	t.fill()
	for col, h := range t.held {
		if h.rows--; h.rows == 0 {
			delete(t.held, col)
		} else {
			t.held[col] = h
		}
	}
	t.sheet.Rows = append(t.sheet.Rows, t.row)
	t.row = nil
}

// trim cuts the blanks around the text of each cell.
func (s *Sheet) trim(data []byte) {
	for _, row := range s.Rows {
		for i := range row {
			span := row[i].Parts[0]
			text := span.Of(data)
			left := len(text) - len(bytes.TrimLeft(text, " \t\r\n"))
			row[i].Parts = []source.Span{{Start: span.Start + left, End: span.Start + left + len(bytes.TrimSpace(text))}}
		}
	}
}

// A heading of a Markdown or HTML file.
type heading struct {
	level, start int
	text         string
}

var (
	atx   = lazyregexp.New(`^ {0,3}(#{1,6})[ \t]+(.*?)[ \t]*#*[ \t]*$`)
	htmlH = lazyregexp.New(`(?i)^\s*<h([1-6])[^>]*>(.*?)</h[1-6]>`)
)

// headings are those of the lines; an underlined one is of level 1 or 2.
func headings(data []byte, lines []mdLine) []heading {
	var list []heading
	for i, l := range lines {
		text := l.span.Of(data)
		if l.code {
			continue
		}
		if m := atx.FindSubmatch(text); m != nil {
			list = append(list, heading{len(m[1]), l.span.Start, withoutMarkup(m[2])})
		} else if m := htmlH.FindSubmatch(text); m != nil {
			list = append(list, heading{int(m[1][0] - '0'), l.span.Start, withoutMarkup(m[2])})
		} else if i > 0 && underline.Match(text) && len(bytes.TrimSpace(lines[i-1].span.Of(data))) > 0 && !hasPipe(data, lines[i-1]) {
			level := 1
			if bytes.ContainsRune(text, '-') {
				level = 2
			}
			list = append(list, heading{level, l.span.Start, withoutMarkup(lines[i-1].span.Of(data))})
		}
	}
	return list
}

var underline = lazyregexp.New(`^ {0,3}(?:=+|-+)[ \t]*$`)

// above are the headings that an offset stands under, outermost first.
func above(list []heading, offset int) []string {
	var open []heading
	for _, h := range list {
		if h.start > offset {
			break
		}
		for len(open) > 0 && open[len(open)-1].level >= h.level {
			open = open[:len(open)-1]
		}
		open = append(open, h)
	}
	texts := make([]string, 0, len(open))
	for _, h := range open {
		texts = append(texts, h.text)
	}
	return texts
}

// yamlSheet reads the list at the table's Key: each item is a row, each field a
// column. Of a mapping, the keys are the releases.
func (t *Table) yamlSheet(file string, data []byte) ([]*Sheet, error) {
	docs, err := yamlDocs(file, data)
	if err != nil {
		return nil, err
	}
	steps, err := parsePath(t.Key)
	if err != nil {
		return nil, err
	}
	fields := t.fields()
	lines := lineStarts(data)
	var sheets []*Sheet
	for _, doc := range docs {
		for _, n := range follow(doc, steps) {
			s := &Sheet{Rows: [][]Box{nil}}
			for _, f := range fields {
				s.Rows[0] = append(s.Rows[0], Box{name: f})
			}
			if s.items(data, lines, n, t.Release, fields); len(s.Rows) > 1 {
				s.Start = max(s.Rows[1][0].start(), 0)
				sheets = append(sheets, s)
			}
		}
	}
	return sheets, nil
}

// fields are the columns that the table names, the release's first.
func (t *Table) fields() []string {
	fields := []string{t.Release}
	for _, c := range t.Columns {
		for _, f := range []string{c.Header, c.Min, c.Max} {
			if f != "" && !slices.Contains(fields, f) {
				fields = append(fields, f)
			}
		}
	}
	return fields
}

func (s *Sheet) items(data []byte, lines []int, n *yaml.Node, release string, fields []string) {
	switch n.Kind {
	case yaml.SequenceNode:
		for _, item := range n.Content {
			s.item(data, lines, item, nil, fields)
		}
	case yaml.MappingNode:
		for i := 0; i+1 < len(n.Content); i += 2 {
			key := n.Content[i]
			if release != "" {
				key = nil
			}
			s.item(data, lines, n.Content[i+1], key, fields)
		}
	}
}

// item adds a row: key is the release when that is the key of a mapping.
func (s *Sheet) item(data []byte, lines []int, n, key *yaml.Node, fields []string) {
	var row []Box
	for i, f := range fields {
		var b Box
		if i == 0 && key != nil {
			b.scalars(data, lines, key)
		} else if steps, err := parsePath(f); err == nil {
			for _, v := range follow(n, steps) {
				b.scalars(data, lines, v)
			}
		}
		row = append(row, b)
	}
	s.Rows = append(s.Rows, row)
}

// scalars adds the texts of a scalar, or of those of a list.
func (b *Box) scalars(data []byte, lines []int, n *yaml.Node) {
	if n.Kind == yaml.SequenceNode {
		for _, c := range n.Content {
			b.scalars(data, lines, c)
		}
		return
	}
	if span, ok := scalarSpan(data, lines, n); ok && n.Tag != "!!null" {
		b.Parts = append(b.Parts, span)
	}
}

// flipped is the sheet with rows and columns exchanged.
func (s *Sheet) flipped() *Sheet {
	f := &Sheet{Start: s.Start, headings: s.headings}
	for i := range s.Rows[0] {
		var row []Box
		for _, r := range s.Rows {
			if i < len(r) {
				row = append(row, r[i])
			} else {
				row = append(row, Box{})
			}
		}
		f.Rows = append(f.Rows, row)
	}
	return f
}
