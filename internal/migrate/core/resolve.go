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
	core  *Core
	Facts *index.Facts
	layout
	renames    map[string]string // base names of files that get another one
	schemas    map[rules.GVK]*schema
	crds       map[string]bool     // the names of the CRDs of the tree
	ours       map[string]bool     // groups of which CRDs are outside of test data
	granted    map[string]bool     // and of resources that a rule of permissions names with their group alone
	others     map[string]bool     // groups of the tree that are longer names of groups of the rules
	registered map[string][]string // kinds that Go packages register, by their folders
	fills      map[string]bool     // names with which files build names of APIs
	names      map[string]bool     // groups that files name
	marked     map[string]bool     // groups of Go packages of which a generator writes CRDs
	objects    map[string]bool     // names of objects that are spelled like an API
	hooks      map[string]*ref     // names of webhooks; nil: an object that stays has it, too
	hosts      map[string]bool     // groups with a part in front that are hosts of URLs
}

// A layout is what is known of the paths of a tree.
type layout struct {
	around  func(f *File, base string) (data []byte, place string, ok bool) // see Resolve; nil where there is no tree
	goDirs  map[string]bool                                                 // folders with Go files
	imports map[string][]string                                             // of Go packages, by their folders
	moved   map[string]bool                                                 // paths of files that get another name
	named   map[string][]string                                             // the folders that have a folder with the name of a group, by the group
	stay    map[string][]string                                             // the last elements of the folders of files that keep a name which others do not
	paths   map[string]bool                                                 // whether the tree has what references may name
}

// Resolve decides about all references of the files. Around reads a file by its
// path from the folder of another one, and tells its place without links; registered are the kinds that Go packages register, by folder.
func (c *Core) Resolve(files []*File, registered map[string][]string, around func(f *File, base string) (data []byte, place string, ok bool)) *Tree {
	t := &Tree{
		core: c, Facts: index.New(), registered: registered, renames: map[string]string{}, schemas: map[rules.GVK]*schema{},
		crds: map[string]bool{}, ours: map[string]bool{}, granted: map[string]bool{}, others: map[string]bool{}, objects: map[string]bool{}, hooks: map[string]*ref{}, hosts: map[string]bool{},
		fills: map[string]bool{}, names: map[string]bool{}, marked: map[string]bool{},
		layout: layout{
			around: around, goDirs: map[string]bool{}, imports: map[string][]string{}, moved: map[string]bool{},
			named: map[string][]string{}, stay: map[string][]string{}, paths: map[string]bool{},
		},
	}
	for _, f := range files {
		if dir := path.Dir(f.Path); f.Format == "go" {
			t.goDirs[dir] = true
			t.imports[dir] = append(t.imports[dir], f.imports...)
		}
		t.folders(f.Path, c.table.Groups())
		for _, name := range f.fills {
			t.fills[name] = true
		}
		for i := range f.refs {
			r := &f.refs[i]
			t.names[r.known.Group] = true
			if g := r.grant; g != nil && len(g.groups) == 1 {
				for _, x := range g.resources {
					t.granted[x.text+"."+g.groups[0].text] = true
				}
			}
			if r.object { // programs of knative look for it by a name that its webhooks have, too
				t.hooks[r.ownText] = nil
			}
			if host, ok := strings.CutSuffix(r.ownText, r.known.Group); r.form == names.Host && ok && host != "" && host != "www." {
				t.hosts[r.known.Group] = true
			}
			switch r.verdict.ID() {
			case "longer-group":
				t.others[r.name()] = true
			case "crd-name":
				t.crds[r.name()] = true
				t.ours[r.known.Group] = t.ours[r.known.Group] || !judge.IsTestData(f.Path)
			case "webhook-name":
				if _, known := t.hooks[r.ownText]; !known {
					hook := *r
					t.hooks[r.ownText] = &hook
				}
			case "marker":
				t.marked[r.known.Group] = true
			case "name-of-object":
				plural, _ := strings.CutSuffix(r.ownText, "."+r.known.Group)
				kind := c.table.RulesOf(r.known.Group).KindNamed(plural)
				t.objects[r.ownText] = t.objects[r.ownText] || kind == "" || plural == strings.ToLower(kind)
			}
		}
		t.Facts.Add(f.facts)
		if f.plain != nil {
			t.Facts.Add(f.plain.facts)
		}
		maps.Copy(t.schemas, f.schemas)
	}
	t.core = c.ofTree(t.Facts)
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
			t.decide(f)
		}
		if !c.opts.Dual {
			f.refs, f.facts, f.said = nil, nil, nil // not needed any more
		}
	}
	for _, f := range files {
		f.tellBuilt(t.Facts)
	}
	return t
}

// answers fills in from the tree what a reference does not name, and asks the rules.
func (m *meaning) answers(k rules.Known, facts *index.Facts) []rules.Answer {
	k = m.filled(k, facts)
	if len(k.Kinds)+len(k.Plurals) == 0 && len(k.Versions) > 0 && m.table.RulesOf(k.Group).Whole() {
		k.Kinds = append([]string{""}, m.stepped(k)...)
	}
	return m.table.Answers(k)
}

// filled is what is known of a reference and of the tree.
func (m *meaning) filled(k rules.Known, facts *index.Facts) rules.Known {
	if len(k.Kinds) == 0 && len(k.Plurals) > 0 {
		var unknown []string
		for _, p := range k.Plurals {
			if kind := m.kindNamed(k.Group, p, facts); kind != "" {
				k.Kinds = append(slices.Clone(k.Kinds), kind)
			} else {
				unknown = append(unknown, p)
			}
		}
		k.Plurals = unknown
	}
	if len(k.Kinds) == 0 && len(k.Plurals) == 0 {
		if k.Kinds = facts.Kinds(k.Group); len(k.Kinds) == 0 {
			if left := facts.Left(k.Group); len(left) > 0 {
				k.Kinds = append([]string{""}, left...) // there may have been others
			}
		}
		if len(k.Versions) == 1 && !facts.Owned(k.Group) && !facts.Shows(k.Group, k.Versions[0]) && !slices.ContainsFunc(k.Kinds, func(kind string) bool {
			return m.table.Ask(rules.GVK{Group: k.Group, Version: k.Versions[0], Kind: kind}).Ruled()
		}) {
			k.Kinds = nil // the tree shows others, of a group that it does not own
		}
	}
	if len(k.Versions) == 0 && m.table.Versioned(k.Group) {
		if len(k.Kinds) == 0 || len(k.Plurals) > 0 {
			k.Versions = facts.Versions(k.Group, "")
		}
		for _, kind := range k.Kinds {
			for _, v := range append(facts.Versions(k.Group, kind), m.left(k.Group, kind, facts)...) {
				if !slices.Contains(k.Versions, v) {
					k.Versions = append(k.Versions, v)
				}
			}
		}
		k.Open = false
	}
	return k
}

// sites are what becomes of a reference.
func (t *Tree) sites(r *ref) []Site {
	if r.grant != nil {
		if !r.shared || !t.core.kindMatters(r.known.Group, r.known.Versions) {
			return newGranting(t, r).sites()
		}
		r.verdict = judge.Because(judge.SharedRule, "").In(r.verdict.Role())
	}
	t.asOfTree(r)
	t.forgetGuesses(r)
	if t.fills[r.valueOf] && r.verdict.Action() == judge.Rewrite {
		r.verdict = judge.Because(judge.BuiltKey, "another name may be built of it").In(r.verdict.Role()).Hinted("change what is built of it first, then run again")
	}
	switch {
	case r.form == names.MovedKey && r.verdict.Action() != judge.Keep:
		k, _ := t.core.table.Key(r.spelled)
		return r.moveKey(k.To)
	case r.verdict.ID() == "crd-file":
		return t.fileName(r)
	}
	return (&question{Tree: t, ref: r, list: t.results(r)}).answered()
}

// answered are what becomes of a reference by what the rules make of it.
func (q *question) answered() []Site {
	r, list := q.ref, q.list
	v, unchanged := q.unchanged()
	s := Site{Span: r.own, Verdict: v, Old: r.ownText}
	if i := slices.IndexFunc(list[0].texts, func(s string) bool { return s != "" }); unchanged && v.ID() == "version-folder" && i >= 0 && (r.parts[i].Start >= r.own.End || r.parts[i].End <= r.own.Start) {
		s.Span, s.Old = r.parts[i].Span, r.parts[i].text // what would change
	}
	switch {
	case !unchanged:
		return q.rewrite(list[0])
	case v.Action() == judge.Keep && !byHand(s.Verdict) && q.core.apart(*r.known), v.ID() == "no-rule" && q.hasNewName(list[0].At):
		return nil
	}
	if places := r.file.loose[r.known.Group].places; v.ID() == "leaves-kind" && !q.apart && len(places) > 0 && (len(r.known.Kinds) == 0 || r.bare) {
		q.apart = true
		if then := q.answered(); len(then) == 1 || !slices.ContainsFunc(then, func(s Site) bool { return s.Action() != judge.Rewrite }) {
			s.Apart, s.Then = places, then
		}
	}
	if v.Action() == judge.Review || byHand(s.Verdict) {
		s.Rule = ruleOf(list)
	}
	if byHand(s.Verdict) {
		return []Site{s}
	}
	return append([]Site{s}, q.partsKept(v.Action() == judge.Review)...)
}

// hasNewName says whether a reference names a kind by the new name that a rule gives it.
func (q *question) hasNewName(at rules.GVK) bool {
	return len(q.known.Kinds)+len(q.known.Plurals) > 0 && q.core.table.RulesOf(at.Group).Renamed(at)
}

// asOfTree corrects what was decided about a reference in its file alone by what the whole tree
// shows: which resources, groups and folders there are.
func (t *Tree) asOfTree(r *ref) {
	if r.capital != nil {
		k := *r.known
		k.Kinds = slices.Clone(k.Kinds)
		for _, kind := range t.Facts.Kinds(k.Group) {
			if slices.ContainsFunc(r.capital, func(word string) bool { return word == kind || t.Facts.KindNamed(k.Group, word) == kind }) {
				k.Kinds = append(k.Kinds, kind)
			}
		}
		r.known = &k
	}
	switch {
	case r.resource != "" && t.isOther(r):
		r.verdict = judge.Because(judge.LongerGroup, "")
	case r.resource != "" && !t.isResource(r):
		r.verdict = t.noResource(r)
	}
	if id := r.verdict.ID(); t.objects[r.ownText] && (slices.Contains([]string{"string", "text", "value-list", "listed-name", "printed-name"}, id) || id == "resource-name" && (r.text || r.command)) {
		r.verdict = judge.Because(judge.SameName, "").In(r.verdict.Role())
	} else if (r.lone || id == "filled-name") && t.hosts[r.known.Group] { // DataDog/datadog-operator, chaos-mesh/chaos-mesh
		r.verdict = judge.Because(judge.SameName, "URLs of the tree lead to hosts in this domain, and nothing here says that it is an API").In(r.verdict.Role())
	}
	if id := r.verdict.ID(); (id == "longer-domain" || id == "longer-group") && t.endsInResource(r) {
		r.verdict = judge.Because(judge.OfResource, "")
	}
	if id, hook := r.verdict.ID(), t.hooks[r.ownText]; r.whole && (id == "longer-domain" || id == "label-like") && hook != nil { // kaniop, kroxylicious
		r.verdict = judge.Because(judge.HookName, "")
		r.isHook(hook)
	}
	if (r.verdict.Action() == judge.Rewrite || r.verdict.ID() == "label-like") && t.isFolder(r) {
		r.verdict = judge.Because(judge.Folder, "")
	}
	if r.path && r.verdict.Action() == judge.Rewrite && t.isPath(r) {
		if r.verdict = judge.Because(judge.MaybePath, ""); r.form == names.REST {
			r.verdict = judge.Because(judge.Folder, "")
		}
	}
	if r.inPath && r.verdict.Action() == judge.Rewrite && len(t.named[r.known.Group]) > 0 && t.core.regroups(r.known.Group) {
		r.verdict = judge.Because(judge.FolderValue, "").In(r.verdict.Role())
	}
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
	for _, x := range resultsOf(t.core.answers(t.inPackage(r), t.Facts)) {
		a := x.Answer
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
// reference page. A design document names kinds as they were, too.
func (q *question) ofVersion(x result) (v judge.Verdict, keep bool) {
	old, others := "", false
	for i, p := range q.parts {
		switch {
		case x.texts[i] == "":
		case p.what == refs.Version:
			old = p.text
		case p.what == refs.Group:
			return v, false
		default:
			others = true
		}
	}
	if (old != "" || others) && judge.IsProposal(q.file.Path) && !q.core.opts.Off["proposal"] {
		return judge.Because(judge.Proposal, ""), true
	}
	if old == "" || others {
		return v, false
	}
	if q.file.pages {
		return judge.Because(judge.VersionFolder, "it is a generated reference page"), true
	}
	named := judge.IsOfVersion(q.file.Path, old, q.file.Format == "go" || q.file.Format == "markdown")
	return judge.Because(judge.VersionFolder, "the file is about "+old+", by its path"), !q.core.opts.Off["version-folder"] && named
}

// ruleOf is the rule of the first answer that changes something.
func ruleOf[A interface {
	Stays() bool
	Called() rules.RuleID
}](list []A) rules.RuleID {
	for _, a := range list {
		if !a.Stays() {
			return a.Called()
		}
	}
	return rules.RuleID{}
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
func (q *question) rewrite(x result) []Site {
	a := x.Answer
	var sites []Site
	own := Site{Span: q.own, Verdict: q.verdict, Old: q.ownText, Rule: a.Rule.Called()}
	fresh := q.ownText
	parts := slices.Clone(q.parts)
	slices.SortFunc(parts, func(x, y part) int { return y.Start - x.Start })
	for _, p := range parts {
		to := q.partTo(q.ref, p, a)
		if to == "" || to == p.text {
			continue
		}
		e := source.Edit{Span: p.Span, Old: p.text, New: to}
		if p.lone {
			sites = append(sites, Site{Span: p.Span, Verdict: q.verdict.In(roleOf(p.what, q.crd)), Old: p.text, New: to, Rule: a.Rule.Called(), Edits: []source.Edit{e}})
			continue
		}
		own.Edits = append(own.Edits, e)
		i := p.Start - q.own.Start
		fresh = fresh[:i] + to + fresh[i+len(p.text):]
	}
	if len(own.Edits) > 0 {
		own.New = fresh
		slices.Reverse(own.Edits)
		sites = append(sites, own)
	}
	if len(sites) == 0 {
		own.Rule = rules.RuleID{}
		return []Site{own.As(judge.Because(judge.NoRule, ""))}
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
		case strings.ReplaceAll(p.text, "-", "") == strings.ToLower(site.Kind): // network-attachment-definition, of many trees
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
