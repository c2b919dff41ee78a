package migrate

import (
	"bytes"
	"cmp"
	"fmt"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/project-codeflare/cfctl/internal/migrate/find"
	"github.com/project-codeflare/cfctl/internal/migrate/judge"
	"github.com/project-codeflare/cfctl/internal/migrate/rules"

	"github.com/project-codeflare/cfctl/internal/migrate/text"

	"github.com/project-codeflare/cfctl/internal/report"
	"github.com/project-codeflare/cfctl/internal/source"
)

// A Plan is what a migration makes of a set of files.
type Plan struct {
	Files   []*File       // those with a site, sorted by path
	Skipped []report.Skip // what was seen and not read
	Seen    int           // files that were looked at, with or without a site
	Below   string        // folder of the work tree that all paths are relative to; "" = its top, or no work tree
	sets    []*rules.Ruleset
	stood   map[string]int // claims that do not hold before anything changes, by path and kind
}

// Others are the files around those of a plan: no rename overwrites one, and
// at the end of the dual mode a file whose twin is there goes. source.Tree is
// one.
type Others interface {
	Exists(name string) bool
	ReadFile(name string) ([]byte, error)
}

// nothing is the Others of a file that stands on its own.
type nothing struct{}

func (nothing) Exists(string) bool              { return false }
func (nothing) ReadFile(string) ([]byte, error) { return nil, fs.ErrNotExist }

// one is the Others of a file whose content is known.
type one struct {
	nothing
	name string
	data []byte
}

func (o one) ReadFile(name string) ([]byte, error) {
	if name != o.name {
		return nil, fs.ErrNotExist
	}
	return o.data, nil
}

// One is the plan of one file that stands on its own.
func (m *Migration) One(name string, data []byte) *Plan {
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
	renames := map[string]string{} // base names
	taken := map[string]bool{}
	clients := map[string]bool{}
	resources := map[string]bool{}
	twins := map[string]string{} // base names of files that dual mode gives a twin
	gone := map[string]string{}  // old base names of files whose new one is there
	for _, f := range files {
		if f.Twin != nil {
			f.twinOnce(others, taken)
			if f.Twin != nil {
				twins[path.Base(f.Path)] = path.Base(f.Twin.Path)
			}
		}
		if f.To != f.Path {
			if f.endsWindow(others.ReadFile) {
				gone[path.Base(f.Path)] = path.Base(f.To)
				f.Drop = true
				f.To = f.Path
				continue
			}
			if taken[f.To] || others.Exists(f.To) {
				f.stayAsWell(f.To)
				continue
			}
			taken[f.To] = true
			renames[path.Base(f.Path)] = path.Base(f.To)
		}
		for g := range f.clients {
			clients[g] = true
		}
		for r := range f.learned {
			resources[r] = true
		}
	}
	all := settled{
		renames: renames, twins: twins, gone: gone, clients: clients, resources: resources,
		generate: m.commands(others, generateCommand), document: m.commands(others, documentCommand),
		used: groupsInUse(files), references: keptReferences(files),
	}
	for _, f := range files {
		f.m.acknowledged(f.placeIn(), f.Sites)
		f.settle(all)
		if err := f.sound(); err != nil {
			f.fail(err)
		}
		if slices.ContainsFunc(f.Sites, func(s Site) bool { return s.granted != "" && s.Action == Person }) {
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
	p := &Plan{Files: files, Seen: len(files), Skipped: unchosen, sets: m.opts.Rulesets, Below: m.below}
	p.agree(m, others)
	return p
}

// groupsInUse are the old groups that files import, call by a typed client, or
// choose in a template: who does needs the permission to.
func groupsInUse(files []*File) map[string]bool {
	used := map[string]bool{}
	for _, f := range files {
		for _, s := range f.Sites {
			if s.typed != "" || s.Role == find.RoleImport && s.Action == Person || s.guard == "template-choice" {
				used[s.group] = true
			}
		}
	}
	return used
}

// keptReferences are the groups of which a generated reference stays as it is,
// and its anchors with it.
func keptReferences(files []*File) map[string]bool {
	kept := map[string]bool{}
	for _, f := range files {
		for _, s := range f.Sites {
			if s.guard == generatedDocument {
				kept[s.group] = true
			}
		}
	}
	return kept
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

// twinOnce takes a twin back whose file is there, or that another file has: of
// two CRDs that become one there is one new file.
func (f *File) twinOnce(others Others, taken map[string]bool) {
	switch {
	case others.Exists(f.Twin.Path):
		f.Twin = nil
	case taken[f.Twin.Path]:
		f.Sites = append(f.Sites, Site{Role: find.RoleCRDFile, Action: Person, Old: path.Base(f.Path), New: path.Base(f.Twin.Path),
			Why: "another file has " + f.Twin.Path + " as its new one, too", Hint: "look whether both CRDs become the same one"})
		f.Twin = nil
	default:
		taken[f.Twin.Path] = true
	}
}

// settled is what the files of a plan say together.
type settled struct {
	renames    map[string]string        // old and new base names of files that are renamed
	twins      map[string]string        // of files that dual mode gives a twin
	gone       map[string]string        // of files whose twin ends the window
	clients    map[string]bool          // groups whose generated client is in the tree
	resources  map[string]bool          // group/plural that the tree has
	generate   func(name string) string // the command that writes the generated code around a file
	references map[string]bool          // groups of which a generated reference stays
	document   func(name string) string // the command that writes the reference around a file
	used       map[string]bool          // old groups that code imports, calls or chooses
}

// settle decides the sites that waited for other files.
func (f *File) settle(all settled) {
	var kept []Site
	for _, s := range f.Sites {
		if !s.settle(f.Path, all) {
			continue
		}
		if s.Action == Change && s.Rule == "" {
			s.Rule = roleRule(s.Role)
		}
		kept = append(kept, s)
	}
	kept = append(kept, f.unused...)
	f.Sites = kept
	f.unused = nil
	slices.SortStableFunc(f.Sites, func(a, b Site) int { return a.Start - b.Start })
}

// settle decides a site of a file that waited for other files. It says false
// for one that means nothing in this tree.
func (s *Site) settle(path string, all settled) bool {
	switch {
	case s.file != "" && s.Action == Stay:
		s.settleFile(all)
	case s.resource != "" && s.Action == Stay && all.resources[s.resource]:
		s.Action, s.Role, s.Why = Change, find.RoleResource, ""
	case s.resource != "" && s.Action == Stay:
		s.New, s.edits = "", nil
	case s.typed != "":
		return !all.clients[s.typed] // where the client is in the tree, its identifiers move
	case s.client != nil && s.Action != Person:
		s.Action = Change
		return all.clients[s.client.group] // without its client it is some other Mcad
	default:
		s.settleAround(path, all)
	}
	return true
}

// settleAround decides a site by what else is in the tree.
func (s *Site) settleAround(path string, all settled) {
	switch {
	case s.anchor && s.Action == Change && all.references[s.group]:
		s.Action, s.New, s.edits, s.Why = Stay, "", nil, "its anchor stays with the generated reference"
	case s.guard == generatedDocument && s.Action == Person:
		s.Hint = all.document(path)
	case s.granted != "" && s.Action == Change && all.used[s.granted]:
		s.Action, s.New, s.edits = Person, "", nil
		s.Why, s.Hint = "stays: this tree still imports, calls or chooses the old API; the new one is granted beside it", "take it out when the old API is not used any more"
	case s.Role == find.RoleClient && s.Action == Person:
		s.Hint = "move the Go types, then run: " + all.generate(path)
	}
}

// settleFile makes the reference to a file follow it, or name its twin as well.
func (s *Site) settleFile(all settled) {
	gone, twin, to := all.gone[s.file], all.twins[s.file], all.renames[s.file]
	switch {
	case gone != "" && s.twin && s.drop.Len() > 0:
		s.Action, s.New, s.Why, s.edits = Change, "", "the new file is in the list already", []source.Edit{s.drop}
	case gone != "":
		s.Action, s.New, s.Why = Change, gone, ""
		s.follow(gone)
	case twin != "" && s.twin:
	case twin != "" && s.also.New == "":
		s.Action, s.Why, s.Hint = Person, twin+" is new beside it", "name both files here"
	case twin != "":
		s.Action, s.New, s.Why, s.edits = Change, s.file+", "+twin, "", []source.Edit{s.also}
	case to != "":
		s.Action, s.New, s.Why = Change, to, ""
		s.follow(to)
	}
}

// roleRule is the id of a change that follows from others, and from no rule of
// its own: a name that goes with a file, an identifier with its client.
func roleRule(r Role) string {
	if r == find.RoleClient {
		return FindingClient
	}
	return FindingRename
}

// follow makes the reference to a file follow it to another name.
func (s *Site) follow(to string) {
	if e, ok := text.Renamed(s.refers, to); ok {
		s.edits = []source.Edit{e}
	}
}

// Edits are the edits of a file's changed sites against its content, data.
// Where two sites ask for the same edit, it is made once.
func (f *File) Edits(data []byte) []source.Edit {
	edits := f.siteEdits()
	if f.format.Is(find.Gofmt) {
		edits = tidyGo(data, edits)
	}
	return edits
}

// siteEdits are the edits of the sites alone, before Go is formatted.
func (f *File) siteEdits() []source.Edit {
	var edits []source.Edit
	for _, s := range f.Sites {
		if s.Action == Change {
			edits = append(edits, s.edits...)
		}
	}
	return withoutCovered(edits)
}

// withoutCovered sorts edits and leaves out those that are there already, or
// whose place is inside of another one.
func withoutCovered(edits []source.Edit) []source.Edit {
	slices.SortStableFunc(edits, func(a, b source.Edit) int { return cmp.Or(a.Start-b.Start, b.End-a.End) })
	out, end := edits[:0], -1
	for i, e := range edits {
		if i > 0 && len(out) > 0 && e.Span == out[len(out)-1].Span || e.End <= end && (e.Len() > 0 || e.End < end) {
			continue
		}
		out, end = append(out, e), max(end, e.End)
	}
	return out
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
		waited := s.file != "" || s.resource != "" || s.client != nil // for other files, so that the proof did not see it
		if waited && s.Action == Change && len(s.edits) == 1 && s.edits[0].Old == s.Old && !f.m.proof.Permits(s.Old, s.New) {
			return fmt.Errorf("the result is not proven: no rule makes %q of %q", s.New, s.Old)
		}
	}
	return nil
}

// endsWindow says whether the file's twin of the dual mode is there already:
// the new path holds what this file would become.
func (f *File) endsWindow(read func(string) ([]byte, error)) bool {
	old, err := read(f.Path)
	if err != nil {
		return false
	}
	there, err := read(f.To)
	if err != nil {
		return false
	}
	fresh, err := source.Apply(old, f.Edits(old))
	return err == nil && bytes.Equal(fresh, there)
}

// Changes says whether the file would be written, renamed or removed.
func (f *File) Changes() bool {
	return f.Skip == nil && (f.Drop || f.Twin != nil || f.To != f.Path || slices.ContainsFunc(f.Sites, func(s Site) bool { return s.Action == Change }))
}

// Count is the number of sites with an action.
func (p *Plan) Count(a Action) int {
	n := 0
	for _, f := range p.Files {
		for _, s := range f.Sites {
			if s.Action == a {
				n++
			}
		}
	}
	return n
}

// crdFile takes the base name of a CRD or sample file apart, behind its group.
var crdFile = regexp.MustCompile(`^_(?:(v[0-9]+(?:(?:alpha|beta)[0-9]+)?)_)?([a-z][a-z0-9-]*?)((?:_crd|_cr|_patch|\.crd)?(?:\.[a-z0-9.]+)?)$`)

// newPath is the path of a file after the migration: a file that is named
// after the group it holds follows the group.
func (a *analysis) newPath(f *File) string {
	if a.facts.Stays != "" {
		return f.Path
	}
	changes := slices.ContainsFunc(f.Sites, func(s Site) bool { return s.Action == Change })
	isCRD := func(s Site) bool { return s.Role == find.RoleCRDGroup || s.Role == find.RoleCRDName }
	if slices.ContainsFunc(f.Sites, isCRD) && !slices.ContainsFunc(f.Sites, func(s Site) bool { return isCRD(s) && s.Action == Change }) {
		return f.Path // the CRD stays
	}
	base := path.Base(f.Path)
	for _, tok := range a.names.Tokens([]byte(base)) {
		if !tok.IsFile() {
			continue
		}
		if to, ok := a.fileNameOf(base, tok); ok && to != base && (changes || a.hasArrived(to)) {
			return path.Join(path.Dir(f.Path), to)
		}
	}
	return f.Path
}

// hasArrived says whether the file is a manifest that holds the group of its new
// name, and nothing is left to change in it: somebody moved the content alone.
func (a *analysis) hasArrived(base string) bool {
	group, _, _ := strings.Cut(base, "_")
	kept := slices.ContainsFunc(a.sites, func(s Site) bool {
		return s.Role == find.RoleAPIVersion || s.Role == find.RoleCRDGroup || s.Role == find.RoleCRDName
	})
	return slices.Contains([]string{"yaml", "helm", "json"}, a.format.Name) && !kept && judge.ContainsName(a.file, group)
}

// stayAsWell keeps what would change in a file whose new name is taken: two
// files would define the same.
func (f *File) stayAsWell(taken string) {
	for i := range f.Sites {
		if s := &f.Sites[i]; s.Action == Change {
			s.Action, s.New, s.edits, s.fixes = Stay, "", nil, nil
			s.Why = "the file stays, " + taken + " is there already"
		}
	}
	f.Sites = append(f.Sites, Site{Pos: source.Position{Line: 1, Column: 1}, Role: find.RoleCRDFile, Action: Person, Rule: FindingRename, Old: path.Base(f.Path), New: path.Base(taken),
		Why: "the file should be renamed, and " + taken + " is there already", Hint: "remove one of the two"})
	f.To = f.Path
}

// fileNameOf is what the base name of a CRD file becomes.
func (a *analysis) fileNameOf(base string, tok find.Token) (string, bool) {
	m := crdFile.FindStringSubmatch(base[tok.Group.End:])
	if m == nil {
		return "", false
	}
	site := rules.GVK{Group: tok.Known.Group, Version: m[1]}
	if kind, ok := a.names.Singular(site.Group, m[2]); ok && m[1] != "" {
		site.Kind = kind
	} else {
		site.Plural = m[2]
	}
	ver := a.Ask(site)
	if ver.Outcome != rules.Moves {
		if ver = a.Ask(rules.GVK{Group: site.Group, Version: site.Version}); ver.Outcome != rules.Moves {
			return "", false
		}
	}
	name := m[2]
	if site.Plural != "" && ver.To.Plural != "" {
		name = ver.To.Plural
	} else if site.Kind != "" && ver.To.Kind != site.Kind {
		name = strings.ToLower(ver.To.Kind)
	}
	out := ver.To.Group + "_"
	if m[1] != "" {
		out += ver.To.Version + "_"
	}
	return out + name + m[3], true
}
