package stack

import (
	"bytes"
	"errors"
	"io/fs"
	"path"
	"slices"
	"strings"

	"sigs.k8s.io/kustomize/kyaml/yaml"

	"github.com/project-codeflare/cfctl/internal/source"
)

// An Index is a tree whose folders and files are read once, and each place of which
// is looked for once, however many checks ask.
type Index struct {
	fs.FS
	folders map[string][]fs.DirEntry
	globs   map[string][]string
	files   map[string]*file
	found   map[*Place][]Match
	left    int // what all places may still cost, in billionths of a second or so; negative = without bound
}

// maxWork bounds what the places of a declaration cost: some seconds. Those of real
// stacks are a hundredth of it.
const maxWork = 3_000_000_000

var errWork = errors.New("the places of the stack look at too much: declare fewer, in smaller files, by simpler paths and patterns")

// NewIndex is the index of a tree, for a bounded number of places.
func NewIndex(tree fs.FS) *Index { return indexOf(tree, maxWork) }

func indexOf(tree fs.FS, work int) *Index {
	return &Index{
		FS: tree, folders: map[string][]fs.DirEntry{}, globs: map[string][]string{}, files: map[string]*file{},
		found: map[*Place][]Match{}, left: work,
	}
}

// spend counts work; without an index, nothing does.
func spend(tree fs.FS, path string, work int) error {
	x, ok := tree.(*Index)
	if !ok || x.left < 0 {
		return nil
	}
	if x.left = max(x.left-work, 0); x.left == 0 {
		return &source.Error{Path: path, Err: errWork}
	}
	return nil
}

// A file is one of a tree, which is parsed once.
type file struct {
	path string
	data []byte
	docs []*yaml.Node // of YAML and JSON; nil = not parsed
	make *Makefile    // nil = not parsed
	at   positions

	tables map[*Table]*parsed // those that were looked for
}

// parsed is what a table of components is in a file.
type parsed struct {
	named map[string][]Row // by the text of the cell, and the names that it has
	err   error
}

// table is a table of components of a stack in the file.
func (f *file) table(s *Stack, t *Table) *parsed {
	if x := f.tables[t]; x != nil {
		return x
	}
	doc, err := t.Parse(f.data)
	x := &parsed{named: map[string][]Row{}, err: err}
	if f.tables == nil {
		f.tables = map[*Table]*parsed{}
	}
	if f.tables[t] = x; err != nil {
		return x
	}
	for _, r := range doc.Rows {
		names := append(s.RowNames(r.Name), r.Name)
		slices.Sort(names)
		for _, name := range slices.Compact(names) {
			x.named[name] = append(x.named[name], r)
		}
	}
	return x
}

// makefile are the variables of a Makefile.
func (f *file) makefile() *Makefile {
	if f.make == nil {
		f.make = ParseMakefile(f.path, f.data)
	}
	return f.make
}

// positions are those of the offsets in the file.
func (f *file) positions() positions {
	if f.at.starts == nil {
		f.at = positionsOf(f.data)
	}
	return f.at
}

// yaml are the documents of a YAML or JSON file.
func (f *file) yaml() (docs []*yaml.Node, err error) {
	if f.docs == nil {
		f.docs, err = yamlDocs(f.path, f.data)
	}
	return f.docs, err
}

// fileOf is a file of a tree, the same one each time where the tree is an index.
func fileOf(tree fs.FS, path string) (*file, error) {
	x, ok := tree.(*Index)
	if ok && x.files[path] != nil {
		return x.files[path], nil
	}
	if ok {
		tree = x.FS
	}
	data, err := fs.ReadFile(tree, path)
	if err != nil {
		return nil, err
	}
	f := &file{path: path, data: data}
	if ok {
		x.files[path] = f
	}
	return f, nil
}

// ReadFile reads a file once.
func (x *Index) ReadFile(name string) ([]byte, error) {
	f, err := fileOf(x, name)
	if err != nil {
		return nil, err
	}
	return f.data, nil
}

// Stat is that of the tree.
func (x *Index) Stat(name string) (fs.FileInfo, error) { return fs.Stat(x.FS, name) }

// ReadDir reads a folder once.
func (x *Index) ReadDir(name string) ([]fs.DirEntry, error) {
	entries, ok := x.folders[name]
	if !ok {
		var err error
		if entries, err = fs.ReadDir(x.FS, name); err != nil {
			return nil, err
		}
		x.folders[name] = entries
	}
	return slices.Clone(entries), spend(x, name, 200*len(entries))
}

// Glob expands a pattern once.
func (x *Index) Glob(pattern string) ([]string, error) {
	paths, ok := x.globs[pattern]
	if !ok {
		var err error
		if paths, err = fs.Glob(folders{x}, pattern); err != nil {
			return nil, err
		}
		x.globs[pattern] = paths
	}
	return slices.Clone(paths), spend(x, pattern, 200*len(paths)+1)
}

// folders are an index without its Glob.
type folders struct{ x *Index }

func (f folders) Open(name string) (fs.File, error)          { return f.x.Open(name) }
func (f folders) Stat(name string) (fs.FileInfo, error)      { return f.x.Stat(name) }
func (f folders) ReadDir(name string) ([]fs.DirEntry, error) { return f.x.ReadDir(name) }

// cost is what the kind takes for a byte of a file, in billionths of a second.
func (p *Place) cost(f *file) int {
	switch {
	case p.Kind == "pattern":
		return 4 * p.steps
	case f.docs != nil || f.make != nil:
		return 3
	}
	return 100
}

// paths expands the place's path. make takes other names for a Makefile, too, and before it, and
// includes more; podman takes a Containerfile before a Dockerfile.
func (p *Place) paths(tree fs.FS) ([]string, error) {
	dir, name := path.Split(p.Path)
	switch {
	case p.Kind == "make-var":
		return p.makefiles(tree, dir, name)
	case strings.HasPrefix(p.Kind, "dockerfile-") && name == "Dockerfile":
		return []string{p.Path, dir + "Containerfile"}, nil
	case !strings.ContainsAny(p.Path, `*?[`):
		return []string{p.Path}, nil
	}
	paths, err := fs.Glob(tree, p.Path)
	slices.Sort(paths)
	return paths, err
}

// mostIncluded is how many files a Makefile may include.
const mostIncluded = 200

// makefiles are the files that make reads, those that it finds by their names first. What cfctl
// does not know of the name of an included file is left out, and so are folders.
func (p *Place) makefiles(tree fs.FS, dir, name string) (list []string, err error) {
	if name == "Makefile" {
		list, err = fs.Glob(tree, dir+"[Gm]*akefile") // by their exact names, also where case does not count
		list = slices.DeleteFunc(list, func(f string) bool { return path.Base(f) != "GNUmakefile" && path.Base(f) != "makefile" })
	}
	own := []string{p.Path}
	if strings.ContainsAny(p.Path, `*?[`) && err == nil {
		own, err = fs.Glob(tree, p.Path)
	}
	list = append(list, own...)
	for i := 0; i < len(list) && len(list) < mostIncluded && err == nil; i++ {
		f, ferr := fileOf(tree, list[i])
		if ferr != nil || !bytes.Contains(f.data, []byte("include")) {
			continue
		}
		m := f.makefile()
		for _, word := range m.includes {
			file, eerr := m.expand("include", word, 0)
			if file = path.Join(dir, makeRef.ReplaceAllString(file, "")); eerr != nil || !fs.ValidPath(file) {
				continue
			}
			found := []string{file}
			if strings.ContainsAny(file, `*?[`) {
				found, _ = fs.Glob(tree, file) // a pattern that is none includes nothing
			}
			for _, file := range found {
				if at, _ := fs.Stat(tree, file); !slices.Contains(list, file) && (at == nil || !at.IsDir()) {
					list = append(list, file)
				}
			}
		}
	}
	return list, err
}
