package source

import (
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/project-codeflare/cfctl/internal/source/ignore"
)

// ignoreAbove collects the ignore rules that hold for a directory of the tree
// from the directories above it: .git/info/exclude, then each .gitignore from
// the top of the work tree down. Its own .gitignore is read with it. Nil says
// that the directory is in no repository: a .gitignore has no meaning there,
// as for git itself and ripgrep, and an exported tree holds what was tracked.
func (t *Tree) ignoreAbove(dir string) *ignore.List {
	var rules *ignore.List
	if t.gitDir != "" {
		rules = repositoryRules()
		data, err := readGitFile(filepath.Join(commonGitDir(t.gitDir), "info", "exclude"))
		if err == nil {
			rules = ignore.Parse(data, ".", fromDir(t.topLevel, t.base), rules)
		}
		for _, above := range between(t.topLevel, t.base) {
			rules = ignore.Parse(readIgnoreFile(above), ".", fromDir(above, t.base), rules)
		}
	}
	if dir == "." {
		return rules
	}
	if rules != nil {
		rules = ignore.Parse(readIgnoreFile(t.base), ".", "", rules)
	}
	for i, c := range dir {
		if c == '/' {
			rules = t.ignoreIn(dir[:i], rules)
		}
	}
	return rules
}

// Tracks tells whether git tracks a file of the tree.
func (t *Tree) Tracks(name string) bool {
	return t.sys == nil && t.gitDir != "" && t.index.has(t, []byte(path.Clean(name)), false)
}

// Ignored tells whether git ignores a file of the tree, which need not be there.
func (t *Tree) Ignored(name string) bool {
	name = path.Clean(name)
	if t.sys != nil || t.gitDir == "" || !fs.ValidPath(name) || t.index.has(t, []byte(name), false) {
		return false
	}
	rules := ignore.Parse(readIgnoreFile(t.base), ".", "", t.ignoreAbove("."))
	var scratch []byte
	for i, c := range name {
		if c != '/' {
			continue
		}
		if rules.Ignored([]byte(name[:i]), true, &scratch) {
			return true
		}
		rules = t.ignoreIn(name[:i], rules)
	}
	return rules.Ignored([]byte(name), false, &scratch)
}

// repositoryRules are what a repository starts with: nothing is ignored yet.
func repositoryRules() *ignore.List { return &ignore.List{Dir: "."} }

// ignoreIn adds the rules of a directory below the base; a nested repository
// starts anew.
func (t *Tree) ignoreIn(dir string, rules *ignore.List) *ignore.List {
	abs := filepath.Join(t.base, filepath.FromSlash(dir))
	if isThere(filepath.Join(abs, ".git")) {
		rules = repositoryRules()
		if data, err := readGitFile(filepath.Join(abs, ".git", "info", "exclude")); err == nil {
			rules = ignore.Parse(data, dir, "", rules)
		}
	}
	if rules == nil {
		return nil
	}
	return ignore.Parse(readIgnoreFile(abs), dir, "", rules)
}

// between lists the directories from top down to the one above base.
func between(top, base string) []string {
	rel, err := filepath.Rel(top, base)
	if err != nil || rel == "." {
		return nil
	}
	dirs := []string{top}
	parts := strings.Split(rel, string(filepath.Separator))
	for _, part := range parts[:len(parts)-1] {
		dirs = append(dirs, filepath.Join(dirs[len(dirs)-1], part))
	}
	return dirs
}

// readIgnoreFile reads dir/.gitignore unless it is a symbolic link, which git
// does not follow either. A missing one is empty.
func readIgnoreFile(dir string) []byte {
	name := filepath.Join(dir, ".gitignore")
	info, err := os.Lstat(name)
	if err != nil || !info.Mode().IsRegular() {
		return nil
	}
	data, err := readGitFile(name)
	if err != nil {
		return nil
	}
	return data
}
