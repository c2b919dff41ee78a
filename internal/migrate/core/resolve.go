package core

import (
	"cmp"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/project-codeflare/cfctl/internal/migrate/core/index"
	"github.com/project-codeflare/cfctl/internal/migrate/core/judge"
	"github.com/project-codeflare/cfctl/internal/migrate/core/names"
	"github.com/project-codeflare/cfctl/internal/migrate/core/refs"
	"github.com/project-codeflare/cfctl/internal/migrate/rules"
	"github.com/project-codeflare/cfctl/internal/source"
)

// A Tree is what the files of a tree say together.
type Tree struct {
	core       *Core
	Facts      *index.Facts
	around     func(f *File, base string) ([]byte, bool)
	ignored    func(f *File, base string) bool
	renames    map[string]string // base names of files that get another one
	schemas    map[rules.GVK]*schema
	goDirs     map[string]bool     // folders with Go files
	moved      map[string]bool     // paths of files that get another name
	named      map[string][]string // the folders that have a folder with the name of a group, by the group
	crds       map[string]bool     // the names of the CRDs of the tree
	others     map[string]bool     // groups of the tree that are longer names of groups of the rules
	stay       map[string][]string // the last elements of the folders of files that keep such a name
	registered map[string][]string // kinds that Go packages register, by their folders
}

// Resolve decides about all references of the files. Around reads a file by its
// path from the folder of another one, and ignored says whether git ignores it; registered are the
// kinds that Go packages register, by folder.
func (c *Core) Resolve(files []*File, registered map[string][]string, around func(f *File, base string) ([]byte, bool), ignored func(f *File, base string) bool) *Tree {
	t := &Tree{core: c, Facts: index.New(), around: around, ignored: ignored, renames: map[string]string{}, moved: map[string]bool{}, stay: map[string][]string{}, named: map[string][]string{}, crds: map[string]bool{}, others: map[string]bool{}, schemas: map[rules.GVK]*schema{}, goDirs: map[string]bool{}, registered: registered}
	for _, f := range files {
		if f.Format == "go" {
			t.goDirs[path.Dir(f.Path)] = true
		}
		t.folders(f.Path)
		for _, r := range f.refs {
			switch r.verdict.ID() {
			case "longer-group":
				t.others[r.name()] = true
			case "crd-name":
				t.crds[r.name()] = true
			}
		}
		t.Facts.Add(f.facts)
		maps.Copy(t.schemas, f.schemas)
	}
	taken := map[string]*File{}
	for _, f := range files {
		t.rename(f, taken)
	}
	for _, f := range files {
		t.moved[f.Path] = f.To != f.Path || f.twin != "" || f.Drop
		if base := baseOf(f.Path); t.renames[base] != "" && f.To == f.Path && !f.Drop && f.twin == "" {
			t.stay[base] = append(t.stay[base], baseOf(path.Dir(f.Path)))
		}
	}
	for _, f := range files {
		if !f.Outside {
			t.file(f)
		}
		if !c.opts.Dual {
			f.refs, f.facts, f.said = nil, nil, nil // not needed any more
		}
	}
	for _, f := range files {
		f.tellBuilt()
	}
	return t
}

// answer is the one answer of the rules to what is known of a reference and of
// the tree; false where there are several.
func (c *Core) answer(k rules.Known, facts *index.Facts) (rules.Answer, bool) {
	list := c.answers(k, facts)
	if len(list) == 1 {
		return list[0], list[0].Outcome != rules.Ambiguous
	}
	return rules.Answer{Outcome: rules.Ambiguous}, false
}

// answers fills in from the tree what a reference does not name, and asks the rules.
func (c *Core) answers(k rules.Known, facts *index.Facts) []rules.Answer {
	k = c.filled(k, facts)
	if len(k.Kinds)+len(k.Plurals) == 0 && len(k.Versions) > 0 && c.table.Whole(k.Group) {
		k.Kinds = append([]string{""}, c.stepped(k)...)
	}
	return c.table.Answers(k)
}

// filled is what is known of a reference and of the tree.
func (c *Core) filled(k rules.Known, facts *index.Facts) rules.Known {
	if len(k.Kinds) == 0 && len(k.Plurals) > 0 {
		var unknown []string
		for _, p := range k.Plurals {
			if kind := c.kindNamed(k.Group, p, facts); kind != "" {
				k.Kinds = append(slices.Clone(k.Kinds), kind)
			} else {
				unknown = append(unknown, p)
			}
		}
		k.Plurals = unknown
	}
	if len(k.Kinds) == 0 && len(k.Plurals) == 0 {
		k.Kinds = facts.Kinds(k.Group)
		if len(k.Versions) == 1 && !facts.Owned(k.Group) && !facts.Shows(k.Group, k.Versions[0]) && !slices.ContainsFunc(k.Kinds, func(kind string) bool {
			return c.table.Ask(rules.GVK{Group: k.Group, Version: k.Versions[0], Kind: kind}).Ruled()
		}) {
			k.Kinds = nil // the tree shows others, of a group that it does not own
		}
	}
	if len(k.Versions) == 0 && c.table.Versioned(k.Group) {
		if len(k.Kinds) == 0 || len(k.Plurals) > 0 {
			k.Versions = facts.Versions(k.Group, "")
		}
		for _, kind := range k.Kinds {
			for _, v := range facts.Versions(k.Group, kind) {
				if !slices.Contains(k.Versions, v) {
					k.Versions = append(k.Versions, v)
				}
			}
		}
		k.Open = false
	}
	return k
}

// stepped are the kinds whose version changes by a rule of their own, although a rule
// covers the whole group.
func (c *Core) stepped(k rules.Known) []string {
	var kinds []string
	for _, x := range c.table.RulesOf(k.Group) {
		if x.From.Kind != "" && x.From.Version != x.To.Version && slices.Contains(k.Versions, x.From.Version) {
			kinds = append(kinds, x.From.Kind)
		}
	}
	return kinds
}

// sites are what becomes of a reference.
func (t *Tree) sites(r *ref) []Site {
	if r.byHand {
		return t.keptSites(r)
	}
	if r.grant != nil {
		if r.shared && t.core.kindMatters(r.known.Group) {
			r.verdict = judge.Because(judge.SharedRule, "").In(r.verdict.Role())
		} else {
			return t.grantSites(r)
		}
	}
	switch {
	case r.resource != "" && t.isOther(r):
		r.verdict = judge.Because(judge.LongerGroup, "")
	case r.resource != "" && !t.isResource(r):
		r.verdict = judge.Because(judge.NotResource, "")
		if kind := t.core.kindNamed(r.known.Group, r.resource, t.Facts); r.form == names.Resource && r.resource == strings.ToLower(kind) {
			if to := t.ask(rules.GVK{Group: r.known.Group, Kind: kind}).Kind; to != kind {
				r.verdict = judge.Because(judge.SingularName, "it is spelled like the key of a label and like the singular of "+kind+", which becomes "+to)
			}
		}
	}
	if r.verdict.Action() == judge.Rewrite && t.isFolder(r) {
		r.verdict = judge.Because(judge.Folder, "")
	}
	if key := r.verdict.ID(); key == "moved-key" {
		return t.moveKey(r)
	}
	if r.verdict.ID() == "crd-file" {
		return t.fileName(r)
	}
	list := t.results(r)
	v := r.verdict
	regrouped, halfway := t.core.regroups(r.known.Group), ""
	if v.Action() == judge.Rewrite && len(list) == 1 {
		halfway = t.halfway(r, list[0].To)
	}
	switch {
	case v.Action() == judge.Keep:
	case r.crd && t.unserved(r) != "":
		v = judge.Because(judge.NotServed, t.unserved(r)).In(v.Role())
	case r.form == names.Pattern && !t.patternChanges(r):
		v = judge.Because(judge.NoRule, "no rule changes what it matches").In(v.Role())
	case r.form == names.Pattern:
	case r.form == names.Versioned && !slices.ContainsFunc(list, result.changes) && t.core.kindMatters(r.known.Group) && t.leaves(r) != "":
		v = judge.Because(judge.Leaves, "a kind that changes, "+t.leaves(r)+", is named apart from it").In(v.Role())
	case !slices.ContainsFunc(list, result.changes):
		v = judge.Because(judge.NoRule, list[0].Why).In(v.Role())
	case t.noVersion(r):
		v = judge.Because(judge.NoVersion, "").In(v.Role())
	case v.Action() == judge.Review:
	case r.text && !t.core.opts.Off["both-names"] && slices.ContainsFunc(list, func(x result) bool { return t.repeats(r, x) }):
		v = judge.Because(judge.BothVersions, "").In(v.Role())
	case !regrouped && t.groupAlone(r):
		v = judge.Because(judge.NoRule, "its group is not renamed, and nothing else of the API is named here").In(v.Role())
	case len(list) > 1 && r.nokind && slices.ContainsFunc(list, func(x result) bool { return !x.changes() }):
		v = judge.Because(judge.NoKind, "").In(v.Role())
	case len(list) > 1 || list[0].Outcome == rules.Ambiguous:
		v = t.severalAnswers(r, list).In(v.Role())
	case r.form == names.WithKind && !t.isKind(r):
		v = judge.Because(judge.NotKind, "").In(v.Role())
	case r.openKind && len(r.known.Kinds)+len(r.known.Plurals) == 0 && t.core.kindMatters(r.known.Group):
		v = judge.Because(judge.FilledKind, "").In(v.Role())
	case halfway != "":
		v = judge.Because(judge.Leaves, halfway+" has its new name, and its group and version are old").In(v.Role())
	case t.leaves(r) != "":
		v = judge.Because(judge.Leaves, "it would change without "+t.leaves(r)+", which the file names apart from it").In(v.Role())
	case r.known.Open && list[0].Outcome == rules.Moves && list[0].Rule.To.Version != list[0].Rule.From.Version:
		v = judge.Because(judge.FilledIn, "").In(v.Role())
	case list[0].Outcome == rules.Removed:
		v = judge.Because(judge.Removed, list[0].Why).In(v.Role())
	case list[0].Outcome == rules.Circle:
		v = judge.Because(judge.Cycle, "").In(v.Role())
	case r.bare && !t.core.opts.Dual && len(r.known.Kinds) == 1 && len(r.known.Versions) == 1 && len(t.core.table.Shapes(rules.GVK{Group: r.known.Group, Version: r.known.Versions[0], Kind: r.known.Kinds[0]})) > 0:
		v = judge.Because(judge.Unconverted, "").In(v.Role())
	case r.typed && list[0].To.Version != "" && list[0].To.Version != r.known.Versions[0] && !t.importsOwn(r.file, r.known.Versions[0]):
		v = judge.Because(judge.TypedLiteral, "").In(v.Role())
	case r.unshaped != "" && list[0].To.Version != "" && list[0].To.Version != list[0].At.Version:
		why := r.unshaped + " has another shape in its new version, which cfctl does not write here"
		if len(r.known.Kinds) == 0 {
			why = r.unshaped + " has another shape in its new version, and no kind is named here"
		}
		v = judge.Because(judge.Unconverted, why).In(v.Role())
	case t.lacking(r, list[0].To) != "":
		v = judge.Because(judge.MissingField, "its new version has no field "+t.lacking(r, list[0].To)+", by the CRD of this tree").In(v.Role())
	case r.file.Format == "go" && t.repeats(r, list[0]):
		v = judge.Because(judge.BothNames, "").In(v.Role())
	default:
		if about, keep := t.ofVersion(r, list[0]); keep {
			v = about.In(v.Role())
			break
		}
		return t.rewrite(r, list[0])
	}
	if v.ID() == "no-rule" && t.core.concerns.apart(r.known) {
		return nil
	}
	s := Site{Span: r.own, Pos: r.pos, Role: v.Role(), Old: r.ownText, Action: v.Action(), ID: v.ID(), Why: v.Why(), Hint: v.Hint()}
	if v.ID() == "leaves-kind" && !slices.ContainsFunc(list, result.changes) && len(r.known.Kinds) == 0 {
		s.Apart = r.file.loose[r.known.Group].places
	}
	if v.Action() == judge.Review {
		s.Rule = ruleOf(list)
	}
	sites := []Site{s}
	for _, p := range r.parts { // the other places that name the group
		if p.what == refs.Group && p.lone && regrouped {
			k := judge.Because(judge.WithObject, "")
			sites = append(sites, Site{Span: p.Span, Pos: p.pos, Role: roleOf(p.what, r.crd), Old: p.text, Action: k.Action(), ID: k.ID(), Why: k.Why()})
		}
	}
	return sites
}

// A result is what an answer makes of the parts of a reference.
type result struct {
	rules.Answer
	texts []string // of each part; empty where it does not change
}

func (x result) changes() bool {
	return x.Outcome == rules.Removed || x.Outcome == rules.Circle || x.Outcome == rules.Ambiguous ||
		slices.ContainsFunc(x.texts, func(s string) bool { return s != "" })
}

// results are the different things that the rules make of the parts of a
// reference: answers that lead to the same text are one.
func (t *Tree) results(r *ref) []result {
	var list []result
	for _, a := range t.core.answers(t.inPackage(r), t.Facts) {
		x := result{Answer: a}
		if a.Outcome == rules.Moves {
			for _, p := range r.parts {
				to := t.partTo(r, p, a)
				if to == p.text {
					to = ""
				}
				x.texts = append(x.texts, to)
			}
		}
		same := func(y result) bool {
			if x.changes() != y.changes() {
				return false
			}
			return !x.changes() || x.Outcome == y.Outcome && slices.Equal(x.texts, y.texts)
		}
		if !slices.ContainsFunc(list, same) {
			list = append(list, x)
		}
	}
	return list
}

// ofVersion says whether a reference whose version alone changes is in a file
// that is about this version: a Go package of it, its generated client, its
// reference page.
func (t *Tree) ofVersion(r *ref, x result) (v judge.Verdict, keep bool) {
	old := ""
	for i, p := range r.parts {
		switch {
		case x.texts[i] == "":
		case p.what == refs.Version:
			old = p.text
		default:
			return v, false
		}
	}
	if old == "" {
		return v, false
	}
	if r.file.pages {
		return judge.Because(judge.VersionFolder, "it is a generated reference page"), true
	}
	if judge.IsProposal(r.file.Path) && !t.core.opts.Off["proposal"] {
		return judge.Because(judge.Proposal, ""), true
	}
	dir, base := path.Split(r.file.Path)
	segments := strings.Split(dir, "/")
	if r.file.Format == "go" || r.file.Format == "markdown" {
		segments = append(segments, strings.FieldsFunc(base, func(c rune) bool { return c == '.' || c == '_' || c == '-' })...)
	}
	return judge.Because(judge.VersionFolder, "the file is about "+old+", by its path"), !t.core.opts.Off["version-folder"] && slices.Contains(segments, old)
}

func ruleOf(list []result) rules.RuleID {
	for _, a := range list {
		if !a.Stays() {
			return a.Rule.Called()
		}
	}
	return rules.RuleID{}
}

// severalAnswers is why a reference with several answers needs review.
func (t *Tree) severalAnswers(r *ref, list []result) judge.Verdict {
	switch {
	case r.known.Open:
		return judge.Because(judge.FilledIn, "")
	case len(list) > 1 && list[0].At.Kind == list[1].At.Kind && list[0].At.Plural == list[1].At.Plural && list[0].At.Version != list[1].At.Version:
		return judge.Because(judge.OtherVersions, "")
	}
	names := "it names no kind: "
	if len(r.known.Kinds)+len(r.known.Plurals) > 1 {
		names = "it is about more than one kind: "
	}
	return judge.Because(judge.Several, why(names, list))
}

// why says what the answers depend on.
func why(names string, list []result) string {
	var parts []string
	for _, x := range list {
		name := x.At.Kind
		if name == "" {
			name = x.At.Plural
		}
		if name == "" {
			name = x.At.Version
		}
		to := "is not changed"
		switch x.Outcome {
		case rules.Removed:
			to = "is removed"
		case rules.Moves:
			to = "becomes " + strings.TrimSpace(x.To.Group+"/"+x.To.Version)
			to = strings.TrimSuffix(to, "/")
			if x.At.Kind != "" && x.To.Kind != "" && x.To.Kind != x.At.Kind {
				to += " " + x.To.Kind
			}
		case rules.Ambiguous:
			if strings.HasPrefix(x.Why, "it depends on the ruleset") {
				return x.Why
			}
			return "what it becomes depends on what is not named here: " + strings.TrimPrefix(x.Why, "it depends on the ")
		}
		if name != "" {
			parts = append(parts, name+" "+to)
		}
	}
	if len(parts) == 0 {
		return ""
	}
	if len(parts) > 3 {
		parts = append(parts[:3], "and so on")
	}
	return names + strings.Join(parts, ", ")
}

// rewrite are the sites of a reference that the rules answer in one way.
func (t *Tree) rewrite(r *ref, x result) []Site {
	a := x.Answer
	var sites []Site
	own := Site{Span: r.own, Pos: r.pos, Role: r.verdict.Role(), Old: r.ownText, Action: judge.Rewrite, ID: r.verdict.ID(), Rule: a.Rule.Called()}
	fresh := r.ownText
	parts := slices.Clone(r.parts)
	slices.SortFunc(parts, func(x, y part) int { return y.Start - x.Start })
	for _, p := range parts {
		to := t.partTo(r, p, a)
		if to == "" || to == p.text {
			continue
		}
		e := source.Edit{Span: p.Span, Old: p.text, New: to}
		if p.lone {
			sites = append(sites, Site{Span: p.Span, Pos: p.pos, Role: roleOf(p.what, r.crd), Old: p.text, New: to, Action: judge.Rewrite, ID: r.verdict.ID(), Rule: a.Rule.Called(), Edits: []source.Edit{e}})
			continue
		}
		own.Edits = append(own.Edits, e)
		i := p.Start - r.own.Start
		fresh = fresh[:i] + to + fresh[i+len(p.text):]
	}
	if len(own.Edits) > 0 {
		own.New = fresh
		slices.Reverse(own.Edits)
		sites = append(sites, own)
	}
	if len(sites) == 0 {
		own.Action = judge.Keep
		v := judge.Because(judge.NoRule, "")
		own.ID, own.Why, own.Rule = v.ID(), v.Why(), rules.RuleID{}
		return []Site{own}
	}
	return sites
}

func roleOf(w refs.What, crd bool) string {
	switch w {
	case refs.Group:
		if crd {
			return "crd-group"
		}
		return "group-field"
	case refs.Version:
		return "version"
	case refs.Plural:
		return "resource-name"
	}
	return "kind"
}

// partTo is the new text of a part, "" where it does not change.
func (t *Tree) partTo(r *ref, p part, a rules.Answer) string {
	site := a.At
	switch p.what {
	case refs.Group:
		return spelledAs(r.form, a.To.Group)
	case refs.Version:
		if r.crd && a.To.Group == a.At.Group {
			return ""
		}
		site.Version = p.text
		return t.ask(site).Version
	case refs.Kind:
		if r.form == names.Hook {
			if p.text == strings.ToLower(a.At.Kind) {
				return strings.ToLower(a.To.Kind)
			}
			return ""
		}
		site.Kind, site.Plural = p.text, ""
		return t.ask(site).Kind
	case refs.Plural:
		return t.plural(site, p.text)
	case refs.Singular, refs.ListKind:
		site.Kind, site.Plural = cmp.Or(a.At.Kind, t.core.kindNamed(site.Group, a.At.Plural, t.Facts)), ""
		switch to := t.ask(site).Kind; {
		case to == "" || to == site.Kind:
		case p.text == strings.ToLower(site.Kind):
			return strings.ToLower(to)
		case p.text == site.Kind+"List":
			return to + "List"
		}
	}
	return ""
}

// spelledAs is a group as a form spells it.
func spelledAs(f names.Form, group string) string {
	switch f {
	case names.Hook:
		return strings.ReplaceAll(group, ".", "-")
	case names.Anchor:
		return strings.ReplaceAll(group, ".", "")
	}
	return group
}
