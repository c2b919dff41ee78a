package campaign

import (
	"bytes"
	"cmp"
	_ "embed"
	"html/template"
	"slices"
	"sync"
)

//go:embed page.html
var pageText string

var pageTemplate = sync.OnceValue(func() *template.Template { return template.Must(template.New("page").Parse(pageText)) })

// Done says which states leave nothing to do.
func Done(state string) bool {
	return slices.ContainsFunc(Stages, func(s struct {
		ID, Doc string
		Done    bool
	}) bool {
		return s.ID == state && s.Done
	})
}

// A page is what the template shows of a status.
type page struct {
	*Status
	Short              string
	Done, All, Percent int
	States             []stateRow
	People             []ownerRow
	Open               []Row // what is left
}

type stateRow struct {
	ID, Doc string
	Done    bool
	N       int
}

type ownerRow struct {
	Owner      string
	Left, Done int
}

// Page is the status as one HTML file, which loads nothing.
func (s *Status) Page() ([]byte, error) {
	p := page{Status: s, Short: short(s.Plan)}
	for _, st := range Stages {
		n := s.Counts[st.ID]
		if n > 0 {
			p.States = append(p.States, stateRow{st.ID, st.Doc, st.Done, n})
		}
		if st.ID == "left-out" {
			continue
		}
		p.All += n
		if st.Done {
			p.Done += n
		}
	}
	p.Percent = 100 * p.Done / max(p.All, 1)
	for owner, counts := range s.Owners {
		row := ownerRow{Owner: owner}
		for state, n := range counts {
			switch {
			case state == "left-out":
			case Done(state):
				row.Done += n
			default:
				row.Left += n
			}
		}
		p.People = append(p.People, row)
	}
	slices.SortFunc(p.People, func(a, b ownerRow) int { return cmp.Or(b.Left-a.Left, cmp.Compare(a.Owner, b.Owner)) })
	for _, r := range s.Rows {
		if !Done(r.State) {
			p.Open = append(p.Open, r)
		}
	}
	var out bytes.Buffer
	err := pageTemplate().Execute(&out, p)
	return out.Bytes(), err
}
