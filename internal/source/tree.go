package source

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/project-codeflare/cfctl/internal/lists"
	"github.com/project-codeflare/cfctl/internal/spelling"
)

// A Tree is what the user pointed cfctl at: a base directory and the files and
// directories below it that were named. Nothing that a Tree reads or writes
// lies outside of the base: every access goes through a rooted handle, so that
// neither "..", nor a symbolic link, nor a directory swapped for one during
// the run leads out of it.
//
// Paths are slash-separated and relative to the base, without "./".
type Tree struct {
	base     string // absolute, free of symbolic links
	away     string // the same from the working directory, slash-separated; "" for that itself
	root     *os.Root
	topLevel string // of the git work tree that holds base; "" outside of one
	gitDir   string
	args     []argument
	places   places

	sys    fs.FS           // of OpenFS; nil = the folder
	binary map[string]bool // of OpenFS

	step  func(op, path string) error // see disk; set by tests
	index tracked                     // what git tracks, for Ignored
}

// An argument is a path that the user named, relative to the base ("." is the base).
type argument struct {
	path string
	dir  bool
}

// Sum is the SHA-256 of a file's content; it tells whether a file is still
// what was read.
type Sum [sha256.Size]byte

// SumOf hashes data.
func SumOf(data []byte) Sum { return sha256.Sum256(data) }

// String is the sum in hexadecimal digits.
func (s Sum) String() string { return hex.EncodeToString(s[:]) }

// MarshalText makes a Sum a hexadecimal string in JSON.
func (s Sum) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// UnmarshalText reads what MarshalText wrote.
func (s *Sum) UnmarshalText(text []byte) error {
	if hex.DecodedLen(len(text)) != len(s) {
		return fmt.Errorf("%q is not a SHA-256", text)
	}
	_, err := hex.Decode(s[:], text)
	return err
}

// Open opens the tree of the given files and directories; none means the
// working directory. The base is the working directory when every path lies
// in it, else the deepest directory that holds them all (a file counts as its
// directory). A path that does not exist, or that a symbolic link leads out of
// the base, is an *Error with a hint. Close the tree when done.
func Open(paths []string) (*Tree, error) {
	if len(paths) == 0 {
		paths = []string{"."}
	}
	cwd, err := os.Getwd()
	if err != nil {
		return nil, err
	}
	named := make([]namedPath, len(paths))
	for i, p := range paths {
		if named[i], err = lookUp(p); err != nil {
			return nil, err
		}
	}
	base := commonBase(cwd, named)
	t := &Tree{away: fromDir(cwd, base)}
	if t.base, err = filepath.EvalSymlinks(base); err != nil {
		return nil, err
	}
	for _, n := range named {
		if err := t.add(n); err != nil {
			return nil, err
		}
	}
	if t.root, err = os.OpenRoot(t.base); err != nil {
		return nil, err
	}
	t.topLevel, t.gitDir = findGit(t.base)
	return t, nil
}

// A namedPath is one PATH argument as the user spelled it and where it is.
type namedPath struct {
	given, abs string
	dir        bool
}

func lookUp(given string) (namedPath, error) {
	abs, err := filepath.Abs(given)
	if err != nil {
		return namedPath{}, err
	}
	info, err := os.Stat(abs)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return namedPath{}, &Error{Path: given, Err: Cause(err), Hint: missingHint(abs)}
	case err != nil:
		return namedPath{}, &Error{Path: given, Err: Cause(err), Hint: "check the permissions of the path"}
	case !info.IsDir() && !info.Mode().IsRegular():
		return namedPath{}, &Error{Path: given, Err: errors.New("neither a regular file nor a directory"), Hint: "name a file or a directory"}
	}
	return namedPath{given, abs, info.IsDir()}, nil
}

// missingHint names the neighbour that is spelled most like the missing path.
func missingHint(abs string) string {
	entries, err := os.ReadDir(filepath.Dir(abs))
	if err != nil {
		return fmt.Sprintf("%s does not exist either", filepath.Dir(abs))
	}
	names := lists.Of(entries, fs.DirEntry.Name)
	if near := spelling.Nearest(filepath.Base(abs), names); near != "" {
		return fmt.Sprintf("did you mean %q?", near)
	}
	return "paths are relative to the working directory"
}

// commonBase is cwd when it holds every path, else the deepest directory that does.
func commonBase(cwd string, named []namedPath) string {
	base := ""
	for _, n := range named {
		dir := n.abs
		if !n.dir {
			dir = filepath.Dir(dir)
		}
		base = cmp.Or(base, dir)
		for !Within(base, dir) {
			base = filepath.Dir(base)
		}
	}
	if Within(cwd, base) {
		return cwd
	}
	return base
}

// fromDir is the slash-separated path of a directory from another one, "" for that
// itself; absolute where none leads there (another drive). Both are clean and absolute.
func fromDir(dir, to string) string {
	rel, err := filepath.Rel(dir, to)
	switch {
	case err != nil:
		rel = to
	case rel == ".":
		return ""
	}
	return filepath.ToSlash(rel)
}

// Same says whether two names are of one file or folder, which is there.
func Same(a, b string) bool {
	x, err := os.Stat(a)
	y, other := os.Stat(b)
	return err == nil && other == nil && os.SameFile(x, y)
}

// Within tells whether p is dir or lies below it. Both are clean and absolute.
func Within(dir, p string) bool {
	rel, err := filepath.Rel(dir, p)
	return err == nil && rel != ".." && !strings.HasPrefix(rel, ".."+string(filepath.Separator))
}

// add takes a named path into the tree, once, under its real place.
func (t *Tree) add(n namedPath) error {
	realPath, err := filepath.EvalSymlinks(n.abs)
	if err != nil {
		return &Error{Path: n.given, Err: Cause(err)}
	}
	if !Within(t.base, realPath) {
		return &Error{Path: n.given, Err: fmt.Errorf("symbolic link out of %s", t.base), Hint: "name its target instead: " + realPath}
	}
	rel, err := filepath.Rel(t.base, realPath)
	if err != nil {
		return err
	}
	a := argument{filepath.ToSlash(rel), n.dir}
	if !slices.Contains(t.args, a) {
		t.args = append(t.args, a)
	}
	return nil
}

// Close releases the tree.
func (t *Tree) Close() error {
	if t.root == nil {
		return nil
	}
	return t.root.Close()
}

// Base is the absolute path of the directory that all paths are relative to.
func (t *Tree) Base() string { return t.base }

// From is the slash-separated path of the base from the directory that cfctl was started
// in, "" where it is that one, and of a tree without a folder.
func (t *Tree) From() string { return t.away }

// TopLevel is the absolute path of the top of the git work tree that holds the
// base, or "" when none does.
func (t *Tree) TopLevel() string { return t.topLevel }

// GitDir is the absolute path of that work tree's git directory (its own, for
// a linked work tree or a submodule), or "" when there is none.
func (t *Tree) GitDir() string { return t.gitDir }

// Rel returns the tree's path of a file given as the user or another program
// spells it (absolute, or relative to dir), and whether it lies in the tree.
func (t *Tree) Rel(dir, name string) (string, bool) {
	if !filepath.IsAbs(name) {
		name = filepath.Join(dir, filepath.FromSlash(name))
	}
	rel, err := filepath.Rel(t.base, filepath.Clean(name))
	if err != nil || !filepath.IsLocal(rel) {
		return "", false
	}
	return filepath.ToSlash(rel), true
}

// Exists tells whether something is at a path of the tree: a file, a
// directory or a symbolic link.
func (t *Tree) Exists(name string) bool {
	if t.sys != nil {
		_, err := t.lstatFS(name)
		return err == nil
	}
	_, err := t.root.Lstat(name)
	return err == nil
}

// ReadFile reads a regular file of the tree.
func (t *Tree) ReadFile(name string) ([]byte, error) {
	if t.sys != nil {
		return t.readFS(name)
	}
	data, _, err := readRegular(t.root, name)
	return data, err
}

// readRegular reads a file that is regular; its mode is that of the open file.
func readRegular(root *os.Root, name string) ([]byte, fs.FileInfo, error) {
	f, err := root.OpenFile(filepath.FromSlash(name), os.O_RDONLY|openNonblock, 0)
	if err != nil {
		return nil, nil, errorAt(name, err)
	}
	defer func() { _ = f.Close() }()
	info, err := f.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = errNotRegular
	}
	if err != nil {
		return nil, nil, errorAt(name, err)
	}
	data := bytes.NewBuffer(make([]byte, 0, info.Size()+bytes.MinRead))
	_, err = data.ReadFrom(f)
	return data.Bytes(), info, errorAt(name, err)
}

var errNotRegular = errors.New("not a regular file")

// errorAt is an error about a file, nil where there is none.
func errorAt(name string, err error) error {
	if err == nil {
		return nil
	}
	return &Error{Path: name, Err: Cause(err)}
}

// Cause takes the operation and the path off an error of the os package, as
// the place is named by an Error already.
func Cause(err error) error {
	if p, ok := errors.AsType[*fs.PathError](err); ok {
		return p.Err
	}
	if l, ok := errors.AsType[*os.LinkError](err); ok {
		return l.Err
	}
	return err
}

// WorkTree is the top of the git work tree that holds a folder, an absolute path without
// links; "" outside of one.
func WorkTree(dir string) string {
	top, _ := findGit(dir)
	return top
}

// findGit finds the work tree that holds dir: the nearest directory upward
// with a ".git" that is a git directory or a file that names one.
func findGit(dir string) (topLevel, gitDir string) {
	for {
		if g := gitDirOf(dir); g != "" {
			return dir, g
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			return "", ""
		}
		dir = parent
	}
}

// gitDirOf is the git directory that dir/.git is or names, or "".
func gitDirOf(dir string) string {
	dotGit := filepath.Join(dir, ".git")
	info, err := os.Lstat(dotGit)
	if err != nil {
		return ""
	}
	switch {
	case info.IsDir():
	case info.Mode()&fs.ModeSymlink != 0:
		if dotGit, err = filepath.EvalSymlinks(dotGit); err != nil || !isGitDir(dotGit, filepath.Join(dir, ".git")) {
			return ""
		}
	default:
		text, err := readGitFile(dotGit)
		if err != nil {
			return ""
		}
		target, ok := strings.CutPrefix(strings.TrimSpace(string(text)), "gitdir: ")
		if !ok {
			return ""
		}
		if !filepath.IsAbs(target) {
			target = filepath.Join(dir, target)
		}
		if dotGit = filepath.Clean(target); !isGitDir(dotGit, filepath.Join(dir, ".git")) {
			return ""
		}
	}
	if _, err := os.Stat(filepath.Join(dotGit, "HEAD")); err != nil {
		return ""
	}
	return dotGit
}

// maxGitFile bounds a file of git's own that is read whole, in bytes: the index
// of a million files is far below.
const maxGitFile = 1 << 29

// readGitFile reads a file of git's own: regular, and of a size that git makes.
func readGitFile(name string) ([]byte, error) {
	f, err := os.OpenFile(name, os.O_RDONLY|openNonblock, 0)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	info, err := f.Stat()
	switch {
	case err != nil:
		return nil, err
	case !info.Mode().IsRegular():
		return nil, &Error{Path: name, Err: errNotRegular}
	case info.Size() > maxGitFile:
		return nil, &Error{Path: name, Err: errTooLarge}
	}
	return io.ReadAll(io.LimitReader(f, maxGitFile))
}

// isGitDir says whether the directory that a .git file names is one of git's,
// and for a linked work tree whether it names that file in turn: anyone can
// put a .git file into a tree, and journals are written where it says.
func isGitDir(dir, dotGit string) bool {
	if _, err := os.Stat(filepath.Join(dir, "commondir")); err == nil {
		back, err := readGitFile(filepath.Join(dir, "gitdir"))
		if err != nil {
			return false
		}
		at := strings.TrimSpace(string(back))
		if !filepath.IsAbs(at) {
			at = filepath.Join(dir, at)
		}
		if !Same(at, dotGit) {
			return false
		}
	}
	common := commonGitDir(dir)
	if common == dir && !isOf(dir, filepath.Dir(dotGit)) {
		return false
	}
	for _, name := range []string{"objects", "refs"} {
		if info, err := os.Stat(filepath.Join(common, name)); err != nil || !info.IsDir() {
			return false
		}
	}
	return true
}

// isOf says whether the git directory of a submodule, or one that was made with
// --separate-git-dir, is that of the work tree at top. The former names it; the
// latter does not, but is no one else's .git, and no bare repository.
func isOf(gitDir, top string) bool {
	worktree, bare := coreOf(gitDir)
	if worktree == "" {
		target, err := filepath.EvalSymlinks(gitDir)
		return err == nil && !bare && filepath.Base(target) != ".git"
	}
	if !filepath.IsAbs(worktree) {
		worktree = filepath.Join(gitDir, worktree)
	}
	return Same(worktree, top)
}

// coreOf reads what the configuration in a git directory says of its work tree
// (core.worktree; empty = nothing) and whether there is none (core.bare).
func coreOf(gitDir string) (worktree string, bare bool) {
	for _, name := range []string{"config", "config.worktree"} {
		text, _ := readGitFile(filepath.Join(gitDir, name))
		section := ""
		for line := range strings.Lines(string(text)) {
			line = strings.TrimSpace(line)
			if strings.HasPrefix(line, "[") {
				section = strings.ToLower(line)
				continue
			}
			key, value, _ := strings.Cut(line, "=")
			value = strings.TrimSpace(value)
			if quoted, err := strconv.Unquote(value); err == nil {
				value = quoted
			}
			switch strings.ToLower(strings.TrimSpace(key)) {
			case "worktree":
				if section == "[core]" {
					worktree = value
				}
			case "bare":
				bare = section == "[core]" && value == "true" || section != "[core]" && bare
			}
		}
	}
	return worktree, bare
}

// NamesAnother says whether .git in a folder is a file or a link that names no
// repository of that folder: anyone can put one into a tree.
func NamesAnother(dir string) bool {
	info, err := os.Lstat(filepath.Join(dir, ".git"))
	return err == nil && !info.IsDir() && gitDirOf(dir) == ""
}

// commonGitDir is the directory that the linked work trees of a repository
// share; info/exclude is read from there.
func commonGitDir(gitDir string) string {
	text, err := readGitFile(filepath.Join(gitDir, "commondir"))
	if err != nil {
		return gitDir
	}
	common := strings.TrimSpace(string(text))
	if !filepath.IsAbs(common) {
		common = filepath.Join(gitDir, common)
	}
	return filepath.Clean(common)
}
