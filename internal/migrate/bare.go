package migrate

import (
	"bytes"
	"maps"
	"path"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/project-codeflare/cfctl/internal/migrate/edit"
	"github.com/project-codeflare/cfctl/internal/migrate/find"
	"github.com/project-codeflare/cfctl/internal/migrate/rules"
	"github.com/project-codeflare/cfctl/internal/migrate/text"

	"github.com/project-codeflare/cfctl/internal/source"
)

// A selector of kustomize, a policy, a permission to every group: much names a kind or a
// resource and no group, often in a file in which no group stands at all. Where the rules
// give a kind another name, such a place is for a person, unless an object of such a kind of
// another group stands in its folder, which may be meant. While both groups are served nothing
// is said: the old name is one of both.

// bareNames are what a tree says of renamed kinds without a group, while several workers
// find it.
type bareNames struct {
	m       *Migration
	names   map[string]*bareName // by the kind, its list and its plural
	needles []string
	finder  *source.Finder // of the same
	groups  *source.Finder // of the groups of the kinds, old and new
	words   *bareWords

	kubectl   map[string]*bareName // by what kubectl takes for a kind
	goNeedles []string             // of Go files with such words
	asked     []string             // of any other file
	all       *source.Finder       // of the same

	own atomic.Bool // a file of the tree holds one of the groups

	mu    sync.Mutex
	files []string          // those that may hold one
	seen  map[string]bool   // those of them that the first walk visited
	other map[bareKind]bool // kinds of another group of which an object stands in a folder
	found []bareFile
}

// A bareName is a kind, its list or its plural, which a rule renames.
type bareName struct {
	kind   string // as the old group has it
	role   find.Role
	to     string
	rule   rules.Rule
	groups []string // that have or get it, old and new
}

// A bareKind is a kind in a folder.
type bareKind struct{ folder, kind string }

// A bareFile is a file with the places that name a kind or a resource and no group.
type bareFile struct {
	name  string
	data  []byte
	sites []bareSite
}

type bareSite struct {
	at    source.Span
	name  *bareName
	group source.Span // that stands beside it; empty = none
	far   bool        // it stands anywhere in source that spells its group
	of    string      // of such: the name that stands for it; "" = none
	line  bool        // the group stands on its line
}

// newBareNames is nil where no kind gets another name, and while both groups are served.
func (m *Migration) newBareNames() *bareNames {
	if m.opts.Dual {
		return nil
	}
	b := &bareNames{m: m, names: map[string]*bareName{}, seen: map[string]bool{}, other: map[bareKind]bool{}}
	var groups []string
	for _, group := range m.rules.Groups() {
		for _, r := range m.rules.RulesOf(group) {
			if !r.Gone() && strings.Contains(group, ".") && r.From.Kind != "" && r.To.Kind != "" && r.To.Kind != r.From.Kind && !find.IsBuiltInKind(r.From.Kind) {
				b.rename(r)
				groups = append(groups, group)
				if strings.Contains(r.To.Group, ".") {
					groups = append(groups, r.To.Group)
				}
			}
		}
	}
	if len(b.names) == 0 {
		return nil
	}
	b.kubectlNames()
	b.finder, b.groups, b.words = source.NewFinder(b.needles), source.NewFinder(groups), bareWordsOf(b.names)
	b.asked = slices.Compact(slices.Sorted(slices.Values(slices.AppendSeq(slices.Clone(b.needles), maps.Keys(b.kubectl)))))
	b.all = source.NewFinder(b.asked)
	return b
}

// rename notes the names that a rule changes.
func (b *bareNames) rename(r rules.Rule) {
	from, to := r.From.Plural, r.To.Plural
	if from == "" {
		from = rules.Plurals(r.From.Kind)[0]
	}
	if to == "" {
		to = rules.Plurals(r.To.Kind)[0]
	}
	for _, n := range []struct {
		role   find.Role
		is, to string
	}{{find.RoleKind, r.From.Kind, r.To.Kind}, {find.RoleKind, r.From.Kind + "List", r.To.Kind + "List"}, {find.RoleResource, from, to}} {
		if n.is == n.to {
			continue
		}
		if b.names[n.is] == nil {
			b.names[n.is] = &bareName{kind: r.From.Kind, role: n.role, to: n.to, rule: r}
			b.needles = append(b.needles, n.is)
		}
		b.names[n.is].groups = append(b.names[n.is].groups, r.From.Group, r.To.Group)
	}
}

// tell hears of a file of the tree.
func (b *bareNames) tell(name []byte) {
	if b == nil || !b.reads(string(name), nil) {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.files = append(b.files, string(name))
}

// reads says whether a file may be of objects, or hold commands: of Go its types say more.
func (b *bareNames) reads(name string, data []byte) bool {
	return path.Base(name) != projectName && !find.FormatOf(name, data).Is(find.Gofmt)
}

// owns reads a file of the first walk: only a tree that has a group of the kinds is asked
// for their names.
func (b *bareNames) owns(name string, data []byte) {
	if b == nil {
		return
	}
	if !b.own.Load() && b.groups.Match(data) {
		b.own.Store(true)
	}
	if !b.reads(name, data) {
		b.note(name, data, (*bareReader).source)
		return
	}
	b.mu.Lock()
	b.seen[name] = true
	b.mu.Unlock()
	if b.all.Match(data) {
		b.read(name, data)
	}
}

// rest are the files that the first walk did not visit.
func (b *bareNames) rest() []string {
	return slices.DeleteFunc(slices.Clone(b.files), func(name string) bool { return b.seen[name] })
}

// holds says whether a file of a walk names a kind of the rules or its resource.
func (b *bareNames) holds(w walk) (bool, error) {
	if b == nil || len(b.found) > 0 {
		return b != nil, nil
	}
	return w.holds(b.asked, b.rest())
}

// ask adds the places that name a kind or a resource and no group to files.
func (b *bareNames) ask(w walk, files []*File, x *faults) ([]*File, error) {
	if b == nil || !b.own.Load() {
		return files, nil
	}
	if rest := b.rest(); len(rest) > 0 {
		if err := w(search{needles: b.asked, among: rest}, b.read); err != nil {
			return nil, err
		}
	}
	slices.SortStableFunc(b.found, func(a, b bareFile) int { return strings.Compare(a.name, b.name) })
	for _, f := range b.found {
		x.try(b.m, f.name, f.data, func() {
			if made := b.told(f, files); len(made) > 0 && !b.m.stays(b.m.placeOf(f.name), f.data) {
				files = b.m.tell(files, f.name, f.data, made)
			}
		})
	}
	return files, nil
}

// told are the places of a file that are for a person: those of which nothing is said
// otherwise, and of which no object of another group in the folder may be meant.
func (b *bareNames) told(f bareFile, files []*File) []edit.Outcome {
	var known siteIndex
	var sites []Site
	if i := slices.IndexFunc(files, func(x *File) bool { return x.Path == f.name }); i >= 0 {
		sites = files[i].Sites
		known = indexSites(sites)
	}
	var made []edit.Outcome
	seen := map[source.Span]bool{}
	for _, s := range f.sites {
		if seen[s.at] || known.at(s.at) != nil || b.isAnswered(s, f, known) || s.far && slices.ContainsFunc(sites, func(x Site) bool { return s.isSaidBy(x, f.data) }) {
			continue
		}
		seen[s.at] = true
		r := s.name.rule
		o := edit.Outcome{Span: s.at, Role: s.name.role, Rule: r.ID, Ruleset: r.Set, Old: string(s.at.Of(f.data)), New: s.name.to}
		made = append(made, o.Leave("no-group", s.beside(f.data)+"; "+o.Old+" of "+r.From.Group+" becomes "+o.New, "write "+o.New+" here, or keep it"))
	}
	return made
}

// isAnswered says whether nothing is to be told of a place, by the group beside it or by the
// objects of its folder.
func (b *bareNames) isAnswered(s bareSite, f bareFile, known siteIndex) bool {
	if s.line {
		return !b.isLeft(s, f.data, known)
	}
	return b.other[bareKind{path.Dir(f.name), s.name.kind}] || b.staysWith(s, f.data, known)
}

// beside says what stands beside a place.
func (s bareSite) beside(data []byte) string {
	switch {
	case s.far:
		return "the file spells its group"
	case s.group.Len() == 0:
		return "nothing beside it tells a group"
	case fillsIn(string(s.group.Of(data))):
		return "its group is filled in"
	case s.name.rule.From.Group == s.name.rule.To.Group:
		return "its group stands beside it"
	}
	return "its group moves or moved without it"
}

// keepsName says whether another rule for the kind of one lets it keep its name.
func (b *bareNames) keepsName(id string, r rules.Rule) bool {
	return slices.ContainsFunc(b.m.rules.RulesOf(r.From.Group), func(x rules.Rule) bool {
		return x.ID == id && x.From.Kind == r.From.Kind && x.To.Kind == x.From.Kind
	})
}

// leadsTo says whether a rule leads to a kind of a group: there its name is a new one.
func (b *bareNames) leadsTo(group, kind string) bool {
	return slices.ContainsFunc(b.m.rules.Groups(), func(from string) bool {
		return slices.ContainsFunc(b.m.rules.RulesOf(from), func(x rules.Rule) bool { return x.To.Group == group && x.To.Kind == kind })
	})
}

// staysWith says whether the group beside a place says itself what becomes of it: it stays, is
// for a person or goes elsewhere. One that moved is the new group.
func (b *bareNames) staysWith(s bareSite, data []byte, known siteIndex) bool {
	if s.group.Len() == 0 {
		return false
	}
	r := s.name.rule
	if of := known.at(s.group); of != nil {
		to, _, _ := strings.Cut(of.New, "/")
		return of.Action() != Change || of.Rule != r.ID && (to != r.To.Group || b.keepsName(of.Rule, r))
	}
	group, _, _ := strings.Cut(string(s.group.Of(data)), "/")
	moved := strings.Trim(group, `"'`) == r.To.Group && r.To.Group != r.From.Group && !b.leadsTo(r.To.Group, s.name.kind)
	return !moved && !fillsIn(group)
}

// read notes what a file says.
func (b *bareNames) read(name string, data []byte) {
	b.note(name, data, func(r *bareReader, format find.Format) {
		if format.Is(find.Objects) && (b.finder.Match(data) || asksServer(data)) {
			for _, doc := range text.Documents(data, format.Is(find.JSON)) {
				r.tree(text.ScanPart(data, doc, format.Is(find.JSON), text.HasTemplate(doc.Of(data))), 0)
			}
		}
		r.commands(format.Name == "shell")
		r.source(format)
	})
}

// note notes what a reading of a file finds.
func (b *bareNames) note(name string, data []byte, read func(r *bareReader, format find.Format)) {
	r := &bareReader{bareNames: b, data: data, file: path.Base(name), others: map[string]bool{}}
	read(r, find.FormatOf(name, data))
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, kind := range slices.Sorted(maps.Keys(r.others)) {
		b.other[bareKind{path.Dir(name), kind}] = true
	}
	if len(r.sites) > 0 {
		b.found = append(b.found, bareFile{name, bytes.Clone(data), r.sites})
	}
}
