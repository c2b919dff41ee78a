package core

import (
	"slices"

	"github.com/project-codeflare/cfctl/internal/migrate/core/judge"
	"github.com/project-codeflare/cfctl/internal/migrate/core/names"
	"github.com/project-codeflare/cfctl/internal/migrate/rules"
)

// A question is a reference with what the rules make of it: at least one result.
type question struct {
	*ref
	list []result
}

// A doubt is one reason not to rewrite a reference. It says why, "" for the text of the
// reason itself, and whether it holds.
type doubt struct {
	reason judge.Reason
	holds  func(t *Tree, q *question) (why string, holds bool)
}

// unchanged is the verdict about a reference that is not rewritten, and false for one that
// is. What its place says comes after the doubts whether any rule changes it, and before those
// about its new text.
func (t *Tree) unchanged(q *question) (judge.Verdict, bool) {
	own := q.verdict
	if own.Action() == judge.Keep {
		return own, true
	}
	if v, holds := t.first(whetherRuled, q); holds {
		return v, true
	}
	if own.Action() == judge.Review || q.form == names.Pattern {
		return own, true
	}
	if v, keep := t.asWritten(q); keep {
		return v.In(own.Role()), true
	}
	if v, holds := t.first(whatBecomes, q); holds {
		return v, true
	}
	v, keep := t.ofVersion(q.ref, q.list[0])
	if keep {
		v = v.In(own.Role())
	}
	return v, keep
}

// asWritten says whether a reference page or a design document names a reference as it was,
// whatever kind it means.
func (t *Tree) asWritten(q *question) (v judge.Verdict, keep bool) {
	for _, x := range q.list {
		if !x.changes() {
			continue
		}
		if x.Outcome != rules.Moves || !q.file.pages && !judge.IsProposal(q.file.Path) {
			return v, false
		}
		if v, keep = t.ofVersion(q.ref, x); !keep {
			return v, false
		}
	}
	return v, keep
}

// first is the verdict of the first doubt that holds.
func (t *Tree) first(doubts []doubt, q *question) (judge.Verdict, bool) {
	for _, d := range doubts {
		if why, holds := d.holds(t, q); holds {
			return judge.Because(d.reason, why).In(q.verdict.Role()), true
		}
	}
	return judge.Verdict{}, false
}

// whetherRuled are the doubts whether any rule changes a reference.
var whetherRuled = []doubt{
	{judge.NotServed, func(t *Tree, q *question) (string, bool) {
		if !q.crd {
			return "", false
		}
		version := t.unserved(q.ref)
		return version, version != ""
	}},
	{judge.NoRule, func(t *Tree, q *question) (string, bool) {
		return "no rule changes what it matches", q.form == names.Pattern && !t.patternChanges(q.ref)
	}},
	{judge.Leaves, func(t *Tree, q *question) (string, bool) {
		if q.form != names.Versioned || q.changes() || !t.core.kindMatters(q.known.Group) {
			return "", false
		}
		kind := t.leaves(q.ref)
		return "a kind that changes, " + kind + ", is named apart from it", kind != ""
	}},
	{judge.NoRule, func(_ *Tree, q *question) (string, bool) {
		return q.list[0].Why, q.form != names.Pattern && !q.changes()
	}},
	{judge.NoVersion, func(t *Tree, q *question) (string, bool) {
		return "", q.form != names.Pattern && t.noVersion(q.ref)
	}},
}

// whatBecomes are the doubts about the new text of a reference.
var whatBecomes = []doubt{
	{judge.BothVersions, func(t *Tree, q *question) (string, bool) {
		return "", q.text && !t.core.opts.Off["both-names"] && slices.ContainsFunc(q.list, func(x result) bool { return t.repeats(q.ref, x) })
	}},
	{judge.NoRule, func(t *Tree, q *question) (string, bool) {
		return "its group is not renamed, and nothing else of the API is named here", !t.core.regroups(q.known.Group) && t.groupAlone(q.ref)
	}},
	{judge.Leaves, func(t *Tree, q *question) (string, bool) {
		kind := t.leaves(q.ref)
		return "a kind that changes, " + kind + ", is named apart from it", kind != "" && q.kindless()
	}},
	{judge.NoKind, func(_ *Tree, q *question) (string, bool) { return "", q.kindless() }},
	{judge.FilledIn, func(_ *Tree, q *question) (string, bool) { return "", q.several() && q.known.Open }},
	{judge.OtherVersions, func(_ *Tree, q *question) (string, bool) { return "", q.several() && q.byVersion() }},
	{judge.Several, func(_ *Tree, q *question) (string, bool) {
		if !q.several() {
			return "", false
		}
		return q.answers(), true
	}},
	{judge.ServedOld, func(t *Tree, q *question) (string, bool) {
		a := q.list[0]
		return "", q.form == names.Hook && t.core.opts.Copied && a.Outcome == rules.Moves && a.To.Version != a.At.Version
	}},
	{judge.NotKind, func(t *Tree, q *question) (string, bool) {
		return "", q.form == names.WithKind && !t.isKind(q.ref)
	}},
	{judge.FilledKind, func(t *Tree, q *question) (string, bool) {
		return "", q.openKind && len(q.known.Kinds)+len(q.known.Plurals) == 0 && t.core.kindMatters(q.known.Group)
	}},
	{judge.Leaves, func(t *Tree, q *question) (string, bool) {
		kind := t.halfway(q.ref, q.list[0].To)
		return kind + " has its new name, and its group and version are old", kind != ""
	}},
	{judge.Leaves, func(t *Tree, q *question) (string, bool) {
		kind := t.leaves(q.ref)
		return "it would change without " + kind + ", which the file names apart from it", kind != ""
	}},
	{judge.FilledIn, func(_ *Tree, q *question) (string, bool) {
		a := q.list[0]
		return "", q.known.Open && a.Outcome == rules.Moves && a.Rule.To.Version != a.Rule.From.Version
	}},
	{judge.Removed, func(_ *Tree, q *question) (string, bool) {
		return q.list[0].Why, q.list[0].Outcome == rules.Removed
	}},
	{judge.Cycle, func(_ *Tree, q *question) (string, bool) { return "", q.list[0].Outcome == rules.Circle }},
	{judge.Unconverted, func(t *Tree, q *question) (string, bool) {
		return "", q.bare && !t.core.opts.Dual && t.converted(*q.known)
	}},
	{judge.TypedLiteral, func(t *Tree, q *question) (string, bool) {
		to := q.list[0].To.Version
		return "", q.typed && to != "" && to != q.known.Versions[0] && !t.importsOwn(q.file, q.known.Versions[0])
	}},
	{judge.OldImport, func(t *Tree, q *question) (string, bool) {
		old := t.oldImport(q.file, q.list[0].Rule.From)
		return "the Go package of its folder imports " + old, old != "" && !q.text
	}},
	{judge.Unconverted, func(_ *Tree, q *question) (string, bool) {
		why := q.unshaped + " has another shape in its new version, which cfctl does not write here"
		if len(q.known.Kinds) == 0 {
			why = q.unshaped + " has another shape in its new version, and no kind is named here"
		}
		a := q.list[0]
		return why, q.unshaped != "" && a.To.Version != "" && a.To.Version != a.At.Version
	}},
	{judge.MissingField, func(t *Tree, q *question) (string, bool) {
		field := t.lacking(q.ref, q.list[0].To)
		return "its new version has no field " + field + ", by the CRD of this tree", field != ""
	}},
	{judge.BothNames, func(t *Tree, q *question) (string, bool) {
		return "", q.file.Format == "go" && t.repeats(q.ref, q.list[0])
	}},
}

// changes says whether the rules make something else of a reference in any of its meanings.
func (q *question) changes() bool { return slices.ContainsFunc(q.list, result.changes) }

// kindless says whether an object has no kind, and it depends on the kind whether it changes.
func (q *question) kindless() bool {
	return len(q.list) > 1 && q.nokind && slices.ContainsFunc(q.list, func(x result) bool { return !x.changes() })
}

// several says whether the rules answer in more than one way.
func (q *question) several() bool {
	return len(q.list) > 1 || q.list[0].Outcome == rules.Ambiguous
}

// byVersion says whether the answers differ because the reference does not say of which
// version it is.
func (q *question) byVersion() bool {
	if len(q.list) < 2 {
		return false
	}
	a, b := q.list[0].At, q.list[1].At
	return a.Kind == b.Kind && a.Plural == b.Plural && a.Version != b.Version
}

// answers says what the answers depend on.
func (q *question) answers() string {
	if len(q.known.Kinds)+len(q.known.Plurals) > 1 {
		return why("it is about more than one kind: ", q.list)
	}
	return why("it names no kind: ", q.list)
}

// converted says whether the objects of the one kind and version that are known have another
// shape in the version that they become.
func (t *Tree) converted(k rules.Known) bool {
	return len(k.Kinds) == 1 && len(k.Versions) == 1 &&
		len(t.core.table.Shapes(rules.GVK{Group: k.Group, Version: k.Versions[0], Kind: k.Kinds[0]})) > 0
}
