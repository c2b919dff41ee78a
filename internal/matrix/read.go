package matrix

import (
	"slices"

	"github.com/project-codeflare/cfctl/internal/stack"
	"github.com/project-codeflare/cfctl/internal/versions"
)

// ReadRelease turns a table into the release that it declares. The version is the
// root's, or fallback when the root has no row. Rows of components that the stack
// does not know keep the row's name; where the stack's table may have others, they
// are left out.
func ReadRelease(s *stack.Stack, data []byte, doc *stack.Doc, fallback string) Release {
	r := Release{Version: fallback}
	linked := slices.ContainsFunc(doc.Rows, func(row stack.Row) bool { return row.URL.Len() > 0 })
	for _, row := range rowsOf(s, &s.Table, data, doc) {
		p := Pin{Name: row.Name, Version: row.Value}
		if row.takesMore() {
			p.Version, p.Range = "", row.Value
		}
		if row.of != nil {
			p.Name = row.of.Name
			if row.of == s.RootComponent() && versions.IsVersion(row.Value) {
				r.Version = row.Value
			}
		}
		link, standard := string(row.URL.Of(data)), standardLink(s, p)
		switch {
		case link == "" && standard != "" && linked:
			p.Link = "-"
		case link != "" && link != standard:
			p.Link = link
		}
		r.Components = append(r.Components, p)
	}
	return r
}
