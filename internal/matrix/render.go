package matrix

import (
	"bytes"
	"cmp"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/project-codeflare/cfctl/internal/source"
	"github.com/project-codeflare/cfctl/internal/stack"
)

// A Layout is how the table of a release is written, where that is not the
// standard: widths in characters, the text around it.
type Layout struct {
	Name    int     `yaml:"name,omitempty"`    // width of the component's column; 0 = its widest cell
	Version int     `yaml:"version,omitempty"` // width of the version's column; 0 = its widest cell
	Plain   bool    `yaml:"plain,omitempty"`   // versions are text without links
	Before  *string `yaml:"before,omitempty"`  // text between the start marker and the table; default: the heading and an empty line
	Head    string  `yaml:"head,omitempty"`    // header and delimiter row, when they are written in another way
	After   string  `yaml:"after,omitempty"`   // text between the table and the end marker
	CRLF    bool    `yaml:"crlf,omitempty"`    // its lines end in CR LF
}

// Block is what is between the markers of a release: the heading and the
// table. It ends with a line end. Without markers in the stack's Table it is
// the same: what Insert puts in place of the block that is there.
func Block(s *stack.Stack, r *Release) string {
	l := r.Layout
	if l == nil {
		l = &Layout{}
	}
	var b strings.Builder
	switch {
	case l.Before != nil:
		b.WriteString(*l.Before)
	case s.Table.Heading != "":
		b.WriteString(s.Table.Heading + "\n\n")
	}
	b.WriteString(table(s, r, l))
	b.WriteString(l.After)
	if l.CRLF {
		return strings.ReplaceAll(b.String(), "\n", "\r\n")
	}
	return b.String()
}

// table is the table alone.
func table(s *stack.Stack, r *Release, l *Layout) string {
	names, cells, widths := []string{s.Table.Component}, []string{s.Table.Version}, []int{0}
	for _, p := range r.Components {
		names = append(names, titleOf(s, p.Name))
		cells = append(cells, versionCell(s, p, l.Plain))
		widths = append(widths, p.Width)
	}
	wn, wv := l.Name, l.Version
	wn = cmp.Or(wn, widest(names))
	if wv == 0 {
		wv = widest(cells)
	}
	var b strings.Builder
	b.WriteString(head(l, pad(names[0], wn), pad(cells[0], wv)))
	for i, p := range r.Components {
		w := cmp.Or(widths[i+1], wv)
		b.WriteString(rowLine(s, p, pad(names[i+1], wn), pad(cells[i+1], w)) + "\n")
	}
	return b.String()
}

// head is the header and the delimiter row.
func head(l *Layout, name, version string) string {
	if l.Head != "" {
		return l.Head
	}
	return fmt.Sprintf("| %s | %s |\n|%s|%s|\n", name, version, dashes(name), dashes(version))
}

func dashes(cell string) string { return strings.Repeat("-", utf8.RuneCountInString(cell)+2) }

// rowLine is one row, from its cells or from its own template.
func rowLine(s *stack.Stack, p Pin, name, version string) string {
	if p.Line == "" {
		return fmt.Sprintf("| %s | %s |", name, version)
	}
	return strings.NewReplacer("{version}", shown(s, p), "{tag}", tagOf(s, p)).Replace(p.Line)
}

// shown is a pin's version, or range, as the table writes it.
func shown(s *stack.Stack, p Pin) string {
	c, ok := s.Component(p.Name)
	if !ok {
		return p.Says()
	}
	place := s.RowPlace(c)
	if place == nil || !stack.IsVersion(p.Version) {
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
func versionCell(s *stack.Stack, p Pin, plain bool) string {
	link := LinkOf(s, p)
	if link == "" || plain && p.Link == "" {
		return shown(s, p)
	}
	return "[" + shown(s, p) + "](" + link + ")"
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

func widest(cells []string) int {
	w := 0
	for _, c := range cells {
		w = max(w, utf8.RuneCountInString(c))
	}
	return w
}

func pad(text string, width int) string {
	return text + strings.Repeat(" ", max(0, width-utf8.RuneCountInString(text)))
}

// Insert returns the edit that makes block are in a Markdown file: in place
// of the present one, between the markers, or an error when the file has
// neither a table nor the markers.
func Insert(s *stack.Stack, path string, data []byte, block string) (source.Edit, error) {
	doc, err := s.Table.Parse(data)
	if err == nil {
		if len(doc.Header) != 2 || s.Table.Others {
			return source.Edit{}, &source.Error{
				Path: path, Pos: source.PositionAt(data, doc.Table.Start),
				Err:  fmt.Errorf("the table has more than the columns %s and %s, or rows of others: it cannot be rendered", s.Table.Component, s.Table.Version),
				Hint: "cfctl matrix set COMPONENT VERSION, which changes versions in place",
			}
		}
		if !doc.Marked {
			block = strings.TrimPrefix(block, s.Table.Heading+"\n\n")
		}
		if !bytes.HasSuffix(doc.Block.Of(data), []byte("\n")) { // the file's last line has no end
			block = strings.TrimSuffix(block, "\n")
		}
		return source.Edit{Span: doc.Block, New: block}, nil
	}
	span, ok := s.Table.Markers(data)
	if !ok {
		return source.Edit{}, &source.Error{
			Path: path, Err: err,
			Hint: fmt.Sprintf("put two comment lines there: <!-- %s --> and <!-- %s -->", s.Table.Start, s.Table.End),
		}
	}
	return source.Edit{Span: span, New: block}, nil
}

// Notes is the block for release notes: the heading and the table, in the
// standard layout whatever the README's is.
func Notes(s *stack.Stack, r *Release) string {
	plain := *r
	plain.Layout = nil
	plain.Components = append([]Pin(nil), r.Components...)
	for i := range plain.Components {
		plain.Components[i].Width, plain.Components[i].Line = 0, ""
	}
	heading := cmp.Or(s.Table.Heading, "Compatibility matrix")
	return "## " + heading + "\n\n" + table(s, &plain, &Layout{})
}
