package main

import (
	"cmp"
	"io"
	"slices"

	"github.com/project-codeflare/cfctl/internal/matrix"
	"github.com/project-codeflare/cfctl/internal/report"
	"github.com/project-codeflare/cfctl/internal/stack"
)

// matrixStyle is how the page looks: a table on a desk, and a list for each release on a phone.
const matrixStyle = `<style>
:root { color-scheme: light dark; }
* { box-sizing: border-box; }
body { font: 15px/1.5 system-ui, sans-serif; margin: 0 auto; max-width: 90rem; padding: 1.25rem; overflow-wrap: anywhere; }
table { border-collapse: collapse; width: 100%; }
th, td { border-bottom: 1px solid #8884; padding: .3rem .7rem .3rem 0; text-align: left; vertical-align: top; }
thead th { position: sticky; top: 0; background: Canvas; }
td, tbody th { font-family: ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; font-size: 13px; }
small { display: block; font-weight: normal; opacity: .7; }
tr:hover td, tbody tr:hover th { background: #8882; }
@media (max-width: 48rem) {
  thead { display: none; }
  tr { display: block; padding: .6rem 0; border-bottom: 1px solid #8884; }
  tbody th { display: block; border: 0; font-size: 15px; }
  td { display: flex; justify-content: space-between; gap: 1rem; border: 0; padding: .1rem 0; }
  td:empty, td.none { display: none; }
  td::before { content: attr(data-name); font: 14px system-ui, sans-serif; opacity: .8; }
}
</style>
`

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
