package core

import (
	"cmp"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/project-codeflare/cfctl/internal/kindwords"
	"github.com/project-codeflare/cfctl/internal/lazyregexp"
	"github.com/project-codeflare/cfctl/internal/migrate/core/index"
	"github.com/project-codeflare/cfctl/internal/migrate/core/judge"
	"github.com/project-codeflare/cfctl/internal/migrate/core/refs"
	"github.com/project-codeflare/cfctl/internal/migrate/core/syntax"
	"github.com/project-codeflare/cfctl/internal/migrate/rules"
	"github.com/project-codeflare/cfctl/internal/migrate/text"
	"github.com/project-codeflare/cfctl/internal/source"
	"github.com/project-codeflare/cfctl/internal/source/find"
	"github.com/project-codeflare/cfctl/internal/spelling"
)

// A kind that gets another name is named without its group, too: by selectors of
// kustomize, policies, commands. So is a version that changes, by such selectors. Each of
// these places needs review, if the tree has the kind.

// Loose are the names that a tree may use without their group.
type Loose struct {
	core   *Core
	names  map[string]looseName
	finder *find.Finder

	mu       sync.Mutex
	others   map[string]bool // kinds that an object, CRD or rule of permissions of the tree has in another group
	operands []operand
}

// A looseName is a kind or resource of a rule.
type looseName struct {
	rule rules.Rule
	kind string
	to   string // "" where its version alone changes
	sure bool   // it has several words: kubectl names no other resource by it, unless the tree has one
}

// An operand is a name that a command of kubectl takes.
type operand struct {
	file *File
	at   int
	name looseName
}

// Kustomizations are the names of the files of which selectors may name a version alone.
var Kustomizations = []string{"kustomization.yaml", "kustomization.yml", "Kustomization"}

// LooseNeedles are the strings of which a file holds one that names a kind that gets
// another name, or its resource.
func (c *Core) LooseNeedles() (list []string) {
	for name := range c.renamed {
		list = append(list, name, strings.ToLower(name))
	}
	slices.Sort(list)
	return list
}

// LooseOf are the names of the kinds that the files of a tree tell of; nil for none. Where no
// file tells of a kind of a group, an apiVersion that names none may be of each.
func (c *Core) LooseOf(files []*File) *Loose {
	facts := index.New()
	nameless := map[string]bool{}
	for _, f := range files {
		facts.Add(f.facts)
		for _, g := range f.alone {
			nameless[g] = true
		}
		for _, r := range f.refs {
			if !r.text && f.loose[r.known.Group].name == "" && r.verdict.Action() == judge.Rewrite && len(r.known.Kinds)+len(r.known.Plurals) == 0 {
				nameless[r.known.Group] = true
			}
		}
	}
	l := &Loose{core: c, names: map[string]looseName{}, others: map[string]bool{}}
	for _, g := range c.table.Groups() {
		all := facts.Kinds(g)
		for _, x := range c.table.RulesOf(g) {
			switch kind := x.From.Kind; {
			case kind == "":
				for _, k := range all {
					l.add(x, k)
				}
			case slices.Contains(all, kind) || len(facts.Plurals(g, kind)) > 0 || len(all) == 0 && nameless[g]:
				l.add(x, kind)
			}
		}
	}
	if len(l.names) == 0 {
		return nil
	}
	l.finder = find.New(l.Needles())
	return l
}

func (l *Loose) add(x rules.Rule, kind string) {
	switch to := x.To; {
	case to.Kind != "" && to.Kind != kind && spelling.KindOfKubernetes(kind):
	case to.Kind != "" && to.Kind != kind:
		old, again := l.names[kind]
		sure := len(kindwords.Split(kind)) > 1 && !l.core.opts.Dual && (!again || old.to == "" || old.sure && old.rule.From.Group == x.From.Group && old.to == to.Kind)
		l.names[kind] = looseName{x, kind, to.Kind, sure}
		l.names[cmp.Or(x.From.Plural, rules.Plurals(kind)[0])] = looseName{x, kind, cmp.Or(to.Plural, rules.Plurals(to.Kind)[0]), sure}
		l.names[strings.ToLower(kind)] = looseName{x, kind, strings.ToLower(to.Kind), sure}
	case x.From.Version != "" && to.Version != "" && to.Version != x.From.Version && l.names[kind].to == "":
		l.names[kind] = looseName{x, kind, "", false}
	}
}

// Needles are the strings of which a file must hold one.
func (l *Loose) Needles() []string { return slices.Sorted(maps.Keys(l.names)) }

// Read notes the loose names of a file, and says whether it has one.
func (l *Loose) Read(f *File, data []byte) bool {
	kustomization := slices.Contains(Kustomizations, baseOf(f.Path))
	if f.kept == nil {
		f.kept = l.core.Keeper(f.Path, data)
	}
	if strings.HasSuffix(f.Path, ".go") {
		l.goFile(f, data)
	} else {
		words := &judge.File{}
		syntax.Read(f.Path, data, l.finder.Match).Leaves(func(n *syntax.Node) {
			if n.Kind == syntax.Entry && len(n.Text()) < 400 {
				l.leaf(f, words, n, data, kustomization)
			}
		})
	}
	row := l.core.past(f.Path, data)
	if row == nil && judge.IsProposal(f.Path) {
		row = judge.Proposal
	}
	if row != nil {
		for i := range f.loosed {
			f.loosed[i] = f.loosed[i].As(judge.Because(row, ""))
		}
	}
	f.locateLoose(data)
	return len(f.loosed) > 0
}

func (l *Loose) leaf(f *File, words *judge.File, n *syntax.Node, data []byte, kustomization bool) {
	object, sure := n, false
	if n.Up != nil && n.Up.Kind == syntax.Command {
		takes, operand := judge.Takes(words, n)
		if sure = operand; !takes {
			return
		}
	} else {
		label := n.Label()
		if !refs.IsName(label) {
			if m := comparesKind.FindSubmatchIndex(n.Text()); m != nil {
				l.note(f, n, m[2], m[3], data, false)
			} else if n.Quoted && comparedKind.Match(n.View.B[max(0, n.Start-60):n.Start]) {
				l.note(f, n, 0, len(n.Text()), data, false)
			}
			return
		}
		beside, own := besideGroup(n)
		if object = beside; own || label == "resources" && kustomization || isDefinition(n.Document()) {
			l.ofOther(f, n, beside)
			return
		}
	}
	for _, m := range namesIn.Get().FindAllIndex(n.Text(), -1) {
		if x, ok := l.names[string(n.Text()[m[0]:m[1]])]; ok && x.to == "" {
			if v := object.Child("version"); kustomization && v != nil && v.String() == x.rule.From.Version {
				l.site(f, v, v.Start, v.End, x.rule.To.Version, x.rule, data)
			}
		}
		l.note(f, n, m[0], m[1], data, sure && (m[0] == 0 || n.Text()[m[0]-1] == ','))
	}
}

// namesIn are the names in a list of names, with or without those of objects.
var namesIn = lazyregexp.New(`[^,/\s](?:[^,/]*[^,/\s])?`)

// comparesKind is an expression that compares a kind or resource with a string.
var comparesKind = lazyregexp.New(`(?i:kind|resource)\w*["')\]]*\s*(?:==|!=|=~|in)\s*[\[(]?\s*["']([A-Za-z]+)["']`)

// comparedKind is what is before a string that the kind of an object is compared with.
var comparedKind = lazyregexp.New(`["']kind["']\s*[\])]\s*(?:={2,3}|!==?|(?:not )?in)\s*[\[({]?\s*["'\x60]$`)

// anyGroup is the begin of a group or apiVersion that is any one, or that comes from somewhere
// else, which changes without the kind: a template, a variable, a constant that is joined to a version.
var anyGroup = lazyregexp.New(`^(?:\*|[{$%/]|[A-Z_][A-Z0-9_]*$)`)

// mostGroups is how many groups of a list are looked at: each name beside it looks at them.
const mostGroups = 30

// besideGroup says whether the object of a name has a group or an apiVersion as well.
func besideGroup(n *syntax.Node) (object *syntax.Node, own bool) {
	o := n.Up
	for o != nil && o.Up != nil && (n.Item && o.Name != "" || o.IsList()) && len(o.Kids) > 0 && o.Kids[0].Item {
		o = o.Up
	}
	if o == nil {
		return n, false
	}
	for _, k := range n.Near(o) {
		label := syntax.Normal(k.Name)
		if k.Kind != syntax.Entry || !refs.IsGroup(label) && !refs.IsAPIVersion(label) {
			continue
		}
		list := k.Kids
		if k.End > k.Start {
			list = []*syntax.Node{k}
		}
		// An action in a list is several texts, of which the first begins it, or a collection.
		// Lists that generators write have none, and are asked about for each resource.
		if list = list[:min(len(list), mostGroups)]; len(list) > 0 && !slices.ContainsFunc(list, func(v *syntax.Node) bool { return len(v.Kids) > 0 || anyGroup.Match(v.Text()) }) {
			return o, true
		}
	}
	return o, false
}

// ofOther notes a kind or resource that an object, a CRD or a rule of permissions has in another group
// than its rule. It is kept there: the words of a kind change in every text.
func (l *Loose) ofOther(f *File, n, object *syntax.Node) {
	name, _, _ := strings.Cut(n.String(), "/")
	x, ok := l.names[name]
	if !ok {
		return
	}
	if spec := n.Document().Child("spec"); isDefinition(n.Document()) && n.Within(spec) {
		object = spec
	}
	for _, label := range []string{"apiversion", "group", "apigroup", "apigroups"} {
		k := object.Child(label)
		if k == nil {
			continue
		}
		list := k.Kids[:min(len(k.Kids), mostGroups)]
		if k.End > k.Start {
			list = []*syntax.Node{k}
		}
		isOther := func(v *syntax.Node) bool {
			group, _, _ := strings.Cut(v.String(), "/")
			known := strings.Contains(group, ".") || refs.IsAPIVersion(label) // one of PROJECT is the first label of a group
			return known && !anyGroup.MatchString(group) && len(l.core.table.RulesOf(group)) == 0 && group != x.rule.To.Group
		}
		if !slices.ContainsFunc(list, isOther) {
			continue
		}
		l.mu.Lock()
		l.others[x.kind] = true
		l.mu.Unlock()
		own := slices.ContainsFunc(list, func(v *syntax.Node) bool { return !isOther(v) })
		if at, ok := n.View.Span(n.Start, n.Start+len(name)); ok && !own && x.to != "" {
			f.loosed = append(f.loosed, Site{Span: at, Verdict: judge.Because(judge.NotKind, "its object is of "+list[0].String()), Old: name})
		}
	}
}

// Settle changes the names that kubectl takes, and are those of no other group of the tree, once all of
// its files are read; the others are asked about.
func (l *Loose) Settle() {
	if l == nil {
		return
	}
	for _, x := range l.operands {
		i, ok := slices.BinarySearchFunc(x.file.loosed, x.at, func(s Site, at int) int { return s.Start - at })
		if !ok || l.others[x.name.kind] || x.file.loosed[i].Action() != judge.Review { // that of a file of the past
			continue
		}
		s := &x.file.loosed[i]
		*s = Site{Span: s.Span, Pos: s.Pos, Verdict: judge.Because(judge.NamedResource, ""), Old: s.Old, New: x.name.to, Rule: s.Rule, Edits: []source.Edit{{Span: s.Span, Old: s.Old, New: x.name.to}}}
	}
}

// note takes in a name, which is asked about. Where it is sure that it is one, the tree decides.
func (l *Loose) note(f *File, n *syntax.Node, from, to int, data []byte, sure bool) {
	name := string(n.Text()[from:to])
	x, ok := l.names[name]
	if !ok || x.to == "" || x.to == name {
		return
	}
	l.site(f, n, n.Start+from, n.Start+to, x.to, x.rule, data)
	if at, ok := n.View.Span(n.Start+from, n.Start+to); ok && sure && x.sure {
		l.mu.Lock()
		l.operands = append(l.operands, operand{f, at.Start, x})
		l.mu.Unlock()
	}
}

func (l *Loose) site(f *File, n *syntax.Node, from, to int, fresh string, x rules.Rule, data []byte) {
	at, ok := n.View.Span(from, to)
	if !ok {
		return
	}
	f.looseSite(data, at, fresh, x, "nothing next to it names a group, and ")
}

// looseSite adds a name to those that no reference has.
func (f *File) looseSite(data []byte, at source.Span, fresh string, x rules.Rule, why string) {
	old := string(at.Of(data))
	v := judge.Because(judge.LooseName, why+old+" of "+x.From.Group+" becomes "+fresh)
	f.loosed = append(f.loosed, Site{Span: at, Verdict: v.Hinted("write " + fresh + " if it is that one, or keep it with a comment cfctl:keep REASON"), Old: old, Rule: x.Called()})
}

// locateLoose notes the positions of what is loose or built in a file, each name once and in their
// order.
func (f *File) locateLoose(data []byte) {
	slices.SortStableFunc(f.loosed, func(a, b Site) int { return a.Start - b.Start })
	f.loosed = slices.CompactFunc(f.loosed, func(a, b Site) bool { return a.Start == b.Start })
	walk := text.Positions{Data: data, At: source.Position{Line: 1, Column: 1}}
	for i, s := range f.loosed {
		f.loosed[i].Pos = walk.To(s.Start)
	}
	slices.SortStableFunc(f.built, func(a, b built) int { return a.Start - b.Start })
	end := 0
	f.built = slices.DeleteFunc(f.built, func(b built) bool {
		again := b.Start < end && b.step.From.Version == ""
		if !again {
			end = max(end, b.End)
		}
		return again
	})
	for i, b := range f.built {
		f.built[i].pos = walk.To(b.begin)
	}
}

// addLoose adds the sites of loose names that no reference of the file has. Both are in their order.
func (f *File) addLoose() {
	end, i, own := 0, 0, len(f.Sites)
	for _, s := range f.kept.Keep(f.loosed) {
		for ; i < own && f.Sites[i].Start <= s.Start; i++ {
			end = max(end, f.Sites[i].End)
		}
		if s.Start >= end {
			f.Sites = append(f.Sites, s)
		}
	}
}
