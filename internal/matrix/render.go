package matrix

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/project-codeflare/cfctl/internal/source"
	"github.com/project-codeflare/cfctl/internal/stack"
	"github.com/project-codeflare/cfctl/internal/versions"
)

// Block is what is between the markers of a release: the heading and the table. It
// ends with a line end.
func Block(s *stack.Stack, r *Release) string {
	if s.Table.Heading == "" {
		return table(s, r)
	}
	return s.Table.Heading + "\n\n" + table(s, r)
}

// table is the table alone.
func table(s *stack.Stack, r *Release) string {
	rows := [][]string{{s.Table.Component, s.Table.Version}}
	for _, p := range r.Components {
		rows = append(rows, []string{titleOf(s, p.Name), versionCell(s, p)})
	}
	return MarkdownTable(rows)
}

// MarkdownTable writes rows as a table of Markdown, the first one as its header.
func MarkdownTable(rows [][]string) string {
	widths := make([]int, len(rows[0]))
	for _, row := range rows {
		for i, cell := range row {
			widths[i] = max(widths[i], utf8.RuneCountInString(cell))
		}
	}
	var b strings.Builder
	for n, row := range rows {
		b.WriteString("|")
		for i, cell := range row {
			b.WriteString(" " + cell + strings.Repeat(" ", widths[i]-utf8.RuneCountInString(cell)) + " |")
		}
		b.WriteString("\n")
		if n > 0 {
			continue
		}
		b.WriteString("|")
		for _, w := range widths {
			b.WriteString(strings.Repeat("-", w+2) + "|")
		}
		b.WriteString("\n")
	}
	return b.String()
}

// shown is a pin's version, or range, as the table writes it.
func shown(s *stack.Stack, p Pin) string {
	c, ok := s.Component(p.Name)
	if !ok {
		return p.Says()
	}
	place := s.RowPlace(c)
	if place == nil || !versions.IsVersion(p.Version) {
		return p.Says()
	}
	_, spell := place.Read("")
	return spell(p.Version)
}

// tagOf is the release tag that a pin's version represents.
func tagOf(s *stack.Stack, p Pin) string {
	if c, ok := s.Component(p.Name); ok && strings.HasPrefix(p.Version, "v") {
		return c.TagOf(p.Version)
	}
	return p.Version
}

func titleOf(s *stack.Stack, name string) string {
	if c, ok := s.Component(name); ok {
		return c.Title
	}
	return name
}

// versionCell is the text of a version's cell, with its link.
func versionCell(s *stack.Stack, p Pin) string {
	if link := LinkOf(s, p); link != "" {
		return "[" + shown(s, p) + "](" + link + ")"
	}
	return shown(s, p)
}

// LinkOf is the address of a pin's release: its own, or the stack's template
// filled in; empty = there is none.
func LinkOf(s *stack.Stack, p Pin) string {
	switch p.Link {
	case "":
		return standardLink(s, p)
	case "-":
		return ""
	}
	return p.Link
}

// standardLink is the link by the stack's template; empty = none.
func standardLink(s *stack.Stack, p Pin) string {
	c, ok := s.Component(p.Name)
	if !ok || s.Table.Link == "" || c.Repository == "" || p.Version == "" { // a range is no release
		return ""
	}
	return strings.NewReplacer("{repository}", c.Repository, "{tag}", tagOf(s, p)).Replace(s.Table.Link)
}

// Insert returns the edit that makes the table of a release stand in a Markdown
// file: in place of the present one, else with its heading between the markers, or
// an error when the file has neither. A table that says the same stays as it is.
func Insert(s *stack.Stack, path string, data []byte, r *Release) (source.Edit, error) {
	doc, err := s.Table.Parse(data)
	if err != nil {
		span, ok := s.Table.Markers(data)
		if !ok {
			return source.Edit{}, &source.Error{
				Path: path, Err: err,
				Hint: fmt.Sprintf("put two comment lines there: <!-- %s --> and <!-- %s -->", s.Table.Start, s.Table.End),
			}
		}
		return source.Edit{Span: span, New: Block(s, r)}, nil
	}
	if len(doc.Header) != 2 || s.Table.Others {
		return source.Edit{}, &source.Error{
			Path: path, Pos: source.PositionAt(data, doc.Table.Start),
			Err:  fmt.Errorf("the table has more than the columns %s and %s, or rows of others: it cannot be rendered", s.Table.Component, s.Table.Version),
			Hint: "cfctl matrix set COMPONENT VERSION, which changes versions in place",
		}
	}
	old, block := string(doc.Table.Of(data)), table(s, r)
	samePin := func(a, b Pin) bool { return a.Name == b.Name && a.Says() == b.Says() && a.Link == b.Link }
	if same := ReadRelease(s, data, doc, r.Version); slices.EqualFunc(same.Components, r.Components, samePin) {
		return source.Edit{Span: doc.Table, New: old}, nil
	}
	if strings.Contains(old, "\r\n") {
		block = strings.ReplaceAll(block, "\n", "\r\n")
	}
	if !strings.HasSuffix(old, "\n") { // the file's last line has no end
		block = strings.TrimRight(block, "\r\n")
	}
	return source.Edit{Span: doc.Table, New: block}, nil
}

// Notes is the block for release notes: the heading and the table.
func Notes(s *stack.Stack, r *Release) string {
	return "## " + cmp.Or(s.Table.Heading, "Compatibility matrix") + "\n\n" + table(s, r)
}
