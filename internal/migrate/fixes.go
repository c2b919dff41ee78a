package migrate

import (
	"slices"

	"github.com/project-codeflare/cfctl/internal/migrate/text"

	"github.com/project-codeflare/cfctl/internal/report"
	"github.com/project-codeflare/cfctl/internal/source"
)

// A fixed is a site that edits are for.
type fixed struct {
	source.Span
	old, fresh string
}

// fix gives the sites of a file, for reports that print them, the edits that
// writing makes: the same ones, so that a program that applies the report
// makes the same file. Each is of the site in which it begins, else of the last one before.
func (f *File) fix(others Others) {
	if !f.Changes() || f.Skip != nil {
		return
	}
	data, err := others.ReadFile(f.Path)
	if err != nil || source.SumOf(data) != f.Sum {
		return
	}
	var sites []int // those that change
	for i, s := range f.Sites {
		if s.Action() == Change {
			sites = append(sites, i)
		}
	}
	edits := f.Edits(data)
	slices.SortStableFunc(edits, func(a, b source.Edit) int { return a.Start - b.Start })
	walk := text.Positions{Data: data, At: source.Position{Line: 1, Column: 1}}
	k := 0
	f.fixes = map[fixed][]report.Fix{}
	for _, e := range edits {
		for k+1 < len(sites) && f.Sites[sites[k+1]].Start <= max(e.Start, e.End-1) {
			k++
		}
		if k == len(sites) {
			return
		}
		s, start := f.Sites[sites[k]], walk.To(e.Start)
		at := fixed{s.Span, s.Old, s.New}
		f.fixes[at] = append(f.fixes[at], report.Fix{Path: f.Path, Edit: e, Start: e.Start, Stop: e.End, Text: e.New, Position: start, End: walk.To(e.End)})
	}
}
