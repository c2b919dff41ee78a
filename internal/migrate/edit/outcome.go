package edit

import (
	"cmp"
	"slices"
	"strings"

	"github.com/project-codeflare/cfctl/internal/migrate/find"
	"github.com/project-codeflare/cfctl/internal/migrate/rules"
	"github.com/project-codeflare/cfctl/internal/migrate/text"

	"github.com/project-codeflare/cfctl/internal/source"
)

// An Action is what becomes of a site.
type Action string

// The actions. One that waits is decided by Settle, when the whole tree is known.
const (
	Change Action = "change" // rewritten
	Stay   Action = "keep"   // looks like one of the groups, and is not or must not move
	Person Action = "person" // a person must decide or do something
	Wait   Action = "wait"   // another file says
)

// An Outcome is one place where a name of the rules stands, with what becomes of
// it. Write, Keep, Leave and their like make another one of it; its action and
// its edits are set nowhere else.
type Outcome struct {
	source.Span // in the file as it was read
	Role        find.Role
	Ruleset     string
	Rule        string // id; empty when no rule had a say
	Old         string // the spelling that stands there
	New         string // the one it becomes
	Reason      string // id of why it stays or is left to a person, for whoever counts
	Why         string // the same in words
	Hint        string // what to do, for a person
	In          string // where the hint is a command, the folder that it is for, from the base of the tree; "" for words
	Severe      bool   // an error in the tree, not only something left to do
	action      Action
	edits       []source.Edit
	waiting     *wait  // what else in the tree it depends on; nil = nothing
	waited      bool   // another file had a say, which a proof of its own file did not see
	guard       string // id of the guard that keeps it, "" for any other reason
	unruled     bool   // it stays because no rule knows its version or kind
	structural  bool   // its edits change more than scalars
	group       string // of the name
	unit        unit   // with what it moves; zero for what moves alone
	typed       string // group of the typed client that it calls
	made        bool   // a generated file calls it
	granted     string // group of a permission that goes because the new one is granted beside it
	imported    string // path of the package that it imports
	stepped     bool   // that package is a version which becomes another one
	anchor      bool   // a link to an anchor of a reference
}

// Action is what becomes of the place.
func (o Outcome) Action() Action { return o.action }

// Edits are those that make New of Old; empty where another outcome has them,
// and for whatever is not changed. They are not to be written to.
func (o Outcome) Edits() []source.Edit { return o.edits }

// Unruled says whether it stays because no rule knows its version or kind.
func (o Outcome) Unruled() bool { return o.unruled }

// Guard is the id of the guard that keeps it, "" for any other reason.
func (o Outcome) Guard() string { return o.guard }

// Told is the kind or resource that the place tells, "" for one that stays.
func (o Outcome) Told() string { return o.unit.told }

// MovesWith is the place of the group with which it moves, empty for what moves alone.
func (o Outcome) MovesWith() source.Span { return o.unit.Span }

// Of is the group of a place, and the version that tells which: of the site with which it
// moves, else as it is spelled.
func (o Outcome) Of() (group, version string) {
	if o.unit.group != "" {
		return o.unit.group, o.unit.version
	}
	group, version, _ = strings.Cut(o.Old, "/")
	return group, version
}

// Anchors says whether it is a part of a link to an anchor of a reference.
func (o Outcome) Anchors() bool { return o.anchor }

// Waits says whether what else is in the tree decides it, the names of files aside.
func (o Outcome) Waits() bool { return o.waiting != nil && o.waiting.file == "" }

// Waited says whether another file had a say in it.
func (o Outcome) Waited() bool { return o.waited }

// as is the outcome with an action.
func (o Outcome) as(a Action, edits []source.Edit) Outcome {
	o.action, o.edits = a, edits
	return o
}

// Write is the outcome of a place that edits rewrite.
func (o Outcome) Write(edits ...source.Edit) Outcome { return o.as(Change, edits) }

// Keep is the outcome of a place that stays. Reason is the id of why.
func (o Outcome) Keep(reason, why string) Outcome {
	o.New, o.Reason, o.Why, o.waiting = "", reason, why, nil
	return o.as(Stay, nil)
}

// Leave is the outcome of a place that is left to a person. Reason is the id of
// why, and hint what to do, "" for nothing in particular.
func (o Outcome) Leave(reason, why, hint string) Outcome {
	o.Reason, o.Why, o.Hint, o.In, o.waiting = reason, why, hint, "", nil
	return o.as(Person, nil)
}

// LeaveTo is Leave with a command for a hint, and the folder from the base of the tree
// that it is for.
func (o Outcome) LeaveTo(reason, why, dir, command string) Outcome {
	o = o.Leave(reason, why, command)
	o.In = dir
	return o
}

// Borne is the outcome of a place whose edits another outcome has.
func (o Outcome) Borne() Outcome { return o.as(o.action, nil) }

// Respell is the outcome of a place of a file that becomes what New says.
func (o Outcome) Respell(data []byte) Outcome {
	d := draft{Outcome: o}
	d.part(text.Whole(data), o.Span, o.Old, o.New)
	return d.done()
}

// Whole is the outcome of a place that edits rewrite which change more than
// scalars.
func (o Outcome) Whole(edits []source.Edit) Outcome {
	o.structural = true
	return o.as(Change, edits)
}

// await is the outcome of a place of which other files say what becomes of it.
func (o Outcome) await(w wait) Outcome {
	o.waiting = &w
	return o.as(Wait, nil)
}

// unwritable is the outcome of a place whose new spelling cannot be written there.
func (o Outcome) unwritable(fresh string) Outcome {
	o.New = ""
	return o.Leave("spelling", "becomes "+strings.Join(strings.Fields(fresh), " ")+", which cfctl cannot write in this string", "write it by hand")
}

// by is the outcome with the rule that made it.
func (o Outcome) by(r rules.Rule) Outcome {
	o.Rule, o.Ruleset = r.ID, r.Set
	return o
}

// A draft is an outcome of which the edits are being made.
type draft struct {
	Outcome
	parts  []source.Edit
	failed *string // the text that cannot be written, where there is one
}

// part adds the edit that makes fresh of a span of the view, which holds old.
func (d *draft) part(v *text.View, span source.Span, old, fresh string) {
	if old == fresh {
		return
	}
	e, err := v.Edit(span, old, fresh)
	if err != nil {
		d.failed = &fresh
		return
	}
	d.parts = append(d.parts, e)
}

// done is the outcome of a draft: a person's, where a part of it cannot be written.
func (d *draft) done() Outcome {
	if d.failed != nil {
		return d.unwritable(*d.failed)
	}
	return d.Write(d.parts...)
}

// WithoutCovered sorts edits and leaves out those that are there already, or
// whose place is inside of another one.
func WithoutCovered(edits []source.Edit) []source.Edit {
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
