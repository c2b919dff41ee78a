package main

import (
	"cmp"
	_ "embed"
	"html/template"
	"io"
	"net/url"
	"slices"

	"github.com/project-codeflare/cfctl/internal/matrix"
	"github.com/project-codeflare/cfctl/internal/stack"
)

//go:embed matrix.html
var matrixPage string

var matrixTemplate = template.Must(template.New("matrix").Parse(matrixPage))

// A matrixRow is a release on the page: its root's version, and the others in
// the order of the head.
type matrixRow struct {
	Release matrixCell
	Date    string
	Cells   []matrixCell
}

type matrixCell struct{ Title, Version, URL string }

// showHTML is one page that needs nothing else, in the reader's colour scheme:
// the newest release first, versions with their links, as a table on a desk and
// as a list for each release on a phone.
func showHTML(w io.Writer, s *stack.Stack, releases []matrix.Release) error {
	head := usedComponents(s, releases)
	var rows []matrixRow
	for _, r := range slices.Backward(releases) {
		row := matrixRow{Release: matrixCell{Version: r.Version}, Date: r.Date}
		if root, ok := r.Pin(s.RootComponent().Name); !ok {
			row.Release.URL = webLink(s, matrix.Pin{Name: s.RootComponent().Name, Version: r.Version})
		} else if root.Version == r.Version {
			row.Release.URL = webLink(s, root)
		}
		for _, c := range head {
			cell := matrixCell{Title: c.Title}
			if p, ok := r.Pin(c.Name); ok {
				cell.Version, cell.URL = cmp.Or(p.Version, p.Range), webLink(s, p)
			}
			row.Cells = append(row.Cells, cell)
		}
		rows = append(rows, row)
	}
	return matrixTemplate.Execute(w, struct {
		Title string
		Head  []stack.Component
		Rows  []matrixRow
	}{s.Name, head, rows})
}

// webLink is where a version's release can be read; empty = nowhere on the web.
func webLink(s *stack.Stack, p matrix.Pin) string {
	link := matrix.LinkOf(s, p)
	if p.Version == "" { // a range is no release
		return ""
	}
	if u, err := url.Parse(link); err != nil || u.Scheme != "https" && u.Scheme != "http" {
		return ""
	}
	return link
}
