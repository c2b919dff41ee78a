package core

import (
	"bytes"
	"cmp"
	"maps"
	"slices"
	"strings"

	"github.com/project-codeflare/cfctl/internal/lazyregexp"
	"github.com/project-codeflare/cfctl/internal/migrate/core/index"
	"github.com/project-codeflare/cfctl/internal/migrate/core/judge"
	"github.com/project-codeflare/cfctl/internal/migrate/core/names"
	"github.com/project-codeflare/cfctl/internal/migrate/core/refs"
	"github.com/project-codeflare/cfctl/internal/migrate/rules"
	"github.com/project-codeflare/cfctl/internal/migrate/text"
	"github.com/project-codeflare/cfctl/internal/source"
)

// isKind says whether what a reference has behind the group may be a kind: the
// tree defines no kind of the group and had none, or this one.
func (t *Tree) isKind(r *ref) bool {
	kinds := t.Facts.Kinds(r.known.Group)
	if len(kinds) == 0 {
		kinds = t.Facts.Left(r.known.Group)
	}
	return len(kinds) == 0 || !slices.ContainsFunc(r.known.Kinds, func(k string) bool {
		return !slices.Contains(kinds, strings.TrimSuffix(k, "List")) && !slices.Contains(t.core.table.RulesOf(r.known.Group).Kinds(), k)
	})
}

// forgetGuesses forgets the kinds and resources of a reference that may be other words, where neither
// the rules nor the tree know one of them.
func (t *Tree) forgetGuesses(r *ref) {
	if !r.openKind {
		return
	}
	list, known := t.core.table.RulesOf(r.known.Group), t.Facts.Kinds(r.known.Group)
	if !slices.ContainsFunc(r.known.Kinds, func(k string) bool { return slices.Contains(known, k) || slices.Contains(list.Kinds(), k) }) &&
		!slices.ContainsFunc(r.known.Plurals, func(p string) bool {
			return t.core.kindNamed(r.known.Group, p, t.Facts) != "" || list.Renamed(rules.GVK{Group: r.known.Group, Plural: p})
		}) {
		r.known.Kinds, r.known.Plurals = nil, nil
	}
}

// noVersion says whether text has a version behind the group that neither a rule nor
// the tree knows, although rules name others.
func (q *question) noVersion() bool {
	if !q.text || q.form != names.Versioned || len(q.known.Versions) != 1 || !q.core.table.Versioned(q.known.Group) {
		return false
	}
	group, version := q.known.Group, q.known.Versions[0]
	if slices.Contains(q.Facts.Versions(group, ""), version) || q.Facts.LeftWith(group, "", version) {
		return false
	}
	return !slices.ContainsFunc(q.core.table.RulesOf(q.known.Group), func(x rules.Rule) bool {
		return x.From.Version == q.known.Versions[0] || x.To.Version == q.known.Versions[0]
	})
}

// left are the versions that a kind had by the rules, where the tree has what they made of it.
func (m *meaning) left(group, kind string, facts *index.Facts) (versions []string) {
	for _, x := range m.table.RulesOf(group) {
		if x.From.Version != "" && (x.From.Kind == "" || x.From.Kind == kind) && facts.LeftWith(group, x.From.Kind, x.To.Version) {
			versions = append(versions, x.From.Version)
		}
	}
	return versions
}

// stepped are the kinds whose version changes by a rule of their own, although a rule
// covers the whole group.
func (m *meaning) stepped(k rules.Known) []string {
	var kinds []string
	for _, x := range m.table.RulesOf(k.Group) {
		if x.From.Kind != "" && x.From.Version != x.To.Version && slices.Contains(k.Versions, x.From.Version) {
			kinds = append(kinds, x.From.Kind)
		}
	}
	return kinds
}

// regroups says whether a rule moves something of a group to another one.
func (m *meaning) regroups(group string) bool {
	return slices.ContainsFunc(m.table.RulesOf(group), func(x rules.Rule) bool { return x.To.Group != "" && x.To.Group != x.From.Group })
}

// kindMatters says whether it depends on the kind what becomes of a group in one of these versions,
// or in any where none is named.
func (m *meaning) kindMatters(group string, versions []string) bool {
	whole := m.table.RulesOf(group).Whole()
	return slices.ContainsFunc(m.table.RulesOf(group), func(x rules.Rule) bool {
		to := m.table.Ask(x.From).To.Kind
		return (x.From.Version == "" || len(versions) == 0 || slices.Contains(versions, x.From.Version)) && (!whole || x.From.Kind != "" && to != "" && to != x.From.Kind)
	})
}

// leaves is a kind or resource that gets another name and would be left behind:
// the file names it apart from a reference that names no kind.
func (q *question) leaves() string {
	if q.text && !q.bare && !q.openKind || q.crd {
		return ""
	}
	kinds, apart := q.known.Kinds, []refs.What{refs.Group, refs.Version}
	if q.file.Format == "rust" && q.form == names.Bare && len(q.known.Plurals) == 1 { // a macro takes the kind from the type below it
		kinds, apart = []string{q.core.kindNamed(q.known.Group, q.known.Plurals[0], q.Facts)}, append(apart, refs.Plural)
	}
	for _, kind := range kinds { // as the name of a class tells
		if q.ask(rules.GVK{Group: q.known.Group, Kind: kind}).Kind != kind && !slices.ContainsFunc(q.parts, func(p part) bool { return !slices.Contains(apart, p.what) }) {
			return kind
		}
	}
	if len(q.known.Kinds)+len(q.known.Plurals) > 0 || q.form != names.Bare && q.form != names.Versioned && q.form != names.REST && q.verdict.ID() != "api-prefix" {
		return ""
	}
	return q.file.loose[q.known.Group].name
}

// halfway is a kind that has its new name already, next to its old group or version: the
// rule of its old name makes something else of these than the rules make here.
func (q *question) halfway(to rules.GVK) string {
	list := q.core.table.RulesOf(q.known.Group)
	for _, kind := range q.core.filled(q.inPackage(q.ref), q.Facts).Kinds {
		moves := slices.ContainsFunc(list, func(x rules.Rule) bool { return x.From.Kind == kind })
		if !moves && slices.ContainsFunc(list, func(x rules.Rule) bool {
			of := x.From.Version == "" || len(q.known.Versions) == 0 || x.From.Version == q.known.Versions[0]
			return of && x.To.Kind == kind && (x.To.Group != "" && x.To.Group != to.Group || x.To.Version != "" && x.To.Version != to.Version)
		}) {
			return kind
		}
	}
	return ""
}

// kindNamed is the kind of a name in a group, by the tree or the rules; "" for none. A kind of which
// the tree has no CRD has the usual plural.
func (m *meaning) kindNamed(group, name string, facts *index.Facts) string {
	return cmp.Or(facts.KindNamed(group, name), m.table.RulesOf(group).KindNamed(name), facts.Usual(group, name))
}

// isResource says whether what is in front of a group is a resource of it: its
// plural anywhere, as a rule of permissions has it, too, its singular name in a command or next to its kind.
func (t *Tree) isResource(r *ref) bool {
	kind := t.core.kindNamed(r.known.Group, r.resource, t.Facts)
	return t.granted[r.name()] || kind != "" && (r.command || t.crds[r.name()] || r.resource != strings.ToLower(kind) || slices.Equal(r.known.Kinds, []string{kind})) || r.operand && t.core.table.RulesOf(r.known.Group).Whole() ||
		len(r.known.Versions) == 1 && strings.HasPrefix(r.ownText, r.resource+"."+r.known.Versions[0]+".") // no key has a version in it
}

// endsInResource says whether a longer name ends with that of a resource or kind of the tree and its
// group, as the names of schemas of kcp do: today.widgets.example.com.
func (t *Tree) endsInResource(r *ref) bool {
	name, ok := strings.CutSuffix(r.name(), "."+r.known.Group)
	plural := name[strings.LastIndexByte(name, '.')+1:]
	kind := t.core.kindNamed(r.known.Group, strings.ToLower(plural), t.Facts)
	return ok && t.core.regroups(r.known.Group) && kind != "" && plural != strings.ToLower(kind)
}

// noResource is the verdict about WORD.GROUP where the tree has no such resource: the singular
// of a kind that is renamed, or in a message about an object, needs review.
func (t *Tree) noResource(r *ref) judge.Verdict {
	kind := t.core.kindNamed(r.known.Group, r.resource, t.Facts)
	if kind != "" && r.verdict.ID() == judge.OfResource.ID {
		return r.verdict
	}
	if r.form == names.Resource && r.resource == strings.ToLower(kind) {
		if to := t.ask(rules.GVK{Group: r.known.Group, Kind: kind}).Kind; to != kind {
			return judge.Because(judge.SingularName, "it is spelled like the key of a label and like the singular of "+kind+", which becomes "+to)
		}
	}
	return judge.Because(judge.NotResource, "")
}

// A looseKind is a kind or resource that no reference of a file has as a part.
type looseKind struct {
	name   string
	places []source.Span // of this name and of others of its group
}

// loose are the kinds and resources that no reference of a file has as a part.
func (c *fileReader) loose(read *refs.File) map[string]looseKind {
	if len(c.lost) == 0 {
		return nil
	}
	parts := map[int]bool{}
	seen := map[*refs.Rule]bool{}
	for _, r := range read.Refs {
		for _, p := range r.Parts {
			parts[p.Start] = true
		}
		if r.Rule != nil && !seen[r.Rule] {
			seen[r.Rule] = true
			for _, n := range r.Rule.Resources {
				parts[n.View.Offset(n.Start)] = true
			}
		}
	}
	list := map[string]looseKind{}
	add := func(g, name string, at int) {
		x := list[g]
		list[g] = looseKind{cmp.Or(x.name, name), append(x.places, source.Span{Start: at, End: at + len(name)})}
	}
	for _, x := range read.Kinds {
		for _, g := range x.Groups {
			if !parts[x.Start] {
				add(g, x.Text, x.Start)
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(c.lost)) { // what is not read: documents without the group, actions of templates
		for at := range source.All(c.data, name) {
			if parts[at] || !isAlone(c.data, at, at+len(name)) {
				continue
			}
			for _, g := range c.lost[name] {
				add(g, name, at)
				x := list[g]
				x.name = min(x.name, name)
				list[g] = x
			}
		}
	}
	return list
}

// joined is what is behind a resource that text joins to a group, which a constant or a variable has.
var joined = lazyregexp.New("^\\.(?:v[1-9]\\w*\\.)?[\"'`$%{(\\\\]")

// isAlone says whether a text is all of a quoted string, a resource that is joined to a group or ends a
// path of one, or the kind of an object: no other word is behind that on its line.
func isAlone(data []byte, from, to int) bool {
	behind := data[to:min(len(data), to+40)]
	if from > 0 && len(behind) > 0 && data[from-1] == behind[0] && strings.IndexByte("\"'`", behind[0]) >= 0 {
		return true
	}
	before, starts := data[max(0, from-maxPath):from], from == 0 || !text.IsWordByte(data[from-1])
	if joined.Match(behind) && starts || bytes.HasSuffix(before, []byte("/")) && bytes.Contains(before[bytes.LastIndexByte(before, '\n')+1:], []byte("apis/")) {
		return true
	}
	rest := bytes.TrimLeft(behind, " \t\r")
	return refs.BehindKind(data, from) && (len(rest) == 0 || rest[0] != '.' && !text.IsWordByte(rest[0]))
}

// maxPath is how far before a resource the begin of its path is looked for.
const maxPath = 200

// isOther says whether a group and what is in front of it are another group of the tree,
// and no resource that a rule names or a CRD of the tree defines.
func (t *Tree) isOther(r *ref) bool {
	return t.others[r.name()] && !t.crds[r.name()] && t.core.table.RulesOf(r.known.Group).KindNamed(r.resource) == ""
}

// isHook gives what says the name of a webhook the parts that this name has: its kind, too. One with
// escapes stays as it is.
func (r *ref) isHook(hook *ref) {
	if r.own.Len() != hook.own.Len() {
		return
	}
	r.known, r.parts = hook.known, nil
	for _, p := range hook.parts {
		if hook.own.Start <= p.Start && p.End <= hook.own.End {
			p.Span = source.Span{Start: p.Start - hook.own.Start + r.own.Start, End: p.End - hook.own.Start + r.own.Start}
			r.parts = append(r.parts, p)
		}
	}
}
