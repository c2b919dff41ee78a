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

// A sheet is a table of a file, as it stands there: Markdown, HTML, or a list
// of a YAML or JSON file, whose fields are the columns.
type sheet struct {
	start    int     // offset in the file
	end      int     // of an HTML table
	rows     [][]box // the first is the header
	headings []string
}

// A box is a cell of a sheet. The texts of one may stand apart: the items of a
// list in YAML.
type box struct {
	parts []source.Span
	name  string // what it says when it stands in no file: the name of a field
}

// plain is what the box says, without markup.
func (b box) plain(data []byte) string {
	if b.name != "" {
		return b.name
	}
	return plainOf(data, b.parts...).String()
}

// start is the offset where the box stands; -1 when it is empty.
func (b box) start() int {
	if len(b.parts) == 0 {
		return -1
	}
	return b.parts[0].Start
}

// sheets are the tables of a file, in order. A file of YAML or JSON has the one
// that the table's Key leads to; one that does not parse is a *source.Error.
func (t *Table) sheets(file string, data []byte) ([]*sheet, error) {
	switch strings.ToLower(path.Ext(file)) {
	case ".yaml", ".yml", ".json":
		return t.yamlSheet(file, data)
	}
	lines := mdLines(data)
	from, to, _, err := t.between(data, lines)
	if err != nil {
		return nil, &source.Error{Path: file, Pos: source.Position{Line: err.Line}, Err: err.Err}
	}
	marks := headings(data, lines)
	sheets := append(mdSheets(data, lines[from:to]), htmlSheets(data, lines[from:to])...)
	slices.SortFunc(sheets, func(a, b *sheet) int { return a.start - b.start })
	for _, s := range sheets {
		s.headings = above(marks, s.start)
	}
	return sheets, nil
}

// between are the lines that the markers enclose; all lines when a marker is
// missing, or none is declared.
func (t *Table) between(data []byte, lines []mdLine) (from, to int, marked bool, err *TableError) {
	if t.Start == "" || t.End == "" {
		return 0, len(lines), false, nil
	}
	start, end := lineWith(data, lines, t.Start), lineWith(data, lines, t.End)
	switch {
	case start < 0 || end < 0:
		return 0, len(lines), false, nil
	case end < start:
		return 0, 0, false, &TableError{Line: lines[end].number, Err: fmt.Errorf("the line %q comes before %q", t.End, t.Start)}
	}
	return start + 1, end, true, nil
}

// mdSheets are the Markdown tables of the lines.
func mdSheets(data []byte, lines []mdLine) []*sheet {
	var sheets []*sheet
	for i := 0; i+1 < len(lines); i++ {
		if lines[i].code || !hasPipe(data, lines[i]) || !isDelimiter(data, splitRow(data, lines[i+1].span)) {
			continue
		}
		s := &sheet{start: lines[i].span.Start, rows: [][]box{boxes(splitRow(data, lines[i].span))}}
		for i += 2; i < len(lines) && !lines[i].code && hasPipe(data, lines[i]); i++ {
			s.rows = append(s.rows, boxes(splitRow(data, lines[i].span)))
		}
		sheets = append(sheets, s)
		i--
	}
	return sheets
}

func hasPipe(data []byte, l mdLine) bool { return bytes.IndexByte(l.span.Of(data), '|') >= 0 }

func boxes(cells []Cell) []box {
	row := make([]box, 0, len(cells))
	for _, c := range cells {
		row = append(row, box{parts: []source.Span{c.Span}})
	}
	return row
}

var tableTag = lazyregexp.New(`(?i)<table[\s>]`)

// htmlSheets are the HTML tables of the lines, outside of code.
func htmlSheets(data []byte, lines []mdLine) []*sheet {
	if len(lines) == 0 {
		return nil
	}
	var sheets []*sheet
	end := lines[len(lines)-1].span.End
	for at := lines[0].span.Start; at < end; {
		m := tableTag.FindIndex(data[at:end])
		if m == nil {
			break
		}
		s, length := htmlSheet(data, at+m[0], end)
		if !inCode(lines, s.start) && len(s.rows) > 0 {
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
	sheet *sheet
	row   []box
	open  int // where the text of the cell begins; 0 = in none
	spans [2]int
	held  map[int]heldBox // by column: cells of rows above that reach down
}

// A heldBox is a cell with rowspan.
type heldBox struct {
	box  box
	rows int // that it still reaches
}

// maxSpan bounds colspan and rowspan: HTML has a thousand.
// Source: https://html.spec.whatwg.org/#attributes-common-to-td-and-th-elements
const maxSpan = 1000

// htmlSheet reads the table that begins at an offset, and says how many bytes
// it has. A table within it is text of its cell.
func htmlSheet(data []byte, at, end int) (*sheet, int) {
	t := &htmlTable{sheet: &sheet{start: at}, held: map[int]heldBox{}}
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
	b := box{parts: []source.Span{{Start: t.open, End: at}}}
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
	t.sheet.rows = append(t.sheet.rows, t.row)
	t.row = nil
}

// trim cuts the blanks around the text of each cell.
func (s *sheet) trim(data []byte) {
	for _, row := range s.rows {
		for i := range row {
			span := row[i].parts[0]
			text := span.Of(data)
			left := len(text) - len(bytes.TrimLeft(text, " \t\r\n"))
			row[i].parts = []source.Span{{Start: span.Start + left, End: span.Start + left + len(bytes.TrimSpace(text))}}
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
func (t *Table) yamlSheet(file string, data []byte) ([]*sheet, error) {
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
	var sheets []*sheet
	for _, doc := range docs {
		for _, n := range follow(doc, steps) {
			s := &sheet{rows: [][]box{nil}}
			for _, f := range fields {
				s.rows[0] = append(s.rows[0], box{name: f})
			}
			if s.items(data, lines, n, t.Release, fields); len(s.rows) > 1 {
				s.start = max(s.rows[1][0].start(), 0)
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

func (s *sheet) items(data []byte, lines []int, n *yaml.Node, release string, fields []string) {
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
func (s *sheet) item(data []byte, lines []int, n, key *yaml.Node, fields []string) {
	var row []box
	for i, f := range fields {
		var b box
		if i == 0 && key != nil {
			b.scalars(data, lines, key)
		} else if steps, err := parsePath(f); err == nil {
			for _, v := range follow(n, steps) {
				b.scalars(data, lines, v)
			}
		}
		row = append(row, b)
	}
	s.rows = append(s.rows, row)
}

// scalars adds the texts of a scalar, or of those of a list.
func (b *box) scalars(data []byte, lines []int, n *yaml.Node) {
	if n.Kind == yaml.SequenceNode {
		for _, c := range n.Content {
			b.scalars(data, lines, c)
		}
		return
	}
	if span, ok := scalarSpan(data, lines, n); ok && n.Tag != "!!null" {
		b.parts = append(b.parts, span)
	}
}

// flipped is the sheet with rows and columns exchanged.
func (s *sheet) flipped() *sheet {
	f := &sheet{start: s.start, headings: s.headings}
	for i := range s.rows[0] {
		var row []box
		for _, r := range s.rows {
			if i < len(r) {
				row = append(row, r[i])
			} else {
				row = append(row, box{})
			}
		}
		f.rows = append(f.rows, row)
	}
	return f
}
