package gorefactor

import (
	"cmp"
	"context"
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/project-codeflare/cfctl/internal/charts"
	"github.com/project-codeflare/cfctl/internal/kindwords"
	"github.com/project-codeflare/cfctl/internal/source"
	"github.com/project-codeflare/cfctl/internal/spelling"
)

// A target is a kind that gets another name, with the packages that own it.
type target struct {
	rule    Rule
	kind    *kindwords.Kind
	owners  []*API
	alone   bool // no other API has the kind
	unique  bool // and it has several words, which are
	project bool // not the name of a project
}

// A planner makes one plan. What it does in turn has a type each, which knows what came before.
type planner struct {
	t      *Tree
	opt    Options
	needed func(name string, text []byte) bool
	plan   *Plan
	apis   []*API
	set    *kindwords.Set
	taken  map[string]bool   // paths
	dirs   map[string]string // folders that move, to where
	tokens map[string]string // what is named after a kind as kubebuilder does
	values *charts.Values
	found
}

// What is found of the rules in a tree.
type found struct {
	targets       map[*kindwords.Kind]*target
	inOrder       []*target // the targets in the order of the rules
	steps         []*step
	clients       []*client
	copies        []*twin               // versions that are added
	seeds         map[token.Pos]*target // types of the families
	members       map[string]*target    // their names
	about, within map[*File]*target     // files of clients that are named after a kind, and of a folder that is, as that of a controller
	parts         []part
	gates         map[types.Object]string // constants that are names of feature gates
}

// Identifiers are those of a tree whose names may change.
type identifiers struct {
	*planner
	funcs     map[token.Pos]*ast.FuncDecl // by the position of their names
	proposals map[string]*proposal
	entities  map[any]*entity
	order     []*entity
	uses      []*occurrence
	claims    map[[2]any]*entity  // names that entities get, by scope
	local     map[imported]string // names by which files import packages, where the package's own is taken
}

func newIdentifiers(p *planner) *identifiers {
	return &identifiers{planner: p, funcs: map[token.Pos]*ast.FuncDecl{}, proposals: map[string]*proposal{}, entities: map[any]*entity{},
		claims: map[[2]any]*entity{}, local: map[imported]string{}}
}

// A wording changes the names in texts.
type wording struct {
	*identifiers
	fresh     map[string]string // exported names of several words, for comments
	movedBase map[string]bool   // names of files that move
	folders   map[string]bool   // names of folders that spell a kind with separators, and stay
	kept      map[string]bool   // names with separators in YAML and JSON, which are not changed anywhere
	affixes   []string          // of names that programs complete
}

// The steps of a plan.
type (
	finder  struct{ *planner }     // resolves the rules to what the tree has
	copier  struct{ *identifiers } // adds versions
	decider struct{ *identifiers } // says which identifiers change
	mover   struct{ *wording }     // moves files, and changes imports
	texts   struct{ *wording }     // changes comments, strings and other files
)

// Plan decides about a tree that was loaded with the bodies that Needed names.
// A rule about an API that no package of the tree registers changes nothing.
func (t *Tree) Plan(ctx context.Context, rules []Rule, opt Options) (*Plan, error) {
	p := &planner{t: t, opt: opt, needed: Needed(rules), apis: t.APIs(rules), taken: map[string]bool{}, dirs: map[string]string{}, tokens: map[string]string{},
		plan: &Plan{Edits: map[string][]source.Edit{}, Moves: map[string]string{}, Create: map[string][]byte{}},
		found: found{targets: map[*kindwords.Kind]*target{}, seeds: map[token.Pos]*target{}, members: map[string]*target{},
			about: map[*File]*target{}, within: map[*File]*target{}, gates: map[types.Object]string{}}}
	p.plan.Review = append(p.plan.Review, t.Broken...)
	for _, name := range t.Paths {
		p.taken[name] = true
	}
	find := finder{p}
	find.findTargets(rules)
	find.findClientNames(rules)
	find.findSteps(rules)
	if len(p.targets)+len(p.steps)+len(p.clients)+len(p.copies) == 0 {
		sortEntries(p.plan.Review)
		return p.plan, nil
	}
	ids := newIdentifiers(p)
	if len(p.copies) > 0 {
		rules := slices.Clone(rules)
		for i := range rules {
			rules[i].Step = Move
		}
		moved, err := t.Plan(ctx, rules, opt)
		if err != nil {
			return nil, err
		}
		copier{ids}.copy(p.copies, func(name string) (string, []byte, error) {
			data, err := t.read(name)
			if err == nil {
				data, err = source.Apply(data, moved.Edits[name])
			}
			return cmp.Or(moved.Moves[name], name), data, err
		})
	}
	ids.collect()
	decide := &decider{ids}
	decide.decide()
	words := &wording{identifiers: ids, kept: map[string]bool{}}
	words.scaffold()
	move := mover{words}
	move.moveFiles()
	move.editImports()
	decide.editIdentifiers()
	if err := (&texts{words}).editTexts(ctx); err != nil {
		return nil, err
	}
	if err := p.finish(); err != nil {
		return nil, err
	}
	return p.plan, nil
}

// review adds an entry.
func (p *planner) review(id, name string, pos token.Pos, n int, hint, format string, args ...any) *Entry {
	e := Entry{ID: id, Path: name, Why: fmt.Sprintf(format, args...), Hint: hint, N: n}
	if pos.IsValid() {
		at := p.t.Fset.PositionFor(pos, false)
		e.Path, e.Pos = at.Filename, source.Position{Line: at.Line, Column: at.Column}
	}
	p.plan.Review = append(p.plan.Review, e)
	return &p.plan.Review[len(p.plan.Review)-1]
}

// findTargets resolves the rules that rename kinds to packages.
func (p finder) findTargets(rules []Rule) {
	var kinds []*kindwords.Kind
	groups := map[string]string{}
	for _, r := range rules {
		if groups[r.Group] = r.toGroup(); !r.renames() {
			continue
		}
		r.Plural, r.ToPlural = kindwords.PluralOf(r.Plural, r.Kind), kindwords.PluralOf(r.ToPlural, r.ToKind)
		tg := &target{rule: r, owners: p.owners(r)}
		others, longer := 0, []string(nil) // the other kinds of the tree that contain it
		for _, a := range p.apis {
			for _, x := range a.Kinds {
				if kindwords.Contains(x, r.Kind) {
					longer = append(longer, x)
				}
			}
			if slices.Contains(a.Kinds, r.Kind) && !slices.Contains(tg.owners, a) {
				others++
			}
		}
		if len(tg.owners) == 0 {
			p.registeredAs(r)
		}
		if len(tg.owners) == 0 && !r.Declared || len(tg.owners) > 0 && p.kindTaken(tg, rules) {
			continue
		}
		abbreviations := map[string]string{strings.ToLower(r.Kind) + "log": strings.ToLower(r.ToKind) + "log"} // a variable of kubebuilder
		maps.Copy(abbreviations, r.Alias)
		k := &kindwords.Kind{Old: r.Kind, New: r.ToKind, OldPlural: r.Plural, NewPlural: r.ToPlural, Alias: abbreviations, Types: len(tg.owners) == 0}
		maps.DeleteFunc(k.Alias, func(old, _ string) bool { return ast.IsExported(old) })
		tg.alone = others == 0 && !spelling.KindOfKubernetes(r.Kind)
		tg.project = len(kindwords.Split(k.Old)) > 1 && p.isProject(r)
		tg.unique = tg.alone && len(kindwords.Split(k.Old)) > 1 && !tg.project
		k.Unique = tg.unique && !r.Surface
		k.Longer = longer
		tg.kind = k
		p.targets[k] = tg
		p.inOrder, p.parts = append(p.inOrder, tg), append(p.parts, alias{k})
		kinds = append(append(kinds, k), p.family(tg)...)
	}
	p.findClientFiles()
	p.set = kindwords.NewSet(kinds...)
	p.values = charts.Read(p.t.Paths, p.t.read)
	p.set.Project(p.t.roots, groups, p.values.Folders)
	p.findKept(p.values.Names())
}

// isProject says whether a kind has the name of the project, by its module or its domain: MongoDB of mongodb.com.
func (p finder) isProject(r Rule) bool {
	labels := strings.Split(r.Group, ".")
	names := append(strings.FieldsFunc(p.t.roots["."], func(c rune) bool { return strings.ContainsRune("/.-", c) }), labels[max(0, len(labels)-2):]...)
	names = append(names, strings.ReplaceAll(path.Base(p.t.roots["."]), "-", "")) // big-widget
	return slices.ContainsFunc(names, func(name string) bool { return strings.EqualFold(name, r.Kind) })
}

// registeredAs reports a kind that Go code registers under a name which its type does not have: such
// names are in strings, which are not renamed.
func (p finder) registeredAs(r Rule) {
	for _, a := range p.apis {
		for _, x := range a.names {
			if x.kind == r.Kind && a.Group == r.Group && (r.Version == "" || r.Version == a.Version || a.Version == "") {
				p.review("registered-name", "", x.pos, 1, fmt.Sprintf("write %q there and in the other strings with this kind: git grep -n '\"%s\"' '*.go'", r.ToKind, x.kind),
					"the Go type %s is registered as the kind %q, which becomes %s", x.goType, x.kind, r.ToKind).Text = x.kind
			}
		}
	}
}

// owners are the APIs of the tree that have the kind of a rule.
func (p finder) owners(r Rule) []*API {
	return slices.DeleteFunc(slices.Clone(p.apis), func(a *API) bool {
		return !slices.Contains(a.Kinds, r.Kind) || a.Group != r.Group && a.Group != r.toGroup() || r.Version != "" && a.Version != "" && r.Version != a.Version
	})
}

// kindTaken reports a kind whose new name is a type already, or that another rule of the tree gives another one.
func (p finder) kindTaken(tg *target, all []Rule) bool {
	for _, r := range all {
		if r.Kind == tg.rule.Kind && r.renames() && r.ToKind != tg.rule.ToKind && len(p.owners(r)) > 0 {
			p.review("kind-taken", "", tg.owners[0].Package.Types.Scope().Lookup(r.Kind).Pos(), 1, "rename them one after the other, with a ruleset and a commit for each", "%q becomes %q and %q: no Go name tells which of both it is about", r.Kind, tg.rule.ToKind, r.ToKind)
			return true
		}
	}
	for _, a := range tg.owners {
		if obj := a.Package.Types.Scope().Lookup(tg.rule.ToKind); obj != nil {
			p.review("kind-taken", "", obj.Pos(), 1, fmt.Sprintf("rename or remove %s in %s, then run again", tg.rule.ToKind, a.Package.Dir),
				"%q cannot be renamed to %q: %s already declares %q", tg.rule.Kind, tg.rule.ToKind, a.Package.Dir, tg.rule.ToKind)
			return true
		}
		if len(a.Package.Broken) > 0 {
			p.review("package-broken", a.Package.Broken[0], token.NoPos, 1, "correct the file, then run again",
				"%q is not renamed: a file of its package does not parse", tg.rule.Kind)
			return true
		}
	}
	return false
}

// conventional are the words that follow a kind in the names of types about it.
// Source: https://github.com/kubernetes/community, api-conventions.md; kubebuilder
var conventional = []string{"List", "Spec", "Status", "Condition", "Conditions", "Type", "Phase", "State", "Reason", "Ref", "Reference", "Template",
	"Ready", "Reconciler", "Controller", "Webhook", "Defaulter", "Validator", "Interface", "Kind"}

// family finds the types of the API whose names begin with a kind: they are of it, unless
// they are of a longer one. Of a rule about the surface they are the kind and its list. The
// words of the rule name others; a WidgetSource may be about a kind Widget, or the source of
// something else, so that one of a kind of one word that they do not name needs review.
func (p finder) family(tg *target) (kinds []*kindwords.Kind) {
	k := tg.kind
	for _, a := range tg.owners {
		scope := a.Package.Types.Scope()
		for _, name := range scope.Names() {
			obj, isType := scope.Lookup(name).(*types.TypeName)
			rest, begins := strings.CutPrefix(name, k.Old)
			if words := kindwords.Split(rest); !isType && begins && !tg.rule.Surface && len(words) > 0 && (slices.Contains(conventional, words[0]) || slices.Contains(conventional, words[len(words)-1])) { // WidgetConditionReady, WidgetReadyCondition
				p.seeds[scope.Lookup(name).Pos()] = tg
			}
			if !isType || name != k.Old && !kindwords.Contains(name, k.Old) {
				continue
			}
			switch to := tg.rule.Alias[name]; {
			case tg.rule.Surface && rest != "" && rest != "List", to == name:
				k.Longer = append(k.Longer, name)
				continue
			case !begins || slices.ContainsFunc(k.Longer, func(x string) bool { return strings.HasPrefix(name, x) }):
				continue
			case slices.ContainsFunc(kinds, func(x *kindwords.Kind) bool { return strings.HasPrefix(name, x.Old) }):
			case to != "":
				x := &kindwords.Kind{Old: name, New: to}
				p.targets[x], kinds = tg, append(kinds, x)
			case (tg.project || len(kindwords.Split(k.Old)) == 1) && !p.opt.Off["kind-part"] && slices.ContainsFunc(kindwords.Split(rest), func(word string) bool { return !slices.Contains(conventional, word) }):
				k.Longer = append(k.Longer, name)
				p.review("kind-part", "", obj.Pos(), 1, fmt.Sprintf("rename it with words: {%s: %s%s} in the rule, or keep it: words: {%[1]s: %[1]s}", name, k.New, rest),
					"%s is not renamed: what begins with %s may have a name of its own", name, k.Old).Text = name
				continue
			}
			p.seed(obj, tg)
		}
	}
	return kinds
}

// edit adds an edit. The first one of a span wins.
func (p *planner) edit(name string, start, end int, old, fresh string) {
	if old != fresh {
		p.plan.Edits[name] = append(p.plan.Edits[name], source.Edit{Span: source.Span{Start: start, End: end}, New: fresh, Old: old})
	}
}

// finish sorts the edits, drops those within others, and lists the generated ones.
func (p *planner) finish() error {
	for _, name := range slices.Sorted(maps.Keys(p.plan.Edits)) {
		kept := settle(p.plan.Edits[name])
		data, err := p.t.read(name)
		if err != nil {
			return err
		}
		p.plan.Edits[name] = kept
		if by, ok := generated(data); ok && path.Base(name) != "PROJECT" { // nothing writes that again
			p.plan.Generated = append(p.plan.Generated, Generated{name, by})
		}
	}
	sortGenerated(p.plan.Generated)
	sortEntries(p.plan.Review)
	return nil
}

// settle sorts edits and drops those within others: of two of one span, the first one counts.
func settle(edits []source.Edit) []source.Edit {
	slices.SortStableFunc(edits, func(a, b source.Edit) int {
		return cmp.Or(cmp.Compare(a.Start, b.Start), cmp.Compare(b.End, a.End))
	})
	kept := edits[:0]
	for _, e := range edits {
		if len(kept) == 0 || e.Start >= kept[len(kept)-1].End && e.Span != kept[len(kept)-1].Span {
			kept = append(kept, e)
		}
	}
	return kept
}

// runs is the order of generators: later ones read what earlier ones write.
var runs = []string{"deepcopy", "controller-gen", "defaulter", "conversion", "register", "applyconfiguration", "client-gen", "lister", "informer", "openapi", "mock", "bindata"}

// sortGenerated orders files by their generators, then by path.
func sortGenerated(list []Generated) {
	rank := func(g Generated) uint { // one that is not known is the last
		return uint(slices.IndexFunc(runs, func(name string) bool { return strings.Contains(strings.ToLower(g.By), name) }))
	}
	slices.SortFunc(list, func(a, b Generated) int {
		return cmp.Or(cmp.Compare(rank(a), rank(b)), cmp.Compare(a.Path, b.Path))
	})
}
