package migrate

import (
	"cmp"
	"slices"

	"github.com/project-codeflare/cfctl/internal/migrate/text"
	"github.com/project-codeflare/cfctl/internal/report"
	"github.com/project-codeflare/cfctl/internal/source"
)

// An Action is what becomes of a site.
type Action string

// The actions.
const (
	Change      Action = "change" // rewritten
	Stay        Action = "keep"   // looks like one of the groups, and is not or must not move
	NeedsReview Action = "review"
)

// A Site is one place where a name of the rules is, with what becomes of
// it. Every occurrence is in exactly one site. Only its methods set the action
// and the edits.
type Site struct {
	source.Span // in the file as it was read
	Pos         source.Position
	Role        Role
	Ruleset     string
	Rule        string // id; empty when no rule had a say
	Old         string // the old spelling
	New         string // the one it becomes
	Reason      string // id of why it stays or needs review
	Why         string // the same in words
	Hint        string // what to do about what needs review
	In          string // where the hint is a command, the folder that it is for, from the base of the tree; "" for words
	Severe      bool   // an error in the tree, not only something left to do
	Mild        bool   // the target version still serves what is there
	action      Action
	edits       []source.Edit
	claim       string            // kind of the claim that does not hold; empty = none
	fixes       []report.Fix      // only when asked for by Options.Fixes
	also        []source.Position // of an entry: the other places that ask the same question
	apart       []source.Span     // the places of a kind for which alone it needs review
}

// Action is what becomes of the place.
func (s Site) Action() Action { return s.action }

// Edits are those that make New of Old; empty for whatever is not changed. They are not
// to be written to.
func (s Site) Edits() []source.Edit { return s.edits }

// Keep is the site as one that stays. Reason is the id of why.
func (s Site) Keep(reason, why string) Site {
	s.New, s.Reason, s.Why, s.action, s.edits = "", reason, why, Stay, nil
	return s
}

// Leave is the site as one that needs review. Reason is the id of why, and hint
// what to do, "" for nothing in particular.
func (s Site) Leave(reason, why, hint string) Site {
	s.Reason, s.Why, s.Hint, s.In, s.action, s.edits = reason, why, hint, "", NeedsReview, nil
	return s
}

// LeaveTo is Leave with a command for a hint, and the folder from the base of the tree
// that it is for.
func (s Site) LeaveTo(reason, why, dir, command string) Site {
	s = s.Leave(reason, why, command)
	s.In = dir
	return s
}

// positioned are sites in the order of their file, with their positions.
func positioned(data []byte, sites []Site) []Site {
	slices.SortStableFunc(sites, func(x, y Site) int { return x.Start - y.Start })
	walk := text.Positions{Data: data, At: source.Position{Line: 1, Column: 1}}
	for i, s := range sites {
		sites[i].Pos = walk.To(s.Start)
	}
	return sites
}

// withoutMarks leaves out the suppressions that keep something after all.
func withoutMarks(unused []Site, marks []source.Span) []Site {
	return slices.DeleteFunc(slices.Clone(unused), func(s Site) bool { return slices.Contains(marks, s.Span) })
}

// top is the site of a file as a whole.
func (s Site) top() Site {
	s.Pos = source.Position{Line: 1, Column: 1}
	return s
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
