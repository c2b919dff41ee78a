package campaign

import (
	"cmp"
	_ "embed"
	"slices"

	"github.com/project-codeflare/cfctl/internal/report"
)

// pageTemplate is the page, which loads nothing.
//
//go:embed page.html
var pageTemplate string

// Done says which states leave nothing to do.
func Done(state string) bool {
	return slices.ContainsFunc(Stages, func(s StateDoc) bool { return s.ID == state && s.Done })
}

// A page is a status as pageTemplate shows it.
type page struct {
	*Status
	Short                          string // the plan's commit
	Percent, Finished, All, Proven int
	Bar, States                    []stateRow
	People                         []ownerRow
	Remaining                      []group
}

// A group is the repositories of one state that leaves something to do, folded when there are many.
type group struct {
	stateRow
	Few  bool
	Rows []Row
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

// fewRows is how many repositories of one state are shown without being asked for.
const fewRows = 50

// Page is the status as one HTML file.
func (s *Status) Page() []byte {
	p := page{Status: s, Short: short(s.Plan), Bar: barOf(s.Counts), States: statesOf(s.Counts), People: people(s.Owners)}
	for _, b := range p.Bar {
		p.All += b.N
		if Done(b.ID) {
			p.Finished += b.N
		}
	}
	p.Percent = 100 * p.Finished / max(p.All, 1)
	byState := map[string][]Row{}
	for _, r := range s.Rows {
		byState[r.State] = append(byState[r.State], r)
		p.Proven += r.Proven
	}
	for _, st := range p.States {
		if rows := byState[st.ID]; !Done(st.ID) {
			p.Remaining = append(p.Remaining, group{st, len(rows) <= fewRows, rows})
		}
	}
	return []byte(report.Page(pageTemplate, p))
}

// people are the owners of what counts, those with most left first.
func people(owners map[string]map[string]int) []ownerRow {
	var list []ownerRow
	for owner, counts := range owners {
		row := ownerRow{Owner: owner, Bar: barOf(counts)}
		for _, b := range row.Bar {
			if Done(b.ID) {
				row.Done += b.N
			} else {
				row.Left += b.N
			}
		}
		if len(row.Bar) > 0 {
			list = append(list, row)
		}
	}
	slices.SortFunc(list, func(a, b ownerRow) int { return cmp.Or(b.Left-a.Left, cmp.Compare(a.Owner, b.Owner)) })
	return list
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
