package migrate

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"path"
	"runtime"
	"slices"
	"strings"
	"sync"

	"github.com/project-codeflare/cfctl/internal/migrate/core"
	"github.com/project-codeflare/cfctl/internal/migrate/core/index"
	"github.com/project-codeflare/cfctl/internal/migrate/core/judge"
	"github.com/project-codeflare/cfctl/internal/migrate/core/prove"
	"github.com/project-codeflare/cfctl/internal/migrate/rules"
	"github.com/project-codeflare/cfctl/internal/migrate/text"
	"github.com/project-codeflare/cfctl/internal/source"
	"github.com/project-codeflare/cfctl/internal/source/find"
)

// A coreFile is what the core read of a file.
type coreFile struct {
	*core.File
	of *coreTree
}

// A coreTree is what the core knows of the files of a tree when all are read.
type coreTree struct {
	core       *core.Core
	registered map[string][]string // kinds that Go packages register, by their folders
	arrived    *core.File          // resources that the tree had under their old names
	facts      *index.Facts        // what the files say of their APIs, when all are read
	taken      map[string]string   // folders of Go packages to those that have the same kinds in the new group
}

// unusedMarks are the sites of the comments that keep lines, for those that keep nothing.
// A document that shows one is none.
func unusedMarks(data []byte) []Site {
	var list []Site
	for _, x := range marksOf(data) {
		if line := data[text.LineStart(data, x.Start):x.Start]; bytes.IndexByte(line, '`') < 0 {
			list = append(list, core.At(x.Span, roleProse, Suppression).As(judge.Because(judge.UnusedMark, "this suppression keeps nothing").Hinted("remove it")))
		}
	}
	return positioned(data, list)
}

// gatherFiles reads the files of a tree that matter, of what was named and beside it.
func (m *Migration) gatherFiles(w, beside walk) ([]*File, error) {
	c := m.core
	var files foundFiles
	sources := goSources{names: []string{}}
	mods := map[string][]byte{}
	var others []otherPackage
	loose := find.New(c.LooseNeedles())
	first := search{needles: slices.Concat(m.Needles(), c.LooseNeedles()), always: []string{core.ProjectName, modName}, tell: sources.tell, escaped: true}
	first.always = append(first.always, core.Kustomizations...)
	gone := m.newArrivals()
	var apis apiFiles
	mayLoose := []string{} // files that may name a kind without its group
	look := func(outside bool) func(name string, data []byte) {
		return func(name string, data []byte) {
			if path.Base(name) == modName {
				files.mu.Lock()
				mods[name] = bytes.Clone(data)
				files.mu.Unlock()
			}
			gone.note(name, data)
			apis.note(m, name, data)
			if path.Ext(name) == ".go" && !outside {
				if found := append(m.steppedPackages(name, data), m.otherPackages(name, data)...); len(found) > 0 {
					files.mu.Lock()
					others = append(others, found...)
					files.mu.Unlock()
				}
			}
			if !outside {
				m.code.note(name, data)
				if slices.Contains(core.Kustomizations, path.Base(name)) || loose.Match(data) {
					files.mu.Lock()
					mayLoose = append(mayLoose, name)
					files.mu.Unlock()
				}
			}
			if path.Base(name) == core.ProjectName || c.Concerns(m.placeOf(name), data) {
				files.add(m.readOne(c, name, data, outside))
			} else {
				files.add(m.withFacts(nil, name, data))
			}
		}
	}
	m.code.only(beside == nil)
	if m.code != nil && m.code.whole {
		first.tell = func(name, head []byte) { sources.tell(name, head); m.code.seen(name, head) }
	}
	if err := w(first, look(false)); err != nil {
		return nil, err
	}
	imported := len(m.modules()) > 0 && len(sources.names) > 0
	if beside != nil && (imported || len(mayLoose) > 0 || slices.ContainsFunc(files.list, (*File).asksTheRest)) {
		if err := beside(first, look(true)); err != nil {
			return nil, err
		}
		w = w.and(beside)
	}
	tree := &coreTree{core: c, registered: map[string][]string{}, arrived: m.arrived(files.list, gone), taken: map[string]string{}}
	var read []*core.File
	for _, f := range files.list {
		if f.core != nil {
			f.core.of = tree
			read = append(read, f.core.File)
		}
	}
	again := reading{m: m, tree: tree, files: &files}
	err := w.ask(
		m.registered(tree, c.Asks(read), sources.names),
		apis.taken(m, tree, sources.names),
		again.builds(read, sources.names),
		again.loose(c.LooseOf(append(slices.Clone(read), tree.arrived)), mayLoose),
	)
	if err != nil {
		return nil, err
	}
	slices.SortFunc(others, func(a, b otherPackage) int { return cmp.Compare(a.file+a.path+a.kind, b.file+b.path+b.kind) })
	files.list = m.tellOthers(files.list, mods, others)
	return m.tellModules(w, &files, mods, sources.names)
}

// goSources are the Go files of a tree, while several workers find them.
type goSources struct {
	mu    sync.Mutex
	names []string // never nil
}

func (x *goSources) tell(name, _ []byte) {
	if bytes.HasSuffix(name, []byte(".go")) {
		x.mu.Lock()
		defer x.mu.Unlock()
		x.names = append(x.names, string(name))
	}
}

// readOne reads one file with the core; nil where it has nothing to tell.
func (m *Migration) readOne(c *core.Core, name string, data []byte, outside bool) *File {
	f := m.newFile(name, data)
	if f.unchosen {
		return f
	}
	read := c.Read(m.placeOf(name), data)
	read.Outside = outside
	f = m.withFacts(f, name, data)
	if read.Empty() && f.facts == nil {
		return nil
	}
	f.core, f.unused = &coreFile{File: read}, unusedMarks(data)
	return f
}

// asksTheRest says whether the rest of the tree may decide what becomes of a file.
func (f *File) asksTheRest() bool {
	return f.core != nil && !f.core.Empty() || f.facts != nil && len(f.facts.claims)+len(f.facts.objects) > 0
}

// tellModules adds what the go.mod files of a tree pin, and the imports of packages that
// move with them.
func (m *Migration) tellModules(w walk, files *foundFiles, mods map[string][]byte, sources []string) ([]*File, error) {
	list, moving := m.tellPins(files.list, mods)
	files.list = list
	if len(moving) == 0 {
		return files.list, nil
	}
	s := search{among: sources}
	for _, x := range moving {
		s.needles = append(s.needles, x.From)
	}
	err := w(s, func(name string, data []byte) {
		if found := imports(name, data, moving); len(found) > 0 {
			files.mu.Lock()
			defer files.mu.Unlock()
			files.list = m.tell(files.list, name, data, found)
		}
	})
	return files.list, err
}

// resolve lets the core decide about the files when all are read.
func (m *Migration) resolve(files []*File, others Others) (tree *coreTree) {
	var read []*core.File
	own := map[*core.File]*File{}
	for _, f := range files {
		if f.core != nil {
			tree, own[f.core.File] = f.core.of, f
			read = append(read, f.core.File)
			f.core.NameAfter(f.namedAfter())
		}
	}
	if tree != nil {
		read = append(read, tree.arrived)
		at := func(f *core.File, base string) string { return path.Join(path.Dir(own[f].Path), base) }
		ignored := func(f *core.File, base string) bool { return ignores(others, at(f, base)) }
		tree.facts = tree.core.Resolve(read, tree.registered, func(f *core.File, base string) ([]byte, bool) {
			data, err := others.ReadFile(at(f, base))
			return data, err == nil || others.Exists(at(f, base))
		}, ignored).Facts
	}
	return tree
}

// dropped are versions of CRDs of the tree that become other ones, sorted: "v1alpha1 of Gadget".
// A cluster refuses such a CRD while its status lists the old version as stored.
// Source: apiextensions.k8s.io, validation of status.storedVersions.
func (m *Migration) dropped(facts *index.Facts) []string {
	var list []string
	for _, g := range m.rules.Groups() {
		for _, kind := range facts.Kinds(g) {
			served := facts.Serves(g, kind)
			for _, v := range served {
				to := m.rules.Ask(rules.GVK{Group: g, Version: v, Kind: kind}).To
				if to.Group == g && to.Version != "" && !slices.Contains(served, to.Version) {
					list = append(list, v+" of "+kind)
				}
			}
		}
	}
	slices.Sort(list)
	return list
}

// settle decides about the files when all are read, and returns the versions of CRDs that are
// dropped. Files are sorted, others is not nil.
func (m *Migration) settle(files []*File, others Others) []string {
	tree := m.resolve(files, others)
	prover := prove.New(m.rules, prove.Options{Dual: m.opts.Dual})
	for _, f := range files {
		if f.core != nil {
			m.takeOver(f)
			f.leaveTaken(tree.taken)
		}
	}
	if m.opts.Dual {
		m.twinsThere(files)
	} else {
		notSame(files)
	}
	_ = source.Each(context.Background(), len(files), runtime.GOMAXPROCS(0), func(i int) error { // no error: what fails is said of the file
		if f := files[i]; !f.outside {
			m.verify(f, others, prover)
			if m.opts.Fixes {
				f.fix(others)
			}
		}
		return nil
	})
	if tree != nil && !m.opts.Dual {
		return m.dropped(tree.facts)
	}
	return nil
}

// takeOver takes over what the core decided about a file.
func (m *Migration) takeOver(f *File) {
	x := f.core
	f.core = nil
	switch {
	case errors.Is(x.Failed, core.ErrTooMany):
		f.unused, f.Skip = nil, &source.Error{Path: f.Path, Err: x.Failed, Hint: "split it, or leave it out with --exclude"}
		return
	case x.Failed != nil:
		f.fail(x.Failed)
		return
	}
	if x.To != x.Path {
		f.To = path.Join(path.Dir(f.Path), path.Base(x.To))
	}
	f.converts, f.asked = x.Converts(), x.Asked()
	f.Drop = x.Drop
	if x.Twin != nil {
		f.Twin = &Twin{Path: path.Join(path.Dir(f.Path), x.Twin.Base), Data: x.Twin.Data}
	}
	told := f.Sites
	f.Sites = x.Sites
	for i, s := range f.Sites {
		if s.Action() == Change && s.Rule.ID == "" {
			s.Rule.ID = findingRename
		}
		f.Sites[i] = m.opts.Keep.kept(f.placeIn(), s)
	}
	for _, s := range told {
		f.Sites = slices.DeleteFunc(f.Sites, func(x Site) bool { return s.Start <= x.Start && x.End <= s.End })
		f.Sites = append(f.Sites, s)
	}
	unused := x.Unused()
	for _, s := range f.unused {
		if slices.Contains(unused, s.Span) {
			f.Sites = append(f.Sites, s)
		}
	}
	f.unused = nil
	slices.SortStableFunc(f.Sites, func(a, b Site) int { return a.Start - b.Start })
}

// namedAfter is the base name that a file should have by the CRD in it; "" where it has it.
func (f *File) namedAfter() string {
	if f.facts != nil {
		for _, c := range f.facts.claims {
			if c.to != "" {
				return path.Base(c.to)
			}
		}
	}
	return ""
}

// arrived tells of the resources that the CRDs and manifests of a tree were before they
// got the new names: what names them may be migrated later, folder by folder.
func (m *Migration) arrived(files []*File, gone *arrivals) *core.File {
	told := core.NewFile("")
	told.Outside = true
	told.Learn(m.core.Facts())
	gone.tell(told)
	for _, f := range files {
		if f.facts == nil {
			continue
		}
		list := slices.Clone(f.facts.kinds)
		for _, c := range f.facts.crds {
			list = append(list, &rules.GVK{Group: c.group, Kind: c.kind, Plural: strings.TrimSuffix(c.name, "."+c.group)})
		}
		for _, x := range list {
			is := *x
			if is.Plural == "" {
				is.Plural = rules.Plurals(is.Kind)[0]
			}
			was := map[string]bool{}
			m.learnOld(is, was)
			for resource := range was {
				group, plural, _ := strings.Cut(resource, "/")
				kind := m.rules.KindNamed(group, plural)
				if kind == "" {
					kind = is.Kind
				}
				told.Tell(group, plural, kind)
			}
		}
	}
	return told
}

// foundFiles are files, while several workers find them.
type foundFiles struct {
	mu   sync.Mutex
	list []*File
}

func (x *foundFiles) add(f *File) {
	if f != nil {
		x.mu.Lock()
		defer x.mu.Unlock()
		x.list = append(x.list, f)
	}
}
