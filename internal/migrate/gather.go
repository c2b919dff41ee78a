package migrate

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"path"
	"runtime"
	"slices"
	"strings"
	"sync"

	"github.com/project-codeflare/cfctl/internal/migrate/core"
	"github.com/project-codeflare/cfctl/internal/migrate/core/index"
	"github.com/project-codeflare/cfctl/internal/migrate/core/judge"
	"github.com/project-codeflare/cfctl/internal/migrate/core/prove"
	"github.com/project-codeflare/cfctl/internal/migrate/core/syntax"
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
	for _, x := range core.Marks(data) {
		if line := data[text.LineStart(data, x.Start):x.Start]; bytes.IndexByte(line, '`') < 0 {
			list = append(list, core.At(x.Span, roleProse, Suppression).As(judge.Because(judge.UnusedMark, "this suppression keeps nothing").Hinted("remove it")))
		}
	}
	return positioned(data, list)
}

// A reading is a tree while its files are read, by several workers at once.
type reading struct {
	*Migration
	tree *coreTree
	gone *arrivals
	few  *find.Finder // of the names that are looked for once all files are read

	mu      sync.Mutex
	files   map[string]*File
	failed  map[string]*File // those at which cfctl failed, which does not stop the others
	sources codeFiles
	mods    map[string][]byte // go.mod files
	others  []otherPackage
	moved   []core.Constant // that have a new group already
	apis    []apiFile
	seen    map[index.Fact]bool // by files that are not read
	loose   []string            // files that may name a kind without its group; never nil
}

// gather reads the files of a tree that matter, of what was named and, when that may decide, of
// what is beside it; nil = there is no rest. A file at which cfctl fails is not read, and says so.
func (m *Migration) gather(w, beside walk) ([]*File, error) {
	x := &reading{Migration: m, gone: m.newArrivals(), few: find.New(m.core.LooseNeedles()), files: map[string]*File{}, failed: map[string]*File{},
		sources: codeFiles{all: []string{}}, mods: map[string][]byte{}, loose: []string{}, seen: map[index.Fact]bool{}}
	w = x.guarded(w)
	first := search{needles: slices.Concat(m.Needles(), m.core.LooseNeedles(), installers), always: append([]string{core.ProjectName, modName}, core.Kustomizations...), tell: x.source, escaped: true}
	m.code.only(beside == nil)
	if m.code != nil && m.code.whole {
		first.tell = func(name, head []byte) { x.source(name, head); m.code.seen(name, head) }
	}
	if err := w(first, x.look(false)); err != nil {
		return nil, err
	}
	imported := len(x.modules()) > 0 && len(x.sources.all) > 0
	if beside != nil && (imported || len(x.loose) > 0 || slices.ContainsFunc(slices.Collect(maps.Values(x.files)), (*File).asksTheRest)) {
		beside = x.guarded(beside)
		if err := beside(first, x.look(true)); err != nil {
			return nil, err
		}
		w = w.and(beside)
	}
	if err := x.decideTogether(w); err != nil {
		return nil, err
	}
	maps.Copy(x.files, x.failed)
	return slices.Collect(maps.Values(x.files)), nil
}

// guarded is a walk in which a file at which a visit fails is noted.
func (x *reading) guarded(w walk) walk {
	return func(s search, visit func(name string, data []byte)) error {
		return w(s, func(name string, data []byte) {
			defer func() {
				if cause := recover(); cause != nil {
					f := x.newFile(name, data)
					f.fail(fmt.Errorf("internal error: %v", cause))
					x.mu.Lock()
					defer x.mu.Unlock()
					x.failed[name] = f
				}
			}()
			visit(name, data)
		})
	}
}

// codeFiles are the files of code of a tree, by their paths.
type codeFiles struct {
	all         []string // of Go; never nil
	registering []string // those of Go that may register kinds, tests apart
	others      []string // of other languages whose files import each other
	grouping    []string // those of any language with the word "group" in their text
}

// registers finds the calls that register kinds.
var registers = find.New(core.Registers)

// source hears of every file, and of all that is in it up to 256 KiB.
func (x *reading) source(name, head []byte) {
	ext := string(name[max(0, bytes.LastIndexByte(name, '.')):])
	if !core.Importable(ext) {
		return
	}
	long, file := len(head) >= 256<<10, string(name)
	registering := ext == ".go" && !strings.HasSuffix(file, "_test.go") && (long || registers.Match(head))
	grouping := long || bytes.Contains(head, []byte("roup")) || bytes.Contains(head, []byte("ROUP"))
	x.mu.Lock()
	defer x.mu.Unlock()
	if ext == ".go" {
		x.sources.all = append(x.sources.all, file)
	} else {
		x.sources.others = append(x.sources.others, file)
	}
	if registering {
		x.sources.registering = append(x.sources.registering, file)
	}
	if grouping {
		x.sources.grouping = append(x.sources.grouping, file)
	}
}

// look reads a file, of what was named or outside of it.
func (x *reading) look(outside bool) func(name string, data []byte) {
	return func(name string, data []byte) {
		base := path.Base(name)
		x.gone.note(name, data)
		var others []otherPackage
		if !outside {
			x.code.note(name, data)
		}
		if !outside && path.Ext(name) == ".go" {
			others = x.otherPackages(name, data)
		}
		moved, apis := x.movedIn(name, data), x.apisOf(name, data)
		loose := !outside && (slices.Contains(core.Kustomizations, base) || x.few.Match(data))
		f := x.readOne(name, data, outside)
		x.mu.Lock()
		defer x.mu.Unlock()
		if base == modName {
			x.mods[name] = bytes.Clone(data)
		}
		if loose {
			x.loose = append(x.loose, name)
		}
		if f != nil {
			x.files[name] = f
		}
		x.others, x.moved, x.apis = append(x.others, others...), append(x.moved, moved...), append(x.apis, apis...)
	}
}

// readOne reads one file with the core; nil where it has nothing to tell.
func (x *reading) readOne(name string, data []byte, outside bool) *File {
	place := x.placeOf(name)
	facts := x.factsOf(name, data, syntax.FormatOf(name, data))
	concerns := path.Base(name) == core.ProjectName || x.core.Concerns(place, data) && !x.settled(place, data)
	if facts == nil && !concerns {
		return nil
	}
	f := x.newFile(name, data)
	if f.unchosen && !concerns {
		return nil
	}
	if f.facts = facts; concerns {
		read := x.core.Read(place, data)
		if read.Outside = outside || f.unchosen; read.Empty() && facts == nil && !f.unchosen {
			return nil
		}
		f.core, f.unused = &coreFile{File: read}, unusedMarks(data)
	}
	return f
}

// settled says whether a file need not be read, and notes what it says of APIs.
func (x *reading) settled(place string, data []byte) bool {
	facts, ok := x.core.Settled(place, data)
	x.mu.Lock()
	facts = slices.DeleteFunc(facts, func(f index.Fact) bool { return x.seen[f] })
	x.mu.Unlock()
	if len(facts) == 0 || x.core.KeepsFile(place, data) {
		return ok
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	for _, f := range facts {
		x.seen[f] = true
	}
	return ok
}

// asksTheRest says whether the rest of the tree may decide what becomes of a file.
func (f *File) asksTheRest() bool {
	return f.core != nil && !f.core.Empty() || f.facts != nil && len(f.facts.claims)+len(f.facts.objects) > 0
}

// decideTogether asks for what depends on the files of a tree together.
func (x *reading) decideTogether(w walk) error {
	x.tree = &coreTree{core: x.core, registered: map[string][]string{}, arrived: x.arrived()}
	var read []*core.File
	for _, name := range slices.Sorted(maps.Keys(x.files)) {
		if f := x.files[name]; f.core != nil {
			f.core.of = x.tree
			read = append(read, f.core.File)
		}
	}
	names := x.core.LooseOf(append(slices.Clone(read), x.tree.arrived))
	if err := w.ask(append(builder{x}.inquiries(read), x.registered(x.core.Asks(read)), x.named(names))...); err != nil {
		return err
	}
	names.Settle()
	x.tree.taken = x.taken()
	x.tellOthers()
	return x.tellModules(w)
}

// file reads something of a file when all of the tree are known, which read notes and says
// whether there is something.
func (x *reading) file(name string, data []byte, read func(*core.File) bool) {
	if only := x.opts.Only; len(only) > 0 && !slices.Contains(only, syntax.FormatOf(name, data)) {
		read(core.NewFile(x.placeOf(name))) // what it says of the tree counts
		return
	}
	x.mu.Lock()
	f := x.files[name]
	x.mu.Unlock()
	if f != nil && f.core != nil {
		read(f.core.File)
		return
	}
	fresh := core.NewFile(x.placeOf(name))
	fresh.Format = "text"
	if path.Ext(name) == ".go" {
		fresh.Format = "go"
	}
	if !read(fresh) {
		return
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	if f == nil {
		f = x.newFile(name, data)
		x.files[name] = f
	}
	f.core = &coreFile{File: fresh, of: x.tree}
}

// named asks for the kinds and versions that files name without a group.
func (x *reading) named(names *core.Loose) inquiry {
	q := inquiry{search: search{among: x.loose}}
	if names != nil {
		q.needles = names.Needles()
		q.visit = func(name string, data []byte) {
			x.file(name, data, func(f *core.File) bool { return names.Read(f, data) })
		}
	}
	return q
}

// A settling decides about files when all are read.
type settling struct {
	*Migration
	others Others
	prover *prove.Prover
}

func (m *Migration) settling(others Others) *settling {
	return &settling{m, others, prove.New(m.rules, prove.Options{Dual: m.opts.Dual})}
}

// resolve lets the core decide about the files when all are read.
func (x *settling) resolve(files []*File) (tree *coreTree) {
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
		resolved := tree.core.Resolve(read, tree.registered, func(f *core.File, base string) ([]byte, string, bool) {
			at := path.Join(path.Dir(own[f].Path), base)
			data, err := x.others.ReadFile(at)
			ok := err == nil || x.others.Exists(at)
			if ok {
				at = x.placeOf(followed(x.others, at))
			}
			return data, at, ok
		})
		tree.facts = resolved.Facts
		x.prover = prove.New(resolved.Table(), prove.Options{Dual: x.opts.Dual, Plurals: tree.facts.Plurals})
	}
	return tree
}

// settle decides about the files when all are read, and returns what they say of their APIs.
// Files are sorted, others is not nil.
func (m *Migration) settle(files []*File, others Others) *index.Facts {
	x := m.settling(others)
	tree := x.resolve(files)
	for _, f := range files {
		if f.core != nil {
			takeOver(f)
			f.leaveTaken(tree.taken)
		}
	}
	if m.opts.Dual {
		x.twinsThere(files)
	} else {
		notSame(files)
	}
	_ = source.Each(context.Background(), len(files), runtime.GOMAXPROCS(0), func(i int) error { // no error: what fails is said of the file
		if f := files[i]; !f.outside {
			x.verify(f)
			if m.opts.Fixes {
				f.fix(others)
			}
		}
		return nil
	})
	if tree == nil {
		return nil
	}
	return tree.facts
}

// takeOver takes over what the core decided about a file.
func takeOver(f *File) {
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
		f.Sites[i] = s
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
