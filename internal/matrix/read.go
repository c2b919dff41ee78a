package matrix

import (
	"strings"
	"unicode/utf8"

	"github.com/project-codeflare/cfctl/internal/source"
	"github.com/project-codeflare/cfctl/internal/stack"
)

// ReadRelease turns a table into the release that it declares, so that Block
// of the release gives the block back. The version is the root's, or fallback
// when the root has no row. Rows of components that the stack does not know
// keep the row's name; where the stack's table may have others, they are left
// out, and so is the layout.
func ReadRelease(s *stack.Stack, data []byte, doc *stack.Doc, fallback string) Release {
	r := Release{Version: fallback}
	for _, row := range rowsOf(s, &s.Table, data, doc) {
		p := Pin{Name: row.Name, Version: row.Value}
		if row.takesMore() {
			p.Version, p.Range = "", row.Value
		}
		if row.of != nil {
			p.Name = row.of.Name
			if row.of == s.RootComponent() && stack.IsVersion(row.Value) {
				r.Version = row.Value
			}
		}
		p.Link = string(row.URL.Of(data))
		r.Components = append(r.Components, p)
	}
	if len(r.Components) == len(doc.Rows) {
		layout(s, data, doc, &r)
	}
	return r
}

// layout records how the table is written, as far as that is not the standard.
func layout(s *stack.Stack, data []byte, doc *stack.Doc, r *Release) {
	block := string(doc.Block.Of(data))
	l := &Layout{Plain: true, CRLF: strings.Contains(block, "\r\n")}
	for i := range r.Components {
		l.Plain = l.Plain && r.Components[i].Link == ""
	}
	for i := range r.Components {
		p := &r.Components[i]
		standard := standardLink(s, Pin{Name: p.Name, Version: p.Version})
		switch {
		case l.Plain:
		case p.Link == "" && standard != "":
			p.Link = "-"
		case p.Link == standard:
			p.Link = ""
		}
	}
	if len(doc.Header) == 2 && len(doc.Delim) == 2 {
		l.Name, l.Version = doc.Delim[0].Span.Len()-2, doc.Delim[1].Span.Len()-2
	}
	for i, row := range doc.Rows {
		// Between the pipes stand a blank, the cell with its padding, a blank.
		text := versionCell(s, r.Components[i], l.Plain)
		if w := utf8.RuneCount(row.Version.Outer.Of(data)) - 2; w > 0 && w != max(l.Version, utf8.RuneCountInString(text)) {
			r.Components[i].Width = w
		}
	}
	before := string(data[doc.Block.Start:doc.Table.Start])
	l.After = string(data[doc.Table.End:max(doc.Block.End, doc.Table.End)])
	if l.CRLF {
		before, l.After = strings.ReplaceAll(before, "\r\n", "\n"), strings.ReplaceAll(l.After, "\r\n", "\n")
	}
	if before != s.Table.Heading+"\n\n" {
		l.Before = &before
	}
	r.Layout = l
	templates(s, data, doc, r)
	simplify(s, r)
}

// templates keeps the lines that cells and widths do not give back.
func templates(s *stack.Stack, data []byte, doc *stack.Doc, r *Release) {
	text := strings.TrimSuffix(strings.ReplaceAll(string(doc.Table.Of(data)), "\r\n", "\n"), "\n") + "\n"
	want := strings.SplitAfter(text, "\n")
	got := strings.SplitAfter(table(s, r, r.Layout), "\n")
	if got[0]+got[1] != want[0]+want[1] {
		r.Layout.Head = want[0] + want[1]
	}
	for i, row := range doc.Rows {
		p := &r.Components[i]
		line := strings.TrimSuffix(want[i+2], "\n")
		if strings.TrimSuffix(got[i+2], "\n") == line {
			continue
		}
		p.Width, p.Line = 0, template(data, row, line, tagOf(s, *p))
		if p.Version == "" {
			p.Line = line
			if strings.Count(line, p.Range) == 1 {
				p.Line = strings.Replace(line, p.Range, "{version}", 1)
			}
		}
	}
}

// template puts placeholders where a row's version and tag stand.
func template(data []byte, row stack.Row, line, tag string) string {
	start := row.Cells[0].Outer.Start - strings.IndexByte(line, '|') - 1
	if !strings.HasPrefix(strings.TrimLeft(line, " \t"), "|") {
		start = row.Cells[0].Outer.Start - (len(line) - len(strings.TrimLeft(line, " \t")))
	}
	var edits []source.Edit
	for _, e := range []source.Edit{{Span: row.Text, New: "{version}"}, {Span: row.Tag, New: "{tag}"}} {
		if e.Len() == 0 || e.New == "{tag}" && string(e.Of(data)) != tag {
			continue
		}
		e.Start, e.End = e.Start-start, e.End-start
		edits = append(edits, e)
	}
	out, err := source.Apply([]byte(line), edits)
	if err != nil {
		return line
	}
	return string(out)
}

// simplify leaves out what the standard says anyway.
func simplify(s *stack.Stack, r *Release) {
	block, l := Block(s, r), r.Layout
	for _, try := range []func(*Layout){
		func(l *Layout) { l.Name = 0 },
		func(l *Layout) { l.Version = 0 },
	} {
		old := *l
		try(l)
		if Block(s, r) != block {
			*l = old
		}
	}
	if *l == (Layout{}) {
		r.Layout = nil
	}
}
