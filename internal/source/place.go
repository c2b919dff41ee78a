package source

import (
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/project-codeflare/cfctl/internal/lists"
)

// places remembers for directories of a tree where their own root is.
type places struct{ roots sync.Map } // directory → path of its root in the tree

// tell notes the root of the directory of a file, as a walk found it.
func (p *places) tell(file, root string) { p.roots.LoadOrStore(path.Dir(file), root) }

// Place is the path of a file within what it belongs to: the git work tree that
// holds it, be it above the base or below; outside of one, the directory that
// the user named. It does not depend on where cfctl is run.
func (t *Tree) Place(name string) string {
	switch root := t.rootOf(path.Dir(name)); {
	case root != "":
		return strings.TrimPrefix(name, root+"/")
	case t.topLevel != "":
		return path.Join(t.AboveBase(), name)
	}
	return name
}

// Root is the path of the work tree or named directory that holds a file, ""
// where that is the base or lies above it.
func (t *Tree) Root(name string) string { return t.rootOf(path.Dir(name)) }

// AboveBase is the path of the base within its work tree, "" at the top of it and
// where there is none.
func (t *Tree) AboveBase() string {
	if t.topLevel == "" {
		return ""
	}
	return fromDir(t.topLevel, t.base)
}

// rootOf is the root of a directory below the base, "" when it is the base.
func (t *Tree) rootOf(dir string) string {
	if known, ok := t.places.roots.Load(dir); ok {
		return known.(string)
	}
	root := ""
	switch {
	case dir == "." || dir == "/" || dir == ".." || strings.HasPrefix(dir, "../"):
	case t.Exists(dir + "/.git"):
		root = dir
	default:
		root = t.rootOf(path.Dir(dir))
		if t.topLevel == "" && t.isNamed(dir) && (root == "" || !t.Exists(root+"/.git")) {
			root = dir
		}
	}
	t.places.roots.Store(dir, root)
	return root
}

// WorkTrees opens the git work trees that hold what the user named, whole, from the
// same base or from one above it; outside of git, the projects that do (see projectTop).
// It is nil when they were named whole, when none
// holds what was named, and for a tree without a folder. Close it when done.
func (t *Tree) WorkTrees() (*Tree, error) {
	tops := lists.Of(t.tops(), func(top string) namedPath { return namedPath{given: top, abs: top, dir: true} })
	if len(tops) == 0 {
		return nil, nil
	}
	w := &Tree{base: commonBase(t.base, append(tops, namedPath{abs: t.base, dir: true}))}
	for _, top := range tops {
		if err := w.add(top); err != nil {
			return nil, err
		}
	}
	var err error
	if w.root, err = os.OpenRoot(w.base); err != nil {
		return nil, err
	}
	w.topLevel, w.gitDir = findGit(w.base)
	return w, nil
}

// tops are the absolute paths of the work trees that hold what the user named, but
// for those that were named whole.
func (t *Tree) tops() []string {
	var tops []string
	for _, a := range t.args {
		at := t.folderOf(a)
		top, _ := findGit(at)
		if top == "" {
			top = projectTop(at)
		}
		if top == "" || slices.Contains(tops, top) {
			continue
		}
		if name, ok := t.Rel("", top); ok && (t.isNamed(name) || t.Covers(name)) {
			continue
		}
		tops = append(tops, top)
	}
	return tops
}

// Alone are the folders that the user named, and those of files, as he spells the way to them
// from the base, that no git work tree and no project holds: nothing around them is read. Each
// is once, in the order of naming.
func (t *Tree) Alone() []string {
	var list []string
	for _, a := range t.args {
		at := t.folderOf(a)
		if top, _ := findGit(at); top != "" || projectTop(at) != "" {
			continue
		}
		name := a.path
		if !a.dir {
			name = path.Dir(name)
		}
		if !slices.Contains(list, name) {
			list = append(list, name)
		}
	}
	return list
}

// GitTops are the absolute paths of the tops of the innermost git work trees that
// hold what the user named, each once, in the order of naming; none outside of git.
func (t *Tree) GitTops() []string {
	var tops []string
	for _, dir := range t.folders() {
		if top, _ := findGit(dir); top != "" && !slices.Contains(tops, top) {
			tops = append(tops, top)
		}
	}
	return tops
}

// written is the work tree that a write belongs to, and its git directory: the
// innermost one that holds all of what was named, else that of the base; empty
// outside of git.
func (t *Tree) written() (top, gitDir string) {
	for i, folder := range t.folders() {
		switch at, dir := findGit(folder); {
		case i == 0:
			top, gitDir = at, dir
		case at != top:
			return t.topLevel, t.gitDir
		}
	}
	if top == "" {
		return t.topLevel, t.gitDir
	}
	return top, gitDir
}

// folders are the absolute paths of what was named, of files their directories, each once.
func (t *Tree) folders() []string {
	var list []string
	known := map[string]bool{}
	for _, a := range t.args {
		if dir := t.folderOf(a); !known[dir] {
			known[dir] = true
			list = append(list, dir)
		}
	}
	return list
}

// folderOf is the absolute path of a directory that was named, or of that of a file.
func (t *Tree) folderOf(a argument) string {
	dir := a.path
	if !a.dir {
		dir = path.Dir(dir)
	}
	return filepath.Join(t.base, filepath.FromSlash(dir))
}

// projectTop is the top of the project outside of git that holds a directory: the nearest
// one with a file that is at the top of a project; without any, the last one above
// it with a chart or a kustomization. It is empty where there is none. The directory of
// a user, one that everyone writes into, and what is above of these, belong to no project.
func projectTop(dir string) string {
	home, _ := os.UserHomeDir()
	outer := ""
	for at := dir; at != filepath.Dir(at) && at != home; at = filepath.Dir(at) {
		info, err := os.Lstat(at)
		if err != nil || !info.IsDir() || info.Mode().Perm()&0o002 != 0 {
			break
		}
		if holdsOne(at, projectFiles) {
			return at
		}
		if holdsOne(at, chartFiles) {
			outer = at
		}
	}
	return outer
}

// holdsOne says whether a directory has a regular file of one of some names.
func holdsOne(dir string, names []string) bool {
	return slices.ContainsFunc(names, func(name string) bool {
		info, err := os.Lstat(filepath.Join(dir, name))
		return err == nil && info.Mode().IsRegular()
	})
}

var (
	// projectFiles are at the top of a project: of a Go module, of kubebuilder, of cfctl.
	projectFiles = []string{"go.mod", "PROJECT", ".cfctl.yaml"}
	// chartFiles are in a part of one as well.
	chartFiles = []string{"Chart.yaml", "kustomization.yaml", "kustomization.yml", "Kustomization"}
)

// OneFolder says whether the user named one folder and nothing else.
func (t *Tree) OneFolder() bool { return len(t.args) == 1 && t.args[0].dir }

// isNamed says whether the user named a directory.
func (t *Tree) isNamed(dir string) bool {
	return slices.ContainsFunc(t.args, func(a argument) bool { return a.dir && a.path == dir })
}

// Covers says whether a file is among what the user named, or below it.
func (t *Tree) Covers(name string) bool {
	return slices.ContainsFunc(t.args, func(a argument) bool {
		return a.path == name || a.dir && (a.path == "." && filepath.IsLocal(name) || strings.HasPrefix(name, a.path+"/"))
	})
}
