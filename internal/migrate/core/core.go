// Package core decides what becomes of the names of rules in the files of a
// tree. Read reads one file into references and facts; Resolve decides about
// the references of all files when the facts of all are known.
package core

import (
	"bytes"
	"cmp"
	"maps"
	"path"
	"slices"
	"strings"
	"sync"

	"github.com/project-codeflare/cfctl/internal/lazyregexp"
	"github.com/project-codeflare/cfctl/internal/migrate/core/index"
	"github.com/project-codeflare/cfctl/internal/migrate/core/judge"
	"github.com/project-codeflare/cfctl/internal/migrate/core/names"
	"github.com/project-codeflare/cfctl/internal/migrate/core/refs"
	"github.com/project-codeflare/cfctl/internal/migrate/core/syntax"
	"github.com/project-codeflare/cfctl/internal/migrate/rules"
	"github.com/project-codeflare/cfctl/internal/source"
	"github.com/project-codeflare/cfctl/internal/source/find"
	"github.com/project-codeflare/cfctl/internal/source/ignore"
)

// Options are what a Core is asked to do.
type Options struct {
	Dual bool // serve the old and the new group side by side
	// Copied says that the Go package of a version that changes stays, beside its copy or alone:
	// webhooks are served for the types that were registered.
	Copied bool
	Set    map[string]string // values for the steps of rulesets that need one
	Off    map[string]bool   // ids of heuristics that are switched off
	// Most is how many references of one file are decided, 0 for usualMost; a file of more
	// is not read.
	Most int
	// Keep is why the configuration keeps a spelling in a file, "" for all of the file;
	// nil: it keeps nothing.
	Keep func(place, spelling string) (why string, ok bool)
}

// A Core is compiled rules, ready to read files. It is safe for concurrent use.
type Core struct {
	meaning
	names *names.Names
	opts  Options

	guards  map[string]string // guarded kinds, and the rulesets that do
	guarded *find.Finder      // of what a file with one in a wrong group holds
	pieces  []piecemeal       // ways to name APIs without their groups
	shorter map[string]bool   // groups with which names of others end
	called  *find.Finder      // of what a file has that uses one
	needles []string
	sure    *find.Finder        // of what a file holds that is read
	changes *find.Finder        // of versions that change, and of kinds and resources that get another name
	lost    map[string][]string // kinds and resources that get another name or have no successor, with their groups
}

// A meaning is what the rules say of an API that a reference names in part.
type meaning struct {
	table   *rules.Table
	steady  map[string][]string // groups that stay the same in every rule, with their versions that change
	renamed map[string][]string // kinds and resources that get another name, with their groups
	led     map[string][]string // groups that rules make others of, with these
	steps   map[string]bool     // groups of which each rule that moves something is about one version
}

// usualMost is far above what people and generators write: a recorded API of 8 MB.
const usualMost = 100_000

// New makes a Core of a table.
func New(t *rules.Table, o Options) *Core {
	c := &Core{meaning: meaning{table: t, led: map[string][]string{}, steps: map[string]bool{}}, names: names.New(t), opts: o, shorter: map[string]bool{}}
	c.renamed, c.lost = refs.Renamed(t, false), refs.Renamed(t, true)
	var domains []string
	c.guards, domains = guardsOf(t)
	c.guarded, c.needles = find.New(domains), slices.Concat(c.names.Needles(), domains)
	c.pieces = piecemealOf(t)
	for _, g := range t.Groups() {
		c.leads(g)
		for rest, ok := g, true; ok; {
			_, rest, ok = strings.Cut(rest, ".")
			c.shorter[rest] = len(t.RulesOf(rest)) > 0
		}
	}
	var calls []string
	for _, x := range c.pieces {
		calls = append(calls, x.needles...)
	}
	c.called, c.needles = find.New(calls), slices.Concat(c.needles, calls)
	c.sure, c.steady = find.New(c.needles), steadyOf(t)
	c.changes = find.New(slices.Concat(c.LooseNeedles(), slices.Concat(slices.Collect(maps.Values(c.steady))...)))
	return c
}

// ofTree is a core for one tree, with rules of its own where a kind is named like the list of another one: ImageList.
func (c *Core) ofTree(facts *index.Facts) *Core {
	own := *c
	own.table = c.table.Apart(func(group, kind string) bool { return facts.Serves(group, kind) != nil })
	return &own
}

// Table are the rules, as they are for the tree when all its files are resolved.
func (t *Tree) Table() *rules.Table { return t.core.table }

// Needles are the strings of which a file must hold one to be of interest.
func (c *Core) Needles() []string { return c.needles }

// read reads a text, without positions.
func (c *Core) read(place string, data []byte) *File {
	f := NewFile(place)
	if dense(data) {
		f.Failed = ErrTooMany
		return f
	}
	hit := c.hit
	if baseOf(place) == ProjectName {
		hit = nil
	}
	root := syntax.Read(place, data, hit)
	read := refs.Read(root, c.names, c.table, c.renamed)
	f.Format, f.facts, f.kept = root.Lang, read.Facts, c.Keeper(place, data)
	if most := cmp.Or(c.opts.Most, usualMost); len(read.Refs) > most || read.Work > refs.MostWork {
		f.Failed, f.facts = ErrTooMany, nil
		return f
	}
	x := &fileReader{Core: c, f: f, data: data, rules: map[*refs.Rule]bool{}, crds: map[*syntax.Node]bool{},
		judged:  &judge.File{Path: place, Format: root.Lang, Past: c.past(place, data), Off: c.opts.Off, Targets: c.targets, Steps: c.onlySteps, Audit: bytes.Contains(data, []byte("auditID"))},
		inPath:  sync.OnceValue(func() map[string]bool { return usedNames(data, inPaths) }),
		classes: sync.OnceValue(func() [][]int { return annotated.Get().FindAllSubmatchIndex(data, mostClasses) }),
		ofAPI:   sync.OnceValue(func() map[string]bool { return usedNames(data, groupUses) }),
	}
	past := x.judged.Past != nil
	if past {
		f.facts = nil
	}
	if baseOf(place) == ProjectName && !past {
		if f.project = readProject(root); f.project != nil {
			return f
		}
	}
	if f.Format == "go" {
		for _, x := range GoImports(data) {
			f.imports = append(f.imports, x.Path)
		}
	}
	if bytes.Contains(data, []byte(`id="`)) {
		f.pages = slices.ContainsFunc(c.table.Groups(), func(g string) bool { return bytes.Contains(data, []byte(`id="`+g+"/")) })
	}
	x.judged.Choices, f.asked = judge.Choices(data)
	f.refs = make([]ref, 0, len(read.Refs))
	for _, r := range read.Refs {
		x.reference(r)
	}
	f.refs = unique(f.refs)
	f.loose = x.loose(read)
	c.Builds(f, data, f.constants, false)
	if past {
		return f
	}
	x.guard(root)
	x.piecesIn()
	f.units = x.unitsIn(root, read.Refs)
	if c.table.Converts() && !c.opts.Dual {
		f.shaped = x.shapedIn(root)
	}
	return f
}

// A fileReader takes what is needed of the references of one file.
type fileReader struct {
	*Core
	f             *File
	data          []byte
	judged        *judge.File
	rules         map[*refs.Rule]bool    // of permissions, of which a reference is taken
	crds          map[*syntax.Node]bool  // of which the schemas are
	classes       func() [][]int         // that annotated finds
	inPath, ofAPI func() map[string]bool // names of which the file makes paths, and groups
}

// reference takes a reference, with what its file and its place say of it.
func (c *fileReader) reference(r *refs.Ref) {
	x := c.compact(r, judge.Decide(c.judged, r))
	if x.resource != "" {
		x.operand, x.command = judge.Operand(c.judged, r), x.command || judge.InCommand(c.judged, r)
	}
	if why, ok := c.table.Keeps(spelled(r)); ok {
		x.verdict = judge.Because(judge.RulesetKeeps, why).In(x.verdict.Role())
	}
	if r.Rule != nil && x.verdict.ID() == "rbac-group" {
		if c.rules[r.Rule] {
			return
		}
		c.rules[r.Rule] = true
		x.grant = c.grantOf(r.Rule)
	}
	bare := r.Token.Form == names.Bare
	if id := x.verdict.ID(); bare && (id == "constant-key" || id == "label-key") && c.ofAPI()[r.Leaf.Named().Name] {
		x.verdict = judge.Because(judge.KeyOfAPI, "").In(x.verdict.Role())
	}
	x.inPath = bare && c.f.Format == "shell" && c.inPath()[r.Leaf.Named().Name]
	if x.verdict.ID() == "pattern" && r.Token.Form == names.Pattern && !c.regroups(r.Known.Group) && c.isOther(r) {
		x.verdict = judge.Because(judge.NoRule, "").In(x.verdict.Role())
	}
	x.path, x.lone = judge.MayBePath(c.judged, r), bare && judge.IsLone(c.judged, r, x.verdict)
	if twin := c.twin(r); twin != "" && x.verdict.Action() == judge.Rewrite {
		x.verdict = judge.Because(judge.Mapped, "its mapping has the key "+twin+" already").In(x.verdict.Role())
	}
	if fresh := c.handled(r); fresh != "" && x.verdict.Action() == judge.Rewrite {
		x.verdict = judge.Because(judge.BothNames, "its file has "+fresh+" as well").In(x.verdict.Role())
	}
	c.f.kept.reference(&x)
	if isUndecided(&x) {
		c.f.facts = append(c.f.facts, index.Fact{Kind: index.Keyed, Group: r.Token.Group})
	}
	if c.settled(r, &x) {
		return
	}
	if c.table.Versioned(r.Known.Group) {
		x.fields, x.unshaped, x.shape = c.fieldsOf(r), c.unshaped(r), c.oldShape(r)
		if r.CRD && !c.crds[r.Object] && c.judged.Past == nil {
			c.crds[r.Object] = true
			c.f.schemasIn(r.Object, r.Known.Group)
		}
	}
	if x.verdict.Action() == judge.Rewrite && c.isFilledIn(r) {
		x.valueOf = r.Leaf.Named().Name
	}
	c.constant(r, &x)
	if x.isEmpty() {
		x.detail = &noDetail
	}
	c.f.refs = append(c.f.refs, x)
}

// isUndecided says whether a reference is a key of a label or annotation that stays, and about which
// no user has decided: not in text for people, or in a file that is kept as a whole.
func isUndecided(x *ref) bool {
	v := x.verdict
	return v.Role() == "key" && v.Action() == judge.Keep && v.ID() != "ruleset" && !byHand(v) && !x.text
}

// KeepsFile says whether nothing of a file is changed, whatever it holds.
func (c *Core) KeepsFile(place string, data []byte) bool { return c.past(place, data) != nil }

// past is the row that keeps a whole file, nil for none.
func (c *Core) past(place string, data []byte) *judge.Row {
	if slices.ContainsFunc(c.table.Sets(), func(set *rules.Ruleset) bool { return set.Is(data) }) {
		return judge.Kept(judge.RulesetFile, "")
	}
	if c.opts.Keep != nil {
		if why, ok := c.opts.Keep(place, ""); ok {
			return judge.Kept(judge.Configured, why)
		}
	}
	for _, k := range c.table.KeptPaths() {
		if ignore.NewGlobs([]string{k.Path}).Match(place) {
			return judge.Kept(judge.RulesetKeeps, k.Why)
		}
	}
	return judge.Past(place, data, func() bool {
		format := syntax.FormatOf(place, data)
		return (format == "yaml" || format == "json" || format == "helm") && (bytes.Contains(data, []byte("apiVersion")) || syntax.MayEscape(data))
	}, c.opts.Off)
}

// hit says whether a text may hold a name of the rules.
func (c *Core) hit(b []byte) bool { return c.names.Match(b) || c.guarded.Match(b) }

// leads notes the other groups that rules make of a group.
func (m *meaning) leads(group string) {
	seen := map[string]bool{group: true, "": true}
	m.steps[group] = true
	for _, x := range m.table.RulesOf(group) {
		for _, g := range []string{x.To.Group, m.table.Ask(x.From).To.Group} { // of this rule, and where the next ones lead
			if !seen[g] {
				seen[g], m.led[group] = true, append(m.led[group], g)
			}
		}
		m.steps[group] = m.steps[group] && (x.From.Version != "" || x.Gone())
	}
}

// targets are the other groups that rules make of a group.
func (m *meaning) targets(group string) []string {
	if k, ok := m.table.Key(group); ok {
		return []string{strings.TrimSuffix(k.To, "/")}
	}
	return m.led[group]
}

// onlySteps says whether each rule that moves something of a group is about one version of it.
func (m *meaning) onlySteps(group string) bool {
	return m.steps[group] || len(m.table.RulesOf(group)) == 0
}

// maxName is how long a name is that a ruleset may keep.
const maxName = 512

// spelled is the name that the group of a reference is the end of.
func spelled(r *refs.Ref) string {
	t := r.Leaf.Text()
	from := r.Token.At.Start
	if r.Token.Prefix.Len() > 0 {
		from = r.Token.Prefix.Start
	}
	to := max(r.Token.End, r.Token.At.End)
	if f := r.Token.Form; f == names.Longer || f == names.Path || f == names.Email || f == names.MovedKey {
		for to < len(t) && to-from < maxName && strings.IndexByte(" \t\n\"'`,;)]}>:=", t[to]) < 0 {
			to++
		}
	}
	return strings.TrimSuffix(string(t[from:to]), "-") // that takes a label away
}

// compact takes what is needed of a reference when its file is gone.
func (c *fileReader) compact(r *refs.Ref, v judge.Verdict) ref {
	if v.ID() == "webhook-name" {
		c.ofWebhook(r)
	}
	x := ref{verdict: v, known: &r.Known, traits: traits{crd: r.CRD, whole: (r.Whole || isQuoted(r.Token)) && r.Label != "name", object: r.Whole && r.Label == "name" && r.Leaf.Up != nil && r.Leaf.Up.Label() == "metadata"}, form: r.Token.Form, detail: &detail{spelled: r.Token.Spelled, capital: r.Capital}}
	if (v.ID() == "resource-name" || v.ID() == "listed-name" || v.ID() == "named-resource") && r.Name != "" {
		x.resource = r.Name
		x.command = v.ID() == "listed-name" || r.Leaf.Up != nil && r.Leaf.Up.Kind == syntax.Command || r.Leaf.Kind == syntax.Prose && r.Leaf.Document().Lang == "console"
	}
	x.bare = r.Bare()
	x.openKind, x.shared, x.typed = r.OpenKind, r.Shared, r.Typed
	x.text = r.Leaf.Kind == syntax.Prose && !r.Leaf.InTemplate() || r.Leaf.Kind == syntax.Comment || r.Leaf.Kind == syntax.Code
	if up := r.Leaf.Up; up != nil && up.Up != nil && isOwned(up.Up) {
		x.resource = ""
		for _, kind := range r.Known.Kinds {
			c.f.facts = append(c.f.facts, index.Fact{Kind: index.Plural, Group: r.Known.Group, Name: r.Name, Value: kind},
				index.Fact{Kind: index.Seen, Group: r.Known.Group, Version: strings.Join(r.Known.Versions, ""), Name: kind})
		}
	}
	if r.Label == "resourcenames" {
		x.resource = ""
	}
	t := r.Leaf.Text()
	from := r.Token.At.Start
	if r.Token.Prefix.Len() > 0 && r.Token.Form != names.Filled {
		from = r.Token.Prefix.Start
	}
	to := max(r.Token.End, r.Token.At.End)
	s, ok := r.Leaf.View.Span(r.Leaf.Start+from, r.Leaf.Start+to)
	if !ok {
		s, ok = r.Leaf.View.Span(r.Leaf.Start+r.Token.At.Start, r.Leaf.Start+r.Token.At.End)
		if !ok && r.Token.Form == names.MovedKey {
			x.verdict = judge.Because(judge.Fault, "an escape is in it").In(v.Role())
		}
		from, to = r.Token.At.Start, r.Token.At.End
	}
	x.own, x.ownText = s, string(t[from:to])
	if len(x.known.Kinds)+len(x.known.Plurals) == 0 && (c.f.Format == "java" || c.f.Format == "kotlin") {
		if name := c.class(r, s); name != "" {
			k := r.Known
			k.Kinds = []string{name}
			x.known = &k
		}
	}
	switch x.form {
	case names.File, names.Versioned, names.REST, names.Bare, names.WithKind, names.Path:
		x.before = pathBefore(t[:from])
	}
	for _, p := range r.Parts {
		lone := p.Start < s.Start || p.End > s.End
		x.parts = append(x.parts, part{what: p.What, Span: p.Span, text: p.Text, lone: lone})
	}
	known := *x.known // without the rest of the reference
	x.known = &known
	return x
}

// annotated is a class with its group, as fabric8 has it.
var annotated = lazyregexp.New(`@Group\(([^)]*)\)[^;{]*?\bclass\s+(\w+)`)

// mostClasses is how many classes of one file are read.
const mostClasses = 100

// class is the kind of the class that a group in a file of Java is of, "" for none: it has the group, or a
// constant with it, as its annotation, or a rule knows it as the one class of the file.
func (c *fileReader) class(r *refs.Ref, at source.Span) string {
	constant := r.Leaf.Named().Name
	for _, m := range c.classes() {
		arg := c.data[m[2]:m[3]]
		if m[2] <= at.Start && at.End <= m[3] || constant != "" && string(arg[bytes.LastIndexByte(arg, '.')+1:]) == constant {
			kind := string(c.data[m[4]:m[5]])
			c.f.facts = append(c.f.facts, index.Fact{Kind: index.Seen, Group: r.Known.Group, Version: strings.Join(r.Known.Versions, ""), Name: kind})
			return kind
		}
	}
	if name := strings.TrimSuffix(baseOf(c.f.Path), path.Ext(c.f.Path)); slices.Contains(c.table.RulesOf(r.Known.Group).Kinds(), strings.TrimSuffix(name, "List")) {
		return name
	}
	return ""
}

// isQuoted says whether a token is in quotes, in a longer text.
func isQuoted(t names.Token) bool {
	return (t.Before == '"' || t.Before == '\'' || t.Before == '`') && t.After == t.Before
}

// ofWebhook takes the kind out of the name of a webhook: kubebuilder calls one that mutates widgets
// mwidget.GROUP and one that validates them vwidget.GROUP, others have validate.widget.GROUP.
func (c *fileReader) ofWebhook(r *refs.Ref) {
	group, prefix := r.Known.Group, string(r.Token.Prefix.Of(r.Leaf.Text()))
	name := prefix[strings.LastIndexByte(prefix, '.')+1:]
	known := func(name string) bool { return c.table.RulesOf(group).KindNamed(name) != "" }
	if !known(name) && len(name) > 1 && (name[0] == 'm' || name[0] == 'v') && known(name[1:]) {
		name = name[1:]
	}
	end := r.Leaf.Start + r.Token.Prefix.End
	if at, ok := r.Leaf.View.Span(end-len(name), end); ok && known(name) {
		r.Parts = append(slices.DeleteFunc(r.Parts, func(p refs.Part) bool { return p.What == refs.Plural }), refs.Part{What: refs.Plural, Span: at, Text: name, Node: r.Leaf})
		r.Known.Plurals = []string{name}
	}
}

// unique leaves out references that have no part of their own: each token of a
// CRD names the same reference. It does so in place.
func unique(list []ref) []ref {
	out := list[:0]
	first := map[source.Span]bool{}
	for _, r := range list {
		if r.crd && len(r.parts) > 0 {
			at := r.parts[len(r.parts)-1].Span
			g := slices.IndexFunc(r.parts, func(p part) bool { return p.what == refs.Group })
			if g >= 0 {
				at = r.parts[g].Span
				for _, p := range r.parts {
					if p.what == refs.Group && p.Start < at.Start {
						at = p.Span
					}
				}
			}
			if first[at] {
				continue
			}
			first[at] = true
		}
		out = append(out, r)
	}
	return out
}

// FileName is what becomes of the base name of a file that is named after a group, "" for
// another one.
func (c *Core) FileName(base string) string { return c.newBase(base, index.New()) }

// newBase is the new name of a file that is named after a group, "" for none.
func (c *Core) newBase(base string, facts *index.Facts) string {
	tokens, _ := c.names.Tokens([]byte(base))
	for _, t := range tokens {
		if t.Form != names.File {
			continue
		}
		plural := string(t.Plural.Of([]byte(base)))
		k := rules.Known{Group: t.Group}
		kind := c.kindNamed(t.Group, plural, facts)
		if kind != "" {
			k.Kinds = []string{kind}
		}
		list := c.answers(k, facts) // all versions of a CRD are in one file
		if len(list) == 0 || slices.ContainsFunc(list, func(x rules.Answer) bool {
			return x.Outcome != rules.Moves || x.To.Group != list[0].To.Group || x.To.Kind != list[0].To.Kind
		}) {
			return ""
		}
		a, fresh := list[0], plural
		if kind != "" && a.To.Kind != kind && a.To.Kind != "" {
			fresh = cmp.Or(c.table.Ask(rules.GVK{Group: t.Group, Kind: kind, Plural: plural}).To.Plural, rules.Plurals(a.To.Kind)[0])
			if plural == strings.ToLower(kind) && !c.isPlural(t.Group, plural) {
				fresh = strings.ToLower(a.To.Kind)
			}
		}
		if t.Plural.Start < t.At.Start {
			return base[:t.Plural.Start] + fresh + "." + a.To.Group + base[t.At.End:]
		}
		return base[:t.At.Start] + a.To.Group + "_" + fresh + base[t.Plural.End:]
	}
	return ""
}
