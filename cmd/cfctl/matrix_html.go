package main

import (
	"cmp"
	_ "embed"
	"io"
	"slices"

	"github.com/project-codeflare/cfctl/internal/matrix"
	"github.com/project-codeflare/cfctl/internal/report"
	"github.com/project-codeflare/cfctl/internal/stack"
)

// matrixStyle is how the page looks: a table on a desk, and a list for each release on a phone.
//
//go:embed matrix.css
var matrixStyle string

// showHTML is one page that needs nothing else, in the reader's colour scheme:
// the newest release first, versions with their links.
func showHTML(w io.Writer, s *stack.Stack, releases []matrix.Release) error {
	var p report.Page
	p.Head(s.Name, matrixStyle)
	p.Add("<h1>{}</h1>\n<table>\n", s.Name)
	head := usedComponents(s, releases)
	p.Add(`<thead><tr><th scope="col">Release</th>`)
	for _, c := range head {
		p.Add(`<th scope="col">{}</th>`, c.Title)
	}
	p.Add("</tr></thead>\n<tbody>\n")
	for _, r := range slices.Backward(releases) {
		matrixRow(&p, s, head, r)
	}
	p.Add("</tbody>\n</table>\n</body>\n</html>\n")
	_, err := io.WriteString(w, p.String())
	return err
}

// matrixRow is a release: its root's version, and the others in the order of the head.
func matrixRow(p *report.Page, s *stack.Stack, head []stack.Component, r matrix.Release) {
	root, ok := r.Pin(s.RootComponent().Name)
	if !ok {
		root = matrix.Pin{Name: s.RootComponent().Name, Version: r.Version}
	}
	address := ""
	if root.Version == r.Version {
		address = webLink(s, root)
	}
	p.Add(`<tr><th scope="row">`)
	p.Link(address, "{}", r.Version)
	if r.Date != "" {
		p.Add("<small>{}</small>", r.Date)
	}
	p.Add("</th>")
	for _, c := range head {
		pin, _ := r.Pin(c.Name)
		if version := cmp.Or(pin.Version, pin.Range); version == "" {
			p.Add(`<td data-name="{}" class="none">–</td>`, c.Title)
		} else {
			p.Add(`<td data-name="{}">`, c.Title)
			p.Link(webLink(s, pin), "{}", version)
			p.Add("</td>")
		}
	}
	p.Add("</tr>\n")
}

// webLink is where a version's release can be read; empty = nowhere on the web.
func webLink(s *stack.Stack, p matrix.Pin) string {
	if p.Version == "" { // a range is no release
		return ""
	}
	return report.Web(matrix.LinkOf(s, p))
}
