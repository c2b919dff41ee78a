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
	Short                      string
	Done, All, Percent, Proven int
	States                     []stateRow // that there are, in the order of Stages
	Bar                        []stateRow // without what was left out; done first
	People                     []ownerRow
	Groups                     []group // what is left
}

type stateRow struct {
	ID, Doc string
	N       int
}

type ownerRow struct {
	Owner      string
	Left, Done int
	Bar        []stateRow
}

// A group are the repositories of one state.
type group struct {
	stateRow
	Few  bool // shown without being asked for
	Rows []Row
}

// fewRows is how many repositories of one state are shown without being asked for.
const fewRows = 50

// Page is the status as one HTML file, which loads nothing.
func (s *Status) Page() ([]byte, error) {
	p := page{Status: s, Short: short(s.Plan), States: statesOf(s.Counts)}
	p.Bar = barOf(s.Counts)
	for _, b := range p.Bar {
		p.All += b.N
		if Done(b.ID) {
			p.Done += b.N
		}
	}
	p.Percent = 100 * p.Done / max(p.All, 1)
	for owner, counts := range s.Owners {
		row := ownerRow{Owner: owner, Bar: barOf(counts)}
		for _, b := range row.Bar {
			if Done(b.ID) {
				row.Done += b.N
			} else {
				row.Left += b.N
			}
		}
		if len(row.Bar) > 0 {
			p.People = append(p.People, row)
		}
	}
	slices.SortFunc(p.People, func(a, b ownerRow) int { return cmp.Or(b.Left-a.Left, cmp.Compare(a.Owner, b.Owner)) })
	byState := map[string][]Row{}
	for _, r := range s.Rows {
		byState[r.State] = append(byState[r.State], r)
		p.Proven += r.Proven
	}
	for _, st := range p.States {
		if rows := byState[st.ID]; !Done(st.ID) {
			p.Groups = append(p.Groups, group{st, len(rows) <= fewRows, rows})
		}
	}
	var out bytes.Buffer
	err := pageTemplate().Execute(&out, p)
	return out.Bytes(), err
}

// statesOf are the states that are counted, in the order of Stages.
func statesOf(counts map[string]int) []stateRow {
	var list []stateRow
	for _, st := range Stages {
		if n := counts[st.ID]; n > 0 {
			list = append(list, stateRow{st.ID, st.Doc, n})
		}
	}
	return list
}

// barOf are the states of a bar: what was merged, what else is done, what is left;
// without what was left out.
func barOf(counts map[string]int) []stateRow {
	list := slices.DeleteFunc(statesOf(counts), func(r stateRow) bool { return r.ID == "left-out" })
	slices.Reverse(list)
	slices.SortStableFunc(list, func(a, b stateRow) int {
		rank := func(r stateRow) int {
			switch {
			case r.ID == string(Merged):
				return 0
			case Done(r.ID):
				return 1
			}
			return 2
		}
		return rank(a) - rank(b)
	})
	return list
}
