package campaign

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/project-codeflare/cfctl/internal/report"
)

// pageStyle is how the page looks.
const pageStyle = `<style>
:root { color-scheme: light dark; --line: #8884; --soft: #8882; --text: #888;
  --merged: #6f42c1; --nothing: #b6a3dd; --declined: #7a7f87; --edited: #9aa0a8; --away: #c3c7cc;
  --open: #2a7d46; --opening: #5fae78; --ready: #4c8fd6; --waiting: #a9cbef; --stale: #7fb0e3;
  --red: #c62828; --trouble: #d9480f; --blocked: #e8590c; --conflicting: #e67700; --review: #f08c00; }
body { font: 15px/1.45 system-ui, sans-serif; margin: 1.5rem auto; max-width: 66rem; padding: 0 1rem; }
h1 { margin: 0; font-size: 1.7rem; overflow-wrap: anywhere; } h2 { font-size: 1.15rem; margin: 1.8rem 0 .4rem; }
.at { color: var(--text); margin: .2rem 0 1rem; overflow-wrap: anywhere; }
.big { font-size: 1.15rem; margin: .3rem 0; }
.bar { background: var(--soft); border-radius: 5px; display: flex; height: 18px; overflow: hidden; margin: .6rem 0; gap: 1px; }
.bar.thin { height: 9px; margin: .45rem 0 0; min-width: 8rem; }
.bar span { display: block; min-width: 2px; }
.merged { background: var(--merged); } .nothing, .empty { background: var(--nothing); } .not-opened { background: var(--ready); } .declined, .withdrawn { background: var(--declined); } .edited { background: var(--edited); }
.away { background: var(--away); } .open { background: var(--open); } .opening, .withdrawing { background: var(--opening); } .ready { background: var(--ready); }
.waiting { background: var(--waiting); } .stale { background: var(--stale); } .red { background: var(--red); } .trouble { background: var(--trouble); }
.blocked { background: var(--blocked); } .conflicting { background: var(--conflicting); } .review { background: var(--review); } .left-out { background: var(--soft); }
.tiles { display: grid; grid-template-columns: repeat(auto-fill, minmax(15rem, 1fr)); gap: .15rem 1.5rem; list-style: none; margin: .8rem 0; padding: 0; }
.tiles li { display: grid; grid-template-columns: .8rem 3.2rem 1fr; gap: .5rem; align-items: baseline; }
.dot { border-radius: 3px; display: inline-block; height: .8rem; width: .8rem; }
.tiles b { text-align: right; font-variant-numeric: tabular-nums; } small { color: var(--text); }
table { border-collapse: collapse; width: 100%; }
th, td { border-bottom: 1px solid var(--line); padding: .28rem .6rem .28rem 0; text-align: left; vertical-align: top; overflow-wrap: anywhere; }
th { color: var(--text); font-weight: 500; } .n { text-align: right; white-space: nowrap; font-variant-numeric: tabular-nums; }
details { border-top: 1px solid var(--line); padding: .4rem 0; } summary { cursor: pointer; } summary .dot { margin: 0 .3rem 0 .1rem; }
details table { margin: .3rem 0 .6rem; } ul.hand { margin: .2rem 0 0; padding-left: 1.1rem; } code { font-size: .88em; }
.name { width: 30%; } .owner { width: 18%; } .num { width: 5rem; }
@media (max-width: 600px) { .owner, .num { width: auto; } th, td { padding-right: .4rem; } .wide { display: none; } }
</style>
`

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
	p.Head(fmt.Sprintf("%d %% · %s", 100*done/max(all, 1), s.Title), pageStyle)
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
