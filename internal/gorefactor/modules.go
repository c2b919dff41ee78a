package gorefactor

import (
	"path"
	"strconv"
	"strings"

	"golang.org/x/mod/modfile"
)

// modules are the folders that are roots of modules, with their import paths. A tree without go.mod
// is a folder of a GOPATH: its imports of folders of its own decide by vote.
func (t *Tree) modules(files []*File) map[string]string {
	roots := map[string]string{}
	for _, name := range t.Paths {
		if path.Base(name) != "go.mod" || vendored(name) {
			continue
		}
		data, _ := t.read(name) // of a file that cannot be read there is no path
		if module := modfile.ModulePath(data); module != "" {
			roots[path.Dir(name)] = module
		}
	}
	if _, ok := roots["."]; !ok {
		if root := vote(files); root != "" {
			roots["."] = root
		}
	}
	return roots
}

// vote is the import path that most imports suggest for the top of the tree.
func vote(files []*File) string {
	dirs := map[string]bool{}
	for _, f := range files {
		dirs[path.Dir(f.Path)] = true
	}
	votes := map[string]int{}
	for _, f := range files {
		if f.AST == nil {
			continue
		}
		for _, spec := range f.AST.Imports {
			name, _ := strconv.Unquote(spec.Path.Value)
			// The longest folder that ends the path says the most.
			for i, c := range name {
				if dir := name[i+1:]; c == '/' && dirs[dir] && strings.Contains(name[:i], ".") {
					votes[name[:i]] += 1 + strings.Count(dir, "/")
					break
				}
			}
		}
	}
	return most(votes)
}

// importPath is the path by which the package of a folder is imported.
func importPath(roots map[string]string, dir string) string {
	for at := dir; ; at = path.Dir(at) {
		if module, ok := roots[at]; ok {
			if at != "." {
				dir = strings.TrimPrefix(dir, at)
			}
			return path.Join(module, dir)
		}
		if at == "." || at == "/" {
			return dir
		}
	}
}
