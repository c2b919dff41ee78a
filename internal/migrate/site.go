package migrate

import (
	"cmp"
	"slices"

	"github.com/project-codeflare/cfctl/internal/migrate/core"
	"github.com/project-codeflare/cfctl/internal/migrate/core/judge"
	"github.com/project-codeflare/cfctl/internal/migrate/text"
	"github.com/project-codeflare/cfctl/internal/source"
)

// An Action is what becomes of a site.
type Action = judge.Action

// The actions.
const (
	Change      = judge.Rewrite // rewritten
	Stay        = judge.Keep    // looks like one of the groups, and is not or must not move
	NeedsReview = judge.Review
)

// A Site is one place where a name of the rules is, with what becomes of
// it. Every occurrence is in exactly one site.
type Site = core.Site

// positioned are sites in the order of their file, with their positions.
func positioned(data []byte, sites []Site) []Site {
	slices.SortStableFunc(sites, func(x, y Site) int { return x.Start - y.Start })
	walk := text.Positions{Data: data, At: source.Position{Line: 1, Column: 1}}
	for i, s := range sites {
		sites[i].Pos = walk.To(s.Start)
	}
	return sites
}

// withoutCovered sorts edits and leaves out those that are there already, or
// whose place is inside of another one.
func withoutCovered(edits []source.Edit) []source.Edit {
	slices.SortStableFunc(edits, func(a, b source.Edit) int { return cmp.Or(a.Start-b.Start, b.End-a.End) })
	out, end := edits[:0], -1
	for _, e := range edits {
		if len(out) > 0 && e.Span == out[len(out)-1].Span || e.End <= end && (e.Len() > 0 || e.End < end) {
			continue
		}
		out, end = append(out, e), max(end, e.End)
	}
	return out
}
