package migrate

import (
	"slices"

	"github.com/project-codeflare/cfctl/internal/migrate/edit"
	"github.com/project-codeflare/cfctl/internal/migrate/find"
	"github.com/project-codeflare/cfctl/internal/migrate/text"

	"github.com/project-codeflare/cfctl/internal/report"
	"github.com/project-codeflare/cfctl/internal/source"
)

// A Role says what a site is.
type Role = find.Role

// An Action is what becomes of a site.
type Action = edit.Action

// The actions.
const (
	Change = edit.Change // rewritten
	Stay   = edit.Stay   // looks like one of the groups, and is not or must not move
	Person = edit.Person // a person must decide or do something
)

// A Keep is one acknowledgement of the configuration.
type Keep = edit.Keep

// A Site is one place where a name of the rules stands, with what becomes of
// it. Every occurrence is in exactly one site.
type Site struct {
	edit.Outcome
	Pos   source.Position
	claim string            // kind of the claim that does not hold; empty = none
	fixes []report.Fix      // only when asked for by Options.Fixes
	also  []source.Position // of an entry: the other places that ask the same question
}

// with is the site with another outcome.
func (s Site) with(o edit.Outcome) Site {
	return Site{Outcome: o, Pos: s.Pos, claim: s.claim}
}

// sitesOf are outcomes in the order of their file, with their positions.
func sitesOf(data []byte, made []edit.Outcome) []Site {
	made = slices.Clone(made)
	slices.SortStableFunc(made, func(x, y edit.Outcome) int { return x.Start - y.Start })
	walk := text.Positions{Data: data, At: source.Position{Line: 1, Column: 1}}
	sites := make([]Site, len(made))
	for i, o := range made {
		sites[i] = Site{Outcome: o, Pos: walk.To(o.Start)}
	}
	return sites
}

// withoutMarks leaves out the suppressions that keep something after all.
func withoutMarks(unused []Site, marks []source.Span) []Site {
	return slices.DeleteFunc(slices.Clone(unused), func(s Site) bool { return slices.Contains(marks, s.Span) })
}

// top is the site of a file as a whole.
func top(o edit.Outcome) Site {
	return Site{Outcome: o, Pos: source.Position{Line: 1, Column: 1}}
}
