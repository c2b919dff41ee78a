package stack

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"sigs.k8s.io/kustomize/kyaml/yaml"

	"github.com/project-codeflare/cfctl/internal/lazyregexp"
	"github.com/project-codeflare/cfctl/internal/lists"
	"github.com/project-codeflare/cfctl/internal/source"
	"github.com/project-codeflare/cfctl/internal/versions"
)

// A sheet is a table of a file, as it is written: Markdown, or a list of a YAML
// or JSON file, whose fields are the columns.
type sheet struct {
	start    int     // offset in the file
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
	return strings.Join(strings.Fields(versions.TextOf(data, b.parts...)), " ")
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
	region, _, err := t.between(data)
	if err != nil {
		return nil, &source.Error{Path: file, Pos: source.Position{Line: err.Line}, Err: err.Err}
	}
	var sheets []*sheet
	tables, marks := blocks(data)
	for _, table := range tables {
		s := &sheet{start: table[0].Start, headings: above(marks, table[0].Start)}
		s.rows = lists.Of(table, func(line source.Span) []box { return boxes(splitRow(data, line)) })
		if inside(region, s.start) {
			sheets = append(sheets, s)
		}
	}
	return sheets, nil
}

func boxes(cells []source.Span) []box {
	return lists.Of(cells, func(c source.Span) box { return box{parts: []source.Span{c}} })
}

// A heading of a Markdown or HTML file.
type heading struct {
	level, start int
	text         string
}

var htmlH = lazyregexp.New(`(?i)^\s*<h([1-6])[^>]*>(.*?)</h[1-6]>`)

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
	return lists.Of(open, func(h heading) string { return h.text })
}

// yamlSheet reads the list at the table's Key: each item is a row, each field a
// column.
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
			s := &sheet{rows: [][]box{lists.Of(fields, func(f string) box { return box{name: f} })}}
			if key := repeated(n); key != nil {
				return nil, &source.Error{Path: file, Pos: source.Position{Line: key.Line, Column: key.Column}, Err: fmt.Errorf("the key %q is there twice", key.Value)}
			}
			if s.items(data, lines, n, fields); len(s.rows) > 1 {
				s.start = max(s.rows[1][0].start(), 0)
				sheets = append(sheets, s)
			}
		}
	}
	return sheets, nil
}

// repeated is a key below a node that its mapping has already; nil = there is none.
func repeated(n *yaml.Node) *yaml.Node {
	seen := map[string]bool{}
	for i, c := range n.Content {
		if n.Kind == yaml.MappingNode && i%2 == 0 {
			if seen[c.Value] {
				return c
			}
			seen[c.Value] = true
		} else if key := repeated(c); key != nil {
			return key
		}
	}
	return nil
}

// fields are the columns that the table names, the release's first.
func (t *Table) fields() []string {
	fields := []string{t.Release}
	for _, c := range t.Columns {
		if !slices.Contains(fields, c.Header) {
			fields = append(fields, c.Header)
		}
	}
	return fields
}

// items adds a row for each item of a list.
func (s *sheet) items(data []byte, lines []int, n *yaml.Node, fields []string) {
	if n.Kind != yaml.SequenceNode {
		return
	}
	for _, item := range n.Content {
		var row []box
		for _, f := range fields {
			var b box
			if steps, err := parsePath(f); err == nil {
				for _, v := range follow(item, steps) {
					b.scalars(data, lines, v)
				}
			}
			row = append(row, b)
		}
		s.rows = append(s.rows, row)
	}
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
