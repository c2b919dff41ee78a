package campaign

import (
	"cmp"
	_ "embed"
	"fmt"
	"slices"

	"github.com/project-codeflare/cfctl/internal/report"
)

// style is how the page looks.
//
//go:embed page.css
var style string

// Done says which states leave nothing to do.
func Done(state string) bool {
	return slices.ContainsFunc(Stages, func(s StateDoc) bool { return s.ID == state && s.Done })
}

// A page is what is written of a status.
type page struct{ report.Page }

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

// Page is the status as one HTML file, which loads nothing.
func (s *Status) Page() []byte {
	var p page
	bar := barOf(s.Counts)
	done, all := 0, 0
	for _, b := range bar {
		all += b.N
		if Done(b.ID) {
			done += b.N
		}
	}
	proven, byState := 0, map[string][]Row{}
	for _, r := range s.Rows {
		byState[r.State] = append(byState[r.State], r)
		proven += r.Proven
	}
	p.Head(fmt.Sprintf("%d %% · %s", 100*done/max(all, 1), s.Title), style)
	p.Add("<h1>{}</h1>\n", s.Title)
	p.Add("<p class=\"at\">Campaign {}, plan {}, as of <time datetime=\"{}\">{}</time></p>\n", s.ID, short(s.Plan), s.At, s.At)
	p.Add(`<p class="big"><b>{} of {} repositories are done</b>`, done, all)
	if proven > 0 {
		p.Add("; {} places move, each of them proven", proven)
	}
	p.Add(".</p>\n<div class=\"bar\" role=\"img\" aria-label=\"{} of {} repositories are done\">", done, all)
	for _, b := range bar {
		p.Add(`<span class="{}" style="flex-grow: {n}" title="{} {}: {}"></span>`, b.ID, b.N, b.N, b.ID, b.Doc)
	}
	p.Add("</div>\n")
	states := statesOf(s.Counts)
	p.tiles(states)
	p.owners(s.Owners)
	p.left(states, byState)
	p.Add("</body>\n</html>\n")
	return []byte(p.String())
}

// tiles are the states that there are.
func (p *page) tiles(states []stateRow) {
	p.Add("<ul class=\"tiles\">\n")
	for _, st := range states {
		p.Add("<li><span class=\"dot {}\"></span><b>{}</b><span>{} <small>{}</small></span></li>\n", st.ID, st.N, st.ID, st.Doc)
	}
	p.Add("</ul>\n")
}

// owners are those with something to do first.
func (p *page) owners(owners map[string]map[string]int) {
	p.Add(`<h2>Owners</h2>
<table>
<thead><tr><th class="name">Owner</th><th class="n num">Left</th><th class="n num">Done</th><th></th></tr></thead>
<tbody>`)
	for _, o := range people(owners) {
		p.Add(`<tr><td>{}</td><td class="n">`, o.Owner)
		if o.Left > 0 {
			p.Add("<b>{}</b>", o.Left)
		} else {
			p.Add("0")
		}
		p.Add(`</td><td class="n">{}</td><td><div class="bar thin">`, o.Done)
		for _, b := range o.Bar {
			p.Add(`<span class="{}" style="flex-grow: {n}" title="{} {}"></span>`, b.ID, b.N, b.N, b.ID)
		}
		p.Add("</div></td></tr>\n")
	}
	p.Add("</tbody>\n</table>\n")
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

// left are the repositories of each state that leaves something to do.
func (p *page) left(states []stateRow, rows map[string][]Row) {
	p.Add("<h2>Remaining</h2>\n")
	nothing := true
	for _, st := range states {
		if !Done(st.ID) {
			nothing = false
			p.group(st, rows[st.ID])
		}
	}
	if nothing {
		p.Add("<p>Nothing.</p>\n")
	}
}

// group are the repositories of one state, folded when there are many.
func (p *page) group(st stateRow, rows []Row) {
	if len(rows) <= fewRows {
		p.Add("<details open>\n")
	} else {
		p.Add("<details>\n")
	}
	p.Add("<summary><span class=\"dot {}\"></span> <b>{} {}</b> <small>{}</small></summary>\n", st.ID, st.N, st.ID, st.Doc)
	p.Add(`<table>
<thead><tr><th class="name">Repository</th><th class="owner">Owner</th><th class="n num wide">Proven</th><th class="num wide">Checks</th><th>Needs review</th></tr></thead>
<tbody>`)
	for _, r := range rows {
		p.row(r)
	}
	p.Add("</tbody>\n</table>\n</details>\n")
}

// row is one repository.
func (p *page) row(r Row) {
	p.Add("<tr><td>")
	p.Link(r.URL, "{}", r.Name)
	p.Add(`</td><td>{}</td><td class="n wide">`, r.Owner)
	if r.Proven > 0 {
		p.Add("{}", r.Proven)
	}
	p.Add(`</td><td class="wide">{}</td><td>{}`, r.Checks, r.Text)
	if len(r.ToReview) > 0 {
		p.Add(`<ul class="hand">`)
		for _, what := range r.ToReview {
			p.Add("<li><code>{}</code></li>", what)
		}
		p.Add("</ul>")
	}
	p.Add("</td></tr>\n")
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
