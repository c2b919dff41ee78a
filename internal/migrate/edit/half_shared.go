package edit

import (
	"slices"

	"github.com/project-codeflare/cfctl/internal/source"
)

// A kind, a resource or a version may belong to several groups of a file: the default of an
// argument, a constant, a part beside two of them. Where one of these groups is left, the name
// stays for it, and so do the others.

// A need is a part that moves with a site, or would have to move with one that is left.
type need struct {
	unit             // zero for a site that is left
	at   source.Span // of the part
	near *nearest    // it is no part of the site, which is left for this where it stays; nil = it is one
}

// leaveShared leaves the units to a person whose parts stay for another one, or are needed by
// what is left, until none is.
func (m *halfNet) leaveShared(c *statements) {
	for {
		left := m.halved()
		if c != nil {
			m.usedByLeft(c, left)
		}
		if len(left) == 0 {
			return
		}
		m.leaveUnits(left)
	}
}

// halved are the units that move of which a part does not, or whose part another site needs
// that does not move.
func (m *halfNet) halved() map[unit]nearest {
	left := map[unit]nearest{}
	if len(m.needs) == 0 {
		return left
	}
	moving, of := m.movingUnits()
	for _, n := range m.needs {
		by, moves := of[n.at]
		switch name := string(n.at.Of(m.file)); {
		case n.near != nil && moving[n.unit] && !m.rewrites(n.at):
			left[n.unit] = *n.near
		case n.near != nil:
		case n.group != "" && moving[n.unit] && !moves:
			left[n.unit] = nearest{why: "it would move without " + name + " beside it, which stays"}
		case moves && by.group != "" && !moving[n.unit]:
			left[by] = nearest{why: name + " stands beside another group as well, which stays"}
		}
	}
	delete(left, unit{})
	return left
}

// rewrites says whether what stands at a place is written over.
func (m *halfNet) rewrites(at source.Span) bool {
	return slices.ContainsFunc(m.made, func(o Outcome) bool {
		return o.action == Change && slices.ContainsFunc(o.edits, func(e source.Edit) bool { return e.Start <= at.Start && at.End <= e.End })
	})
}

// movingUnits are the units of which something moves, and those of the places that do.
func (m *halfNet) movingUnits() (moving map[unit]bool, of map[source.Span]unit) {
	moving, of = map[unit]bool{}, map[source.Span]unit{}
	for _, o := range m.made {
		if o.action == Change {
			moving[o.unit], of[o.Span] = true, o.unit
		}
	}
	return moving, of
}

// usedByLeft adds the units of the constants, variables and arguments of source which stand
// beside a group that is left to a person.
func (m *halfNet) usedByLeft(c *statements, left map[unit]nearest) {
	at := map[source.Span]unit{}
	for _, o := range m.made {
		if o.action == Change && o.unit.group != "" && o.Span != o.unit.Span {
			at[o.Span] = o.unit
		}
	}
	if len(at) == 0 {
		return
	}
	for _, o := range m.made {
		if o.action != Person || o.group == "" || !m.renames(o.group) {
			continue
		}
		for _, use := range m.usesAround(c, o) {
			given, ok := c.definitionOf(use)
			if u := at[given]; ok && u.group == o.group {
				left[u] = nearest{why: string(given.Of(m.file)) + " stands beside another group as well, which stays: " + use.name + " stands for it"}
			}
		}
	}
}
