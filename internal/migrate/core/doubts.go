package core

import (
	"path"
	"slices"

	"github.com/project-codeflare/cfctl/internal/migrate/core/judge"
	"github.com/project-codeflare/cfctl/internal/migrate/core/names"
	"github.com/project-codeflare/cfctl/internal/migrate/core/refs"
	"github.com/project-codeflare/cfctl/internal/migrate/rules"
)

// A question is a reference with what the rules make of it: at least one result.
type question struct {
	*Tree
	*ref
	list []result

	apart bool // the kinds that are named apart from it are taken care of
}

// unchanged is the verdict about a reference that is not rewritten, and false for one that
// is. What its place says comes after the doubts whether any rule changes it, and before those
// about its new text.
func (q *question) unchanged() (judge.Verdict, bool) {
	own := q.verdict
	if own.Action() == judge.Keep {
		return own, true
	}
	if reason, why := q.unruled(); reason != nil {
		return judge.Because(reason, why).In(own.Role()), true
	}
	if own.Action() == judge.Review || q.form == names.Pattern {
		return own, true
	}
	if v, keep := q.asWritten(); keep {
		return v.In(own.Role()), true
	}
	if reason, why := q.doubt(); reason != nil {
		return judge.Because(reason, why).In(own.Role()), true
	}
	v, keep := q.ofVersion(q.list[0])
	if keep {
		v = v.In(own.Role())
	}
	return v, keep
}

// asWritten says whether a reference page or a design document names a reference as it was,
// whatever kind it means.
func (q *question) asWritten() (v judge.Verdict, keep bool) {
	for _, x := range q.list {
		if !x.changes() {
			continue
		}
		if x.Outcome != rules.Moves || !q.file.pages && !judge.IsProposal(q.file.Path) {
			return v, false
		}
		if v, keep = q.ofVersion(x); !keep {
			return v, false
		}
	}
	return v, keep
}

// unruled is why no rule changes a reference, nil where one may. What it says is "" for the text of
// the reason itself.
func (q *question) unruled() (reason judge.Reason, why string) {
	if q.crd {
		why := q.unserved()
		switch {
		case why == "":
		case !q.ours[q.known.Group] && judge.IsTestData(q.file.Path): // kubeslice/worker-operator, kubevela/kubevela
			return judge.TestCRD, ""
		default:
			return judge.NotServed, why
		}
	}
	switch {
	case q.form == names.Pattern || q.known.Open && len(q.file.asked) == 0 && q.core.table.Stepped(q.core.filled(*q.known, q.Facts)):
		return nil, ""
	case !q.apart && (q.form == names.Versioned || q.form == names.Bare && q.openKind) && !q.changes() && q.core.kindMatters(q.known.Group, q.known.Versions) && q.leaves() != "":
		return judge.Leaves, q.leaves() + ", which the file names apart from it, gets another name"
	case !q.apart && (q.form == names.Bare || q.form == names.Versioned && !q.text && len(q.known.Kinds) == 0) && q.openKind && !q.changes() && len(q.known.Versions) > 0 && q.core.kindMatters(q.known.Group, q.known.Versions):
		return judge.FilledKind, ""
	case !q.changes() && !q.crd && len(q.known.Kinds)+len(q.known.Plurals) == 0 && len(q.Facts.Kinds(q.known.Group)) > 1:
		return judge.NoRule, "no rule changes it for the kinds of this tree"
	case !q.changes():
		return judge.NoRule, q.list[0].Why
	case q.noVersion():
		return judge.NoVersion, ""
	}
	return nil, ""
}

// doubt is why it is not sure what a reference becomes, nil where it is.
func (q *question) doubt() (reason judge.Reason, why string) {
	a, leaves, old := q.list[0], q.leaves(), q.oldImport(q.file, q.list[0].Rule.From)
	steps := a.To.Version != "" && a.To.Version != a.At.Version
	switch {
	case q.text && !q.core.opts.Off["both-names"] && slices.ContainsFunc(q.list, func(x result) bool { return q.repeats(x) }):
		return judge.BothVersions, ""
	case q.several() && q.known.Open:
		return judge.FilledIn, ""
	case q.several() && q.byVersion():
		return judge.OtherVersions, ""
	case q.several() && q.splits():
		return judge.PackageSplit, q.answers()
	case q.several():
		return judge.Several, q.answers()
	case q.form == names.Hook && q.core.opts.Copied && a.Outcome == rules.Moves && a.To.Group == a.At.Group && a.To.Version != a.At.Version:
		return judge.ServedOld, ""
	case q.form == names.WithKind && !q.isKind(q.ref):
		return judge.NotKind, ""
	case q.openKind && len(q.known.Kinds)+len(q.known.Plurals) == 0 && q.core.kindMatters(q.known.Group, q.known.Versions):
		return judge.FilledKind, ""
	case len(q.core.renamed) > 0 && q.halfway(a.To) != "":
		return judge.Leaves, q.halfway(a.To) + " has its new name, and its group and version are old"
	case leaves != "" && !q.apart:
		return judge.Leaves, "it would change without " + leaves + ", which the file names apart from it"
	case q.known.Open && q.core.table.Stepped(q.core.filled(*q.known, q.Facts)):
		return judge.FilledIn, ""
	case a.Outcome == rules.Removed:
		return judge.Removed, a.Why
	case a.Outcome == rules.Circle:
		return judge.Cycle, ""
	case q.bare && !q.core.opts.Dual && q.converted():
		return judge.Unconverted, ""
	case q.typed && a.To.Version != "" && a.To.Version != q.known.Versions[0] && !q.importsOwn(q.file, q.known.Versions[0]):
		return judge.TypedLiteral, ""
	case old != "" && !q.text:
		return judge.OldImport, "the Go package of its folder imports " + old
	case q.unshaped != "" && steps && len(q.known.Kinds) == 0:
		return judge.Unconverted, q.unshaped + " has another shape in its new version, and no kind is named here"
	case q.unshaped != "" && steps:
		return judge.Unconverted, q.unshaped + " has another shape in its new version, which cfctl does not write here"
	case q.lacking(a.To) != "":
		return judge.MissingField, "its new version has no field " + q.lacking(a.To) + ", by the CRD of this tree"
	case q.file.Format == "go" && q.repeats(a):
		return judge.BothNames, ""
	}
	return nil, ""
}

// changes says whether the rules make something else of a reference in any of its meanings.
func (q *question) changes() bool { return slices.ContainsFunc(q.list, result.changes) }

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
	switch {
	case len(q.known.Kinds)+len(q.known.Plurals) > 1:
		return why("it is about more than one kind: ", q.list)
	case q.splits():
		return why("the kinds of its Go package do not move together: ", q.list)
	}
	return why("it names no kind: ", q.list)
}

// splits says whether a reference is in a Go package that registers several kinds, which it is about.
func (q *question) splits() bool {
	return q.file.Format == "go" && q.core.asks(*q.ref) && len(q.registered[path.Dir(q.file.Path)]) > 1
}

// converted says whether the objects of the one kind and version that are known have another
// shape in the version that they become.
func (q *question) converted() bool {
	return len(q.known.Kinds) == 1 && len(q.known.Versions) == 1 &&
		len(q.core.table.Shapes(rules.GVK{Group: q.known.Group, Version: q.known.Versions[0], Kind: q.known.Kinds[0]})) > 0
}

// partsKept are the other places that name the group of a reference that is not rewritten and,
// where it needs review, a kind of it that gets another name elsewhere.
func (q *question) partsKept(review bool) []Site {
	var sites []Site
	for _, p := range q.parts {
		if p.lone && (p.what == refs.Group && q.core.regroups(q.known.Group) || review && (p.what == refs.Version && q.file.Format == "go" && q.core.regroups(q.known.Group) || q.core.renamed[p.text] != nil)) {
			sites = append(sites, Site{Span: p.Span, Verdict: judge.Because(judge.WithObject, "").In(roleOf(p.what, q.crd)), Old: p.text})
		}
	}
	return sites
}
