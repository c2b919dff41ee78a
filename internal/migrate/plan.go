package migrate

import (
	"bytes"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/project-codeflare/cfctl/internal/migrate/edit"
	"github.com/project-codeflare/cfctl/internal/migrate/find"
	"github.com/project-codeflare/cfctl/internal/migrate/judge"
	"github.com/project-codeflare/cfctl/internal/migrate/rules"

	"github.com/project-codeflare/cfctl/internal/report"
	"github.com/project-codeflare/cfctl/internal/source"
)

// A Plan is what a migration makes of a set of files.
type Plan struct {
	Files      []*File       // those with a site, sorted by path
	Skipped    []report.Skip // what was seen and not read
	Generators []string      // programs whose files the plan changes, in the order in which they run
	Seen       int           // files that were looked at, with or without a site
	Below      string        // folder of the work tree that all paths are relative to; "" = its top, or no work tree
	sets       []*rules.Ruleset
	configured []Keep         // acknowledgements of the configuration
	stood      map[string]int // claims that do not hold before anything changes, by path and kind
}

// One is the plan of one file that stands on its own.
func (m *Migration) One(name string, data []byte) *Plan {
	if m.opts.Next {
		return m.oneNext(name, data)
	}
	return m.Finish([]*File{m.File(name, data)}, one{name: name, data: data})
}

// Finish settles what depends on several files and returns the plan. Others
// may be nil.
func (m *Migration) Finish(files []*File, others Others) *Plan {
	if others == nil {
		others = nothing{}
	}
	files, unchosen := chosen(files)
	slices.SortFunc(files, func(a, b *File) int { return strings.Compare(a.Path, b.Path) })
	p := &Plan{Files: files, Seen: len(files), Skipped: unchosen, sets: m.opts.Rulesets, configured: m.opts.Keep, Below: m.below}
	if m.opts.Next {
		m.finishNext(files, others)
	} else {
		m.finishAll(files, others)
	}
	p.agree(others)
	return p
}

// finishAll settles all files.
func (m *Migration) finishAll(files []*File, others Others) {
	all := m.treeOf(files, others)
	if m.opts.Dual {
		m.twinsThere(files)
	} else {
		oneCRD(files)
	}
	m.onePackage(files)
	notSame(files)
	choices := map[string]bool{} // named templates with a choice that stays
	for _, f := range files {
		for _, name := range f.chart.Defines {
			choices[name] = true
		}
	}
	m.selects(files, others)
	for _, f := range files {
		if !f.outside {
			m.finish(f, all, choices, others)
		}
	}
	if m.opts.Dual {
		m.patches(files, others)
		m.filledGrants(files, others)
	}
	m.followAnchors(files, others)
}

// treeOf is what files say together, when the new name of each is settled.
func (m *Migration) treeOf(files []*File, others Others) *edit.Tree {
	all := &edit.Tree{
		Renames: map[string]string{}, Twins: map[string]string{}, Gone: map[string]string{}, Became: map[string][]string{}, Stays: map[string]bool{}, There: map[string]bool{}, Moved: map[string]bool{}, Exists: others.Exists,
		Clients: map[string]bool{}, GoNamed: map[string]bool{}, Resources: map[string]bool{},
		Generate: m.commands(others, generateCommand, generateOtherwise), Document: m.commands(others, documentCommand, documentOtherwise),
		Owns: owns(files),
	}
	taken := map[string]*File{}
	if !m.opts.Dual {
		taken = keepNames(files)
	}
	elsewhere := &edit.Tree{Renames: map[string]string{}, Twins: map[string]string{}, Gone: map[string]string{}, Became: map[string][]string{}, Stays: map[string]bool{}, Moved: map[string]bool{}}
	for _, f := range files {
		if f.outside { // it takes its name before others, and nothing follows it
			f.takesName(elsewhere, taken, others)
			all.There[path.Base(f.Path)] = true
			maps.Copy(all.Resources, f.learned)
			m.learnArrived(f, all.Resources)
			continue
		}
		all.Moved[f.Path] = f.To != f.Path || f.Twin != nil
		named := f.takesName(all, taken, others)
		all.There[path.Base(f.Path)] = all.There[path.Base(f.Path)] || !f.Drop
		if !named {
			continue
		}
		maps.Copy(all.Clients, f.clients)
		maps.Copy(all.Resources, f.learned)
		m.learnArrived(f, all.Resources)
		for _, g := range f.goNamed {
			all.GoNamed[g] = true
		}
	}
	all.Used, all.References = groupsOf(files, func(o edit.Outcome) string { return o.Uses(all) }),
		groupsOf(files, edit.Outcome.KeepsReference)
	return all
}

// keepNames are the files that change and keep their names, by these.
func keepNames(files []*File) map[string]*File {
	taken := map[string]*File{}
	for _, f := range files {
		if f.Skip == nil && f.To == f.Path && f.Twin == nil && f.Changes() {
			taken[f.Path] = f
		}
	}
	return taken
}

// takesName settles the new name of a file, and that of its twin, which no other
// file has. It says false for a file that goes, or stays since its name is taken.
func (f *File) takesName(all *edit.Tree, taken map[string]*File, others Others) bool {
	if f.namePersonKeeps() {
		all.Stays[path.Base(f.Path)], all.Moved[f.Path] = true, false
		return true
	}
	if f.Twin != nil {
		twin := f.Twin.Path
		f.twinOnce(others, taken)
		if f.Twin != nil || others.Exists(twin) {
			all.Twins[path.Base(f.Path)] = path.Base(twin)
		}
	}
	switch {
	case f.To == f.Path:
		return true
	case f.endsWindow(others.ReadFile):
		all.Goes(path.Base(f.Path), path.Base(f.To))
		f.goes(f.To + " is there in the new group already")
		return false
	case taken[f.To] != nil && f.becomesAs(taken[f.To], others.ReadFile):
		all.Goes(path.Base(f.Path), path.Base(f.To))
		f.goes(taken[f.To].Path + " becomes the same one")
		return false
	case taken[f.To] != nil || others.Exists(f.To):
		all.Stays[path.Base(f.Path)], all.Moved[f.Path] = true, false
		f.stayAsWell(f.To)
		return false
	}
	taken[f.To] = f
	all.Comes(path.Base(f.Path), path.Base(f.To))
	return true
}

// namePersonKeeps says whether the configuration keeps the name of a file that would get
// another one, or one beside it, and changes nothing in it.
func (f *File) namePersonKeeps() bool {
	base, to := path.Base(f.Path), f.To
	if f.Twin != nil {
		to = f.Twin.Path
	}
	_, kept := f.m.opts.Keep.Of(f.placeIn(), base)
	if !kept || to == f.Path || slices.ContainsFunc(f.Sites, func(s Site) bool { return s.Action() == Change }) {
		return false
	}
	o := edit.Outcome{Role: find.RoleCRDFile, Rule: FindingRename, Old: base, New: path.Base(to)}
	f.To, f.Twin = f.Path, nil
	f.add(top(o.Leave("name-taken", "the file should be renamed", "")))
	return true
}

// finish settles a file when the tree is known, and proves it again where that
// changed what was proven without the tree.
func (m *Migration) finish(f *File, all *edit.Tree, choices map[string]bool, others Others) {
	f.settle(all)
	f.notTwice()
	left := f.withTheirTemplates(choices) || f.left || f.selects != nil
	if err := f.sound(); err != nil {
		f.fail(err)
	}
	if left || slices.ContainsFunc(f.Sites, Site.Granted) {
		if data, err := others.ReadFile(f.Path); err == nil && f.Skip == nil {
			if err := f.prove(data); err != nil { // it was proven without the permission
				f.fail(err)
			}
		}
	}
	if m.opts.Fixes {
		f.fix(others)
	}
}

// withTheirTemplates leaves what guards a part of a template to a person where
// that part includes a named template whose choice stays: they move together or
// not at all. It says whether there is any.
func (f *File) withTheirTemplates(chosen map[string]bool) bool {
	found := false
	for _, g := range f.chart.Guards {
		i := slices.IndexFunc(g.Includes, func(name string) bool { return chosen[name] })
		if i < 0 {
			continue
		}
		for j := range f.Sites {
			if s := &f.Sites[j]; s.Action() == Change && g.Start <= s.Start && s.Start < g.End {
				o := s.Outcome
				o.New = ""
				f.Sites[j] = Site{Outcome: o.Leave(judge.Branches, "it guards "+g.Includes[i]+", which chooses by what the cluster serves and stays", "ask for both, or move both by hand"), Pos: s.Pos}
				found = true
			}
		}
	}
	return found
}

// groupsOf are the groups that something is said of in files.
func groupsOf(files []*File, said func(edit.Outcome) string) map[string]bool {
	groups := map[string]bool{}
	for _, f := range files {
		for _, s := range f.Sites {
			if group := said(s.Outcome); group != "" {
				groups[group] = true
			}
		}
	}
	return groups
}

// chosen are the files that were read; the others are those that the formats
// of Options.Only leave out.
func chosen(files []*File) (read []*File, skipped []report.Skip) {
	for _, f := range files {
		switch {
		case f == nil:
		case f.unchosen:
			skipped = append(skipped, report.Skip{Path: f.Path, Reason: skipFormat + ": " + f.Format})
		default:
			read = append(read, f)
		}
	}
	return read, skipped
}

// skipFormat is why a file that holds a name is not read with Options.Only.
const skipFormat = "format not chosen"

// placeIn is the file's path from the top of the work tree.
func (f *File) placeIn() string { return f.m.placeOf(f.Path) }

// add adds a site that was found when the tree was known, as the configuration
// has it.
func (f *File) add(s Site) {
	f.Sites = append(f.Sites, s.with(f.m.opts.Keep.Kept(f.placeIn(), s.Outcome)))
}

// twinOnce takes a twin back whose file is there, or that another file has: of
// two CRDs that become one there is one new file.
func (f *File) twinOnce(others Others, taken map[string]*File) {
	switch {
	case others.Exists(f.Twin.Path) && taken[f.Twin.Path] == nil:
		taken[f.Twin.Path] = f // at an earlier run
		f.Twin = nil
	case taken[f.Twin.Path] != nil && f.twinIs(taken[f.Twin.Path].Twin, others.ReadFile):
		f.Twin = nil
	case taken[f.Twin.Path] != nil:
		o := edit.Outcome{Role: find.RoleCRDFile, Old: path.Base(f.Path), New: path.Base(f.Twin.Path)}
		f.add(Site{Outcome: o.Leave("name-taken", "another file has "+f.Twin.Path+" as its new one, too", "look whether both CRDs become the same one")})
		f.Twin = nil
	default:
		taken[f.Twin.Path] = f
	}
}

// twinIs says whether the twin of a file is that of another one, to be written or
// there from an earlier run.
func (f *File) twinIs(other *Twin, read func(string) ([]byte, error)) bool {
	if other != nil {
		return bytes.Equal(other.Data, f.Twin.Data)
	}
	there, err := read(f.Twin.Path)
	return err == nil && bytes.Equal(there, f.Twin.Data)
}

// settle decides the sites that waited for other files.
func (f *File) settle(all *edit.Tree) {
	sites := make([]Site, 0, len(f.Sites)+len(f.unused))
	for _, s := range f.Sites {
		o, ok := s.Settle(f.Path, all)
		switch {
		case ok:
		case s.Calls() == "" || f.renames(s.Span):
			continue
		case f.generated:
			o = o.Keep("generated", "a generated file")
		}
		if o.Action() == Change && o.Rule == "" {
			o.Rule = roleRule(o.Role)
		}
		sites = append(sites, s.with(o))
	}
	sites = append(sites, f.unused...)
	f.Sites, f.unused = sites, nil
	slices.SortStableFunc(f.Sites, func(a, b Site) int { return a.Start - b.Start })
}

// renames says whether a change of a generated client's name stands in a call.
func (f *File) renames(call source.Span) bool {
	return slices.ContainsFunc(f.Sites, func(s Site) bool {
		return s.Role == find.RoleClient && s.Calls() == "" && s.Start < call.End && call.Start < s.End
	})
}

// roleRule is the id of a change that follows from others, and from no rule of
// its own: a name that goes with a file, an identifier with its client.
func roleRule(r Role) string {
	if r == find.RoleClient {
		return FindingClient
	}
	return FindingRename
}

// Edits are the edits of a file's changed sites against its content, data.
// Where two sites ask for the same edit, it is made once.
func (f *File) Edits(data []byte) []source.Edit {
	edits := f.siteEdits()
	if f.format.Is(find.Gofmt) {
		edits = f.tidy(data, edits)
	}
	return edits
}

// siteEdits are the edits of the sites alone, before Go is formatted.
func (f *File) siteEdits() []source.Edit {
	var edits []source.Edit
	for _, s := range f.Sites {
		if s.Action() == Change {
			edits = append(edits, s.Edits()...)
		}
	}
	return edit.WithoutCovered(edits)
}

// sound says why the edits of a file cannot be made: two that overlap would
// spoil each other, and what was settled by other files must be what the rules
// make of it.
func (f *File) sound() error {
	edits := f.siteEdits()
	for i := 1; i < len(edits); i++ {
		if a, b := edits[i-1], edits[i]; b.Start < a.End {
			return fmt.Errorf("internal error: edit %d..%d overlaps edit %d..%d", b.Start, b.End, a.Start, a.End)
		}
	}
	for _, s := range f.Sites {
		edits := s.Edits()
		if s.Waited() && s.Action() == Change && len(edits) == 1 && edits[0].Old == s.Old && !f.m.proof.Permits(s.Old, s.New) {
			return fmt.Errorf("the result is not proven: no rule makes %q of %q", s.New, s.Old)
		}
	}
	return nil
}

// endsWindow says whether the file's twin of the dual mode is there already:
// the new path holds what this file would become.
func (f *File) endsWindow(read func(string) ([]byte, error)) bool {
	there, err := read(f.To)
	return err == nil && bytes.Equal(f.result(read), there)
}

// becomesAs says whether two files become the same one.
func (f *File) becomesAs(other *File, read func(string) ([]byte, error)) bool {
	mine := f.result(read)
	return mine != nil && bytes.Equal(mine, other.result(read))
}

// result is what becomes of the content of a file, nil where that is not known.
func (f *File) result(read func(string) ([]byte, error)) []byte {
	old, err := read(f.Path)
	if err != nil {
		return nil
	}
	fresh, err := source.Apply(old, f.Edits(old))
	if err != nil {
		return nil
	}
	return fresh
}

// goes takes the file away as a whole, for its twin: what would have become of
// its places does not come.
func (f *File) goes(since string) {
	f.Drop, f.To = true, f.Path
	f.Sites = slices.Clone(f.Sites)
	for i, s := range f.Sites {
		if s.Action() == Change {
			f.Sites[i].New, f.Sites[i].Why = "", "the file goes: "+since
		}
	}
}

// After is the path of the file when the plan is done, "" for one that goes.
func (f *File) After() string {
	if f.Drop {
		return ""
	}
	return f.To
}

// Changes says whether the file would be written, renamed or removed.
func (f *File) Changes() bool {
	return f.Skip == nil && (f.Drop || f.Twin != nil || f.To != f.Path || slices.ContainsFunc(f.Sites, func(s Site) bool { return s.Action() == Change }))
}

// Count is the number of sites with an action.
func (p *Plan) Count(a Action) int {
	n := 0
	for _, f := range p.Files {
		for _, s := range f.Sites {
			if s.Action() == a {
				n++
			}
		}
	}
	return n
}

// notTwice keeps what would change in a file in which two CRDs would become the
// same one: a person says which of them it is.
func (f *File) notTwice() {
	if !slices.ContainsFunc(f.Sites, func(s Site) bool { return s.Role == find.RoleCRDGroup }) {
		return // it names CRDs, and defines none
	}
	old := map[string]string{} // by what it becomes
	for _, s := range f.Sites {
		if s.Action() != Change || s.Role != find.RoleCRDName || s.New == "" || s.Old == s.New {
			continue
		}
		if was := old[s.New]; was != "" && was != s.Old {
			f.keepAll("the file stays, two of its CRDs would become " + s.New)
			f.add(s.with(s.Leave("name-taken", was+" in the same file becomes "+s.New+" as well", "remove one of the two")))
			return
		}
		old[s.New] = s.Old
	}
}

// keepAll keeps what would change in a file.
func (f *File) keepAll(why string) {
	sites := slices.Clone(f.Sites)
	for i, s := range sites {
		if s.Action() == Change {
			sites[i] = s.with(s.Keep("name-taken", why))
		}
	}
	f.Sites, f.To = sites, f.Path
}

// stayAsWell keeps what would change in a file whose new name is taken: two
// files would define the same.
func (f *File) stayAsWell(taken string) {
	f.keepAll("the file stays, " + taken + " is there already")
	o := edit.Outcome{Role: find.RoleCRDFile, Rule: FindingRename, Old: path.Base(f.Path), New: path.Base(taken)}
	f.add(top(o.Leave("name-taken", "the file should be renamed, and "+taken+" is there already", "remove one of the two")))
	f.To = f.Path
}
