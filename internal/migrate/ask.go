package migrate

import (
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/project-codeflare/cfctl/internal/migrate/core"
	"github.com/project-codeflare/cfctl/internal/migrate/core/syntax"
	"github.com/project-codeflare/cfctl/internal/source/find"
)

// What depends on the files of a tree together is asked of some of them in one more walk,
// whatever it is.

// An inquiry is made of files that a search finds. Its search is among files that the
// first walk told of.
type inquiry struct {
	search
	visit func(name string, data []byte)
}

// ask walks the files that some inquiries are about, once.
func (w walk) ask(inquiries ...inquiry) error {
	inquiries = slices.DeleteFunc(inquiries, func(q inquiry) bool { return len(q.among) == 0 || len(q.needles) == 0 })
	switch len(inquiries) {
	case 0:
		return nil
	case 1:
		return w(inquiries[0].search, inquiries[0].visit)
	}
	s, of := search{}, map[string]uint{} // of: the inquiries that are about a file, a bit for each
	finders := make([]*find.Finder, len(inquiries))
	for i, q := range inquiries {
		finders[i], s.needles = find.New(q.needles), append(s.needles, q.needles...)
		for _, name := range q.among {
			if of[name] == 0 {
				s.among = append(s.among, name)
			}
			of[name] |= 1 << i
		}
	}
	return w(s, func(name string, data []byte) {
		for i, q := range inquiries {
			if of[name]&(1<<i) != 0 && finders[i].Match(data) {
				q.visit(name, data)
			}
		}
	})
}

// A reading looks at files again when all of a tree are known.
type reading struct {
	m      *Migration
	tree   *coreTree
	files  *foundFiles
	byPath map[string]*File
}

// file reads something of a file, which read notes and says whether there is something.
func (x *reading) file(name string, data []byte, read func(*core.File) bool) {
	if only := x.m.opts.Only; len(only) > 0 && !slices.Contains(only, syntax.FormatOf(name, data)) {
		return
	}
	x.files.mu.Lock()
	if x.byPath == nil {
		x.byPath = map[string]*File{}
		for _, f := range x.files.list {
			x.byPath[f.Path] = f
		}
	}
	f := x.byPath[name]
	x.files.mu.Unlock()
	if f != nil && f.core != nil {
		read(f.core.File)
		return
	}
	fresh := core.NewFile(x.m.placeOf(name))
	fresh.Format = "text"
	if path.Ext(name) == ".go" {
		fresh.Format = "go"
	}
	if !read(fresh) {
		return
	}
	x.files.mu.Lock()
	defer x.files.mu.Unlock()
	if f == nil {
		f = x.m.newFile(name, data)
		x.files.list, x.byPath[name] = append(x.files.list, f), f
	}
	f.core = &coreFile{File: fresh, of: x.tree}
}

// builds asks for the keys and longer names that Go code builds of the groups of other
// packages.
func (x *reading) builds(read []*core.File, sources []string) inquiry {
	consts := map[string][]core.Constant{} // by the end of the path of their package
	named := map[string]bool{}
	for _, f := range read {
		for _, k := range f.Constants() {
			end := core.PackageEnd(k.Dir())
			consts[end], named["."+k.Name] = append(consts[end], k), true
		}
	}
	q := inquiry{search: search{needles: slices.Sorted(maps.Keys(named))}}
	if len(consts) > 0 {
		q.among = slices.DeleteFunc(slices.Clone(sources), func(name string) bool { return strings.HasSuffix(name, "_test.go") })
	}
	q.visit = func(name string, data []byte) {
		var list []core.Constant
		for _, end := range core.ImportEnds(data) {
			list = append(list, consts[end]...)
		}
		if len(list) > 0 {
			x.file(name, data, func(f *core.File) bool { return x.tree.core.Builds(f, data, list, true) })
		}
	}
	return q
}

// loose asks for the kinds and versions that files name without a group.
func (x *reading) loose(names *core.Loose, files []string) inquiry {
	q := inquiry{search: search{among: files}}
	if names != nil {
		q.needles = names.Needles()
		q.visit = func(name string, data []byte) {
			x.file(name, data, func(f *core.File) bool { return names.Read(f, data) })
		}
	}
	return q
}
