package migrate

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"go/types"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"
	"sync"

	"github.com/project-codeflare/cfctl/internal/gorefactor"
	"github.com/project-codeflare/cfctl/internal/migrate/core"
	"github.com/project-codeflare/cfctl/internal/migrate/core/judge"
	"github.com/project-codeflare/cfctl/internal/migrate/core/syntax"
	"github.com/project-codeflare/cfctl/internal/migrate/rules"
	"github.com/project-codeflare/cfctl/internal/migrate/text"
	"github.com/project-codeflare/cfctl/internal/source"
)

// A refactoring is what becomes of the Go code of a tree that owns an API:
// identifiers, packages of versions, and the texts around them. The tree is
// loaded once, and only if it has what the rules rename.
type refactoring struct {
	m     *Migration
	tree  treeFS
	rules []gorefactor.Rule
	whole bool // all of a work tree was named

	mu    sync.Mutex
	owner []string            // files that define a group of the rules
	named map[string][]string // by group: generated files with clients that are named after it
	paths []string

	ruleOf map[string]int    // by what is renamed: the index of its rule, -1 for none
	owned  map[string]bool   // groups that the tree defines
	types  map[string]string // files of other languages, by the types of kinds that they declare
	shared map[string]bool   // such types that kinds of other groups have, too
}

// A treeFS is a tree as gorefactor reads it, by the names of its files.
type treeFS struct{ *source.Tree }

func (t treeFS) Open(name string) (fs.File, error) {
	return nil, &fs.PathError{Op: "open", Path: name, Err: errors.ErrUnsupported}
}

// newRefactoring is nil where the rules change nothing in Go code.
func (m *Migration) newRefactoring(t *source.Tree) *refactoring {
	r := &refactoring{m: m, tree: treeFS{t}, ruleOf: map[string]int{}, owned: map[string]bool{}, types: map[string]string{}, shared: map[string]bool{}, named: map[string][]string{}, rules: m.goRules(),
		whole: t.Base() == "" || t.Covers(".") || t.OneFolder()}
	if m.opts.References || len(r.rules) == 0 || len(m.opts.Only) > 0 && !slices.Contains(m.opts.Only, "go") {
		return nil
	}
	return r
}

// goRules are the rules that change names of Go: a kind, a version, the
// first part of a group.
func (m *Migration) goRules() []gorefactor.Rule {
	t, o := m.rules, &m.opts
	var list []gorefactor.Rule
	for _, group := range t.Groups() {
		for _, rule := range t.RulesOf(group) {
			to := rule.To
			if a := t.Ask(rule.From); a.Outcome == rules.Moves {
				to = a.To
			}
			r := gorefactor.Rule{ID: rule.ID, Set: rule.Set, Group: rule.From.Group, Version: rule.From.Version, Kind: rule.From.Kind, Plural: rule.From.Plural,
				ToGroup: to.Group, ToVersion: to.Version, ToKind: to.Kind, ToPlural: to.Plural, Step: gorefactor.Step(o.GoStep),
				Surface: rule.Words.Surface()}
			if !r.Surface {
				r.Alias = rule.Words
			}
			if o.GoOff { // gopls renames kinds, and the packages of versions are told
				r.ToGroup, r.Step = group, gorefactor.Leave
			}
			if m.unnamed {
				r.ToKind = r.Kind
			}
			matters := r.Changes()
			if o.Dual {
				matters = r.ToGroup != "" && r.ToGroup != group
			}
			if !rule.Gone() && strings.Contains(group, ".") && matters {
				list = append(list, r)
			}
		}
	}
	return list
}

// only says whether there is no more of the work tree than what was named.
func (r *refactoring) only(all bool) {
	if r != nil {
		r.whole = r.whole && all
	}
}

// note looks at a file that has an old name.
func (r *refactoring) note(name string, data []byte) {
	if r == nil {
		return
	}
	if path.Ext(name) != ".go" {
		r.declares(name, data)
		return
	}
	generated := bytes.Contains(data[:min(len(data), 1024)], []byte("Code generated"))
	var found []string // groups
	for _, x := range r.rules {
		if generated && hasClient(x, data) || !generated && (x.OfOwner() || r.m.opts.Dual) && definesGroup(data, x.Group) {
			found = append(found, x.Group)
		}
	}
	if len(found) == 0 {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, group := range found {
		r.owned[group] = true
		if generated && !slices.Contains(r.named[group], name) {
			r.named[group] = append(r.named[group], name)
		}
	}
	if !generated {
		r.owner = append(r.owner, name)
	}
}

// hasClient says whether a generated file may have a client that is named after the group of a
// rule: WidgetsV1, of widgets.example.com.
func hasClient(x gorefactor.Rule, data []byte) bool {
	if !x.Regroups() {
		return false
	}
	label, _, _ := strings.Cut(strings.ToLower(x.Group), ".")
	name := strings.ToUpper(label[:1]) + label[1:] + "V"
	for at := range source.All(data, name) {
		if end := at + len(name); end < len(data) && '0' <= data[end] && data[end] <= '9' {
			return true
		}
	}
	return false
}

// tellClients reports generated files with clients that are named after a group, where the plan
// does not rename them and no marker +groupGoName says that they have that name.
func (r *refactoring) tellClients(made *gorefactor.Plan) {
	for _, x := range r.rules {
		list := slices.DeleteFunc(slices.Sorted(slices.Values(r.named[x.Group])), func(name string) bool { return r.past(name) || len(made.Edits[name]) > 0 })
		if len(list) == 0 || x.Kind != "" || x.Version != "" || !x.Regroups() || slices.Contains(made.Clients, x.Group) || slices.Contains(made.Clients, x.ToGroup) {
			continue
		}
		made.Review = append(made.Review, gorefactor.Entry{ID: "client-name", Path: list[0], N: len(list), Hint: "generate the clients again",
			Why: fmt.Sprintf("generated clients are named after %s, which becomes %s", x.Group, x.ToGroup)})
	}
}

// asks says whether the tree may have what the rules rename.
func (r *refactoring) asks() bool {
	return r != nil && len(r.named)+len(r.owner) > 0
}

// seen hears of a file of the tree.
func (r *refactoring) seen(name, _ []byte) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.paths = append(r.paths, string(name))
}

// plan adds what becomes of the Go code of the tree to a plan.
func (r *refactoring) plan(ctx context.Context, p *Plan, o source.WalkOptions) error {
	if !r.asks() {
		return nil
	}
	if i := slices.IndexFunc(r.rules, func(x gorefactor.Rule) bool {
		return r.owned[x.Group] && (x.ToGroup != "" && x.ToGroup != x.Group || x.ToKind != "" && x.ToKind != x.Kind)
	}); i >= 0 && r.m.opts.GoStep == string(gorefactor.Copy) && !r.m.opts.Dual && !r.m.opts.GoOff {
		return &source.Error{Path: "--go-version-package", Err: fmt.Errorf("rule %s changes more than a version, so that the package of its version cannot be copied", r.rules[i].ID), Hint: "move it, or leave it"}
	}
	if !r.whole && r.m.opts.Dual && r.m.opts.GoStep != string(gorefactor.Copy) {
		return nil
	}
	if !r.whole && r.m.opts.GoOff {
		return nil
	}
	if !r.whole {
		r.report(p, gorefactor.Entry{ID: "go-part", Why: "Go identifiers and packages are renamed only in a whole work tree, and a part of one was named", Hint: "run cfctl migrate at the top of the work tree"})
		return nil
	}
	if !r.m.opts.GoOff {
		r.tellTypes(p)
	}
	if len(r.owner) == 0 || r.m.opts.Dual {
		r.paths = slices.DeleteFunc(r.paths, func(name string) bool { return path.Ext(name) != ".go" && path.Base(name) != "go.mod" })
	}
	if r.m.opts.Dual {
		return r.planDual(ctx, p, o)
	}
	loaded, err := gorefactor.Load(ctx, r.tree, r.paths, gorefactor.LoadOptions{Bodies: gorefactor.Needed(r.rules)})
	if err != nil {
		return err
	}
	made, err := loaded.Plan(ctx, r.rules, gorefactor.Options{Off: r.m.off, History: r.past, Own: r.own})
	if err != nil {
		return err
	}
	r.tellClients(made)
	if r.m.opts.GoOff {
		p.Renames = renames(loaded, made)
		made = &gorefactor.Plan{Review: slices.DeleteFunc(made.Review, func(e gorefactor.Entry) bool { return !strings.HasPrefix(e.ID, "version-") })}
	}
	_, err = r.adopt(ctx, p, loaded, made)
	p.Unchecked = p.TypeChecked == 0 && !slices.ContainsFunc(p.Files, func(f *File) bool { return f.Format == "go" && f.Changes() })
	return err
}

// adopt makes a plan for Go code a part of a plan. With a new type error, it is
// left out, and reported.
func (r *refactoring) adopt(ctx context.Context, p *Plan, loaded *gorefactor.Tree, made *gorefactor.Plan) (bool, error) {
	next := p.copied()
	changes, err := r.merge(next, made)
	if err != nil {
		return false, err
	}
	if changes {
		fault, err := r.check(ctx, next, loaded, made)
		if err != nil {
			return false, err
		}
		if fault != nil {
			r.report(p, gorefactor.Entry{ID: "go-types", Hint: "rename them with gopls rename, or correct what is named here and run again",
				Why: fmt.Sprintf("Go identifiers, packages and texts about them are not renamed: it would add a type error at %s:%d:%d: %s", fault.Path, fault.Line, fault.Column, strings.TrimSpace(fault.Msg))})
			return false, nil
		}
	}
	*p = *next
	return true, nil
}

// copied is a plan whose files can be changed on their own.
func (p *Plan) copied() *Plan {
	next := *p
	next.Files = make([]*File, len(p.Files))
	for i, f := range p.Files {
		own := *f
		own.Sites = slices.Clone(f.Sites)
		next.Files[i] = &own
	}
	return &next
}

// past says whether the names of a file are right as they are.
func (r *refactoring) past(name string) bool {
	place := r.m.placeOf(name)
	if path.Ext(name) != ".go" && (judge.Past(place, nil, func() bool { return false }, r.m.off) != nil || r.ofItsTime(name, place)) {
		return true
	}
	_, kept := r.m.opts.Keep.Of(place, "")
	return kept || slices.ContainsFunc(r.m.rules.KeptPaths(), func(k rules.Keep) bool { return matchPath(k.Path, place) })
}

// ofItsTime says whether the rules leave a document as it is: a design, where no group
// changes, and one that is named after the old version, except next to Go code.
func (r *refactoring) ofItsTime(name, place string) bool {
	if judge.IsProposal(place) && !r.m.off["proposal"] {
		return !slices.ContainsFunc(r.rules, func(x gorefactor.Rule) bool { return x.ToGroup != "" && x.ToGroup != x.Group })
	}
	return !r.m.off["version-folder"] && syntax.FormatOf(name, nil) == "markdown" && slices.ContainsFunc(r.rules, func(x gorefactor.Rule) bool {
		return x.Version != "" && x.Version != x.ToVersion && judge.IsOfVersion(place, x.Version, true)
	}) && !slices.ContainsFunc(r.paths, func(other string) bool { return path.Dir(other) == path.Dir(name) && path.Ext(other) == ".go" })
}

// own says whether a text is one of the rulesets, or a guide by its title.
func (r *refactoring) own(name string, data []byte) bool {
	return path.Ext(name) != ".go" && judge.Past(r.m.placeOf(name), data, func() bool { return false }, r.m.off) != nil || slices.ContainsFunc(r.m.opts.Rulesets, func(set *Ruleset) bool { return set.Is(data) })
}

// report adds an entry for all Go code that the rules are about.
func (r *refactoring) report(p *Plan, e gorefactor.Entry) {
	r.reportAt(p, slices.Min(slices.Concat(slices.Concat(slices.Collect(maps.Values(r.named))...), r.owner)), e)
}

// reportAt adds an entry for a file.
func (r *refactoring) reportAt(p *Plan, name string, e gorefactor.Entry) {
	data, err := r.tree.ReadFile(name)
	if err != nil {
		return
	}
	i := slices.IndexFunc(p.Files, func(f *File) bool { return f.Path == name })
	if i < 0 {
		i, p.Files = len(p.Files), append(p.Files, r.m.newFile(name, data))
	}
	p.Files[i].add(data, entrySite(data, path.Base(name), e))
}

// merge adds the edits, moves, new files and entries of a plan for Go code to
// the files of a plan, and returns whether it changes any.
func (r *refactoring) merge(p *Plan, made *gorefactor.Plan) (changes bool, err error) {
	entries := map[string][]gorefactor.Entry{}
	for _, e := range made.Review {
		entries[e.Path] = append(entries[e.Path], e)
	}
	names := slices.Sorted(slices.Values(slices.Concat(slices.Collect(maps.Keys(made.Edits)), slices.Collect(maps.Keys(made.Moves)), slices.Collect(maps.Keys(entries)))))
	byPath := map[string]*File{}
	for _, f := range p.Files {
		byPath[f.Path] = f
	}
	touched := map[string]bool{}
	for _, name := range slices.Compact(names) {
		data, err := r.tree.ReadFile(name)
		if err != nil {
			return false, err
		}
		f := byPath[name]
		switch {
		case f == nil:
			f = r.m.newFile(name, data)
			p.Files = append(p.Files, f)
		case f.Skip != nil:
			continue
		case f.Sum != source.SumOf(data):
			return false, &source.Error{Path: name, Err: errChanged, Hint: "run cfctl again"}
		}
		if f.unchosen {
			continue
		}
		r.mergeFile(f, data, made.Edits[name], made.Moves[name])
		for _, e := range entries[name] {
			f.add(data, entrySite(data, path.Base(name), e))
		}
		slices.SortStableFunc(f.Sites, func(a, b Site) int { return a.Start - b.Start })
		touched[name] = len(made.Edits[name]) > 0 || made.Moves[name] != ""
		changes = changes || touched[name]
	}
	for _, name := range slices.Sorted(maps.Keys(made.Create)) {
		f := r.m.newFile(name, made.Create[name])
		f.Twin, f.created = &Twin{Path: name, Data: made.Create[name]}, true
		p.Files, changes = append(p.Files, f), true
	}
	for _, g := range made.Generated {
		if !slices.Contains(p.Generators, g.By) && touched[g.Path] {
			p.Generators = append(p.Generators, g.By)
		}
	}
	return changes, nil
}

// check type-checks the tree as the plan leaves it, and returns the first error
// that the plan adds.
func (r *refactoring) check(ctx context.Context, p *Plan, t *gorefactor.Tree, made *gorefactor.Plan) (*gorefactor.Problem, error) {
	whole := &gorefactor.Plan{Edits: map[string][]source.Edit{}, Moves: map[string]string{}, Create: made.Create}
	for _, f := range p.Files {
		if edits := f.siteEdits(); len(edits) > 0 && f.Skip == nil {
			whole.Edits[f.Path] = edits
		}
		if f.To != f.Path {
			whole.Moves[f.Path] = f.To
		}
	}
	var others types.Importer
	if r.m.opts.BuildCache {
		if found := compiled(ctx, r.tree, t, whole); found.Len() > 0 {
			others, p.Imported, p.Compiled = found, found.Asked, found.Len()
		}
	}
	checked, added, err := t.Verify(ctx, whole, others)
	if err != nil || len(added) == 0 {
		p.TypeChecked = checked
		return nil, err
	}
	return &added[0], nil
}

// mergeFile adds edits and the new path of a file to what the core found in it.
func (r *refactoring) mergeFile(f *File, data []byte, edits []source.Edit, to string) {
	marks := core.Marks(data)
	slices.SortStableFunc(f.Sites, func(a, b Site) int { return a.Start - b.Start })
	clash, around, answered := source.Span{}, inOrder(f.Sites), map[int]bool{}
	var fresh []Site
	walk := text.Positions{Data: data, At: source.Position{Line: 1, Column: 1}}
	for _, e := range edits {
		if f.Format != "go" && slices.ContainsFunc(marks, func(x core.Mark) bool { return x.Lines.Start <= e.Start && e.Start <= x.Lines.End }) {
			continue
		}
		from, to := around.of(e.Span)
		list, add, overlaps := meet(f.Sites[from:to], e)
		for _, i := range list {
			answered[from+i] = true
		}
		if overlaps {
			clash = e.Span
		}
		if add {
			fresh = append(fresh, r.site(f, e, walk.To(e.Start)))
		}
	}
	var sites []Site
	for i, s := range f.Sites {
		if !answered[i] {
			sites = append(sites, s)
		}
	}
	sites = slices.DeleteFunc(sites, func(s Site) bool { return stepsCRD(s, sites, edits) })
	f.Sites = slices.Concat(sites, fresh)
	if clash.Len() > 0 {
		f.Sites = slices.DeleteFunc(f.Sites, func(s Site) bool { return s.Action() == Change })
		f.To = f.Path
		f.Sites = append(f.Sites, entrySite(data, path.Base(f.Path), gorefactor.Entry{ID: "edits-differ", Pos: source.PositionAt(data, clash.Start), N: 1,
			Why: "the rules make one thing of it, and the names of its Go package another", Hint: "change the file by hand"}))
		return
	}
	switch {
	case to == "":
	case path.Base(f.To) != path.Base(f.Path): // the file of a CRD has the name of the CRD
		f.To = path.Join(path.Dir(to), path.Base(f.To))
	default:
		f.To = to
	}
}

// stepsCRD says whether a site is of a CRD that does not serve its new version,
// and one of the edits up to the next such CRD makes that of a version.
func stepsCRD(s Site, sites []Site, edits []source.Edit) bool {
	return s.ID() == "crd-version" && slices.ContainsFunc(edits, func(e source.Edit) bool {
		return s.Start < e.Start && strings.Contains(s.Why(), ", which becomes "+e.New+",") &&
			!slices.ContainsFunc(sites, func(x Site) bool { return x.ID() == s.ID() && s.Start < x.Start && x.Start < e.Start })
	})
}

// site is the site of an edit.
func (r *refactoring) site(f *File, e source.Edit, pos source.Position) Site {
	s := Site{Span: e.Span, Pos: pos, Verdict: ofClient, Old: e.Old, New: e.New, Rule: rules.RuleID{ID: findingClient}, Edits: []source.Edit{e}}
	i, ok := r.ruleOf[e.Old]
	if !ok {
		i = slices.IndexFunc(r.rules, func(x gorefactor.Rule) bool { return r.owned[x.Group] && x.OfOwner() && x.Of(e.Old) })
		r.ruleOf[e.Old] = i
	}
	if i >= 0 {
		s.Rule = rules.RuleID{Set: r.rules[i].Set, ID: r.rules[i].ID}
	}
	return r.m.core.Keeper(f.placeIn(), nil).Keep([]Site{s})[0]
}

// ofClient is the verdict about what is renamed in Go code.
var ofClient = judge.Rewritten("", roleClient)

// entrySite is the site of an entry for review.
func entrySite(data []byte, base string, e gorefactor.Entry) Site {
	s := core.At(source.Span{}, roleClient, cmp.Or(e.Text, base))
	if s.Pos = e.Pos; e.Pos.Line > 0 {
		s.Start = lineStart(data, e.Pos.Line)
		s.End = s.Start
	} else {
		s = s.Top()
	}
	why := e.Why
	if e.N > 1 {
		why = fmt.Sprintf("%s (%d places)", why, e.N)
	}
	return s.As(judge.Because(judge.OfGo(e.ID), why).Hinted(e.Hint))
}
