package source

import (
	"bytes"
	"encoding/binary"
	"io"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"
)

// What git tracks is never ignored, whatever .gitignore says: a pattern that
// is meant for a binary often names a directory of source too. The index says
// what is tracked; it is read once, when the first path is ignored.
type tracked struct {
	once  sync.Once
	paths []string // from the top of the work tree, sorted
	links []string // those of paths that are commits of other repositories
	from  string   // the base as seen from there, with a slash at the end, or ""
}

// read reads the index, once.
func (k *tracked) read(t *Tree) {
	k.once.Do(func() {
		if t.gitDir == "" {
			return
		}
		data, _ := readGitFile(filepath.Join(t.gitDir, "index"))
		index := parseIndex(data)
		k.paths, k.links = index.paths, index.links
		if k.from = fromDir(t.topLevel, t.base); k.from != "" {
			k.from += "/"
		}
	})
}

// isLink tells whether git tracks a directory of the tree as a commit of
// another repository: a submodule, checked out or not.
func (k *tracked) isLink(t *Tree, path []byte) bool {
	k.read(t)
	return slices.Contains(k.links, k.from+string(path))
}

// has tells whether git tracks a file of the tree, or a file below a directory.
func (k *tracked) has(t *Tree, path []byte, dir bool) bool {
	k.read(t)
	if len(k.paths) == 0 {
		return false
	}
	name := k.from + string(path)
	if dir {
		name += "/"
	}
	i, found := slices.BinarySearch(k.paths, name)
	return found || dir && i < len(k.paths) && strings.HasPrefix(k.paths[i], name)
}

// A gitIndex is what a git index says of paths, from the top of the work tree; nothing
// when it is of a form that is not known.
type gitIndex struct {
	paths  []string // all, sorted as they are there
	links  []string // those that are commits of other repositories
	sparse []string // those that are not to be checked out; with a slash at the end all below a directory
}

// parseIndex reads a git index.
// Source: https://git-scm.com/docs/index-format
func parseIndex(data []byte) gitIndex {
	version := indexVersion(data)
	if version < 2 || version > 4 {
		return gitIndex{}
	}
	count := int(binary.BigEndian.Uint32(data[8:]))
	if count > len(data)/40 {
		return gitIndex{}
	}
	for _, hash := range []int{20, 32} { // of SHA-1 and of SHA-256
		if x, ok := indexEntries(data[indexHead:], version, count, 40+hash); ok && slices.IsSorted(x.paths) {
			return x
		}
	}
	return gitIndex{}
}

// indexHead is how many bytes are before the entries of an index.
const indexHead = 12

// indexVersion is the version of an index that begins so, 0 for what is none.
func indexVersion(head []byte) uint32 {
	if len(head) < indexHead || !bytes.HasPrefix(head, []byte("DIRC")) {
		return 0
	}
	return binary.BigEndian.Uint32(head[4:])
}

// What an entry of an index says of its kind.
const (
	entryMode    = 24 // where its mode is, in bytes
	modeCommit   = 0o160000
	flagExtended = 0x4000 // more flags follow
	flagSparse   = 0x4000 // of these: it is not to be checked out
)

// indexEntries reads the entries of an index whose flags are behind fixed
// bytes; false when they do not fit.
func indexEntries(data []byte, version uint32, count, fixed int) (gitIndex, bool) {
	x := gitIndex{paths: make([]string, 0, count)}
	last := ""
	for range count {
		if len(data) < fixed+4 {
			return gitIndex{}, false
		}
		flags, more := binary.BigEndian.Uint16(data[fixed:]), uint16(0)
		head := fixed + 2
		if flags&flagExtended != 0 {
			more = binary.BigEndian.Uint16(data[head:])
			head += 2
		}
		var keep string
		if version == 4 { // the path begins as the one before
			cut, n := offsetVarint(data[min(head, len(data)):])
			if n == 0 || cut > len(last) {
				return gitIndex{}, false
			}
			head, keep = head+n, last[:len(last)-cut]
		}
		if head > len(data) {
			return gitIndex{}, false
		}
		n := bytes.IndexByte(data[head:], 0)
		if length := int(flags & 0xfff); n < 0 || length != min(0xfff, len(keep)+n) {
			return gitIndex{}, false
		}
		last = keep + string(data[head:head+n])
		x.paths = append(x.paths, last)
		switch {
		case binary.BigEndian.Uint32(data[entryMode:]) == modeCommit:
			x.links = append(x.links, last)
		case more&flagSparse != 0:
			x.sparse = append(x.sparse, last)
		}
		size := head + n + 1
		if version < 4 {
			size = (head + n + 8) &^ 7 // NUL to a multiple of eight
		}
		if size > len(data) {
			return gitIndex{}, false
		}
		data = data[size:]
	}
	return x, true
}

// offsetVarint reads a number as git packs offsets; n is its length, 0 for none.
func offsetVarint(data []byte) (value, n int) {
	for i, c := range data[:min(len(data), 5)] {
		value = value<<7 | int(c&0x7f)
		if c&0x80 == 0 {
			return value, i + 1
		}
		value++
	}
	return 0, 0
}

// A sparse checkout has files that git tracks and that are not in the work tree: a
// walk does not see them, and no one knows what they hold.

// notCheckedOut are the files that git tracks and that are not in the work tree, of
// every work tree that was walked; a folder that is not there represents all below it.
func (w *walk) notCheckedOut() []Skip {
	tops := w.tree.GitTops()
	for _, s := range w.skips {
		if s.Reason == SkipVCS && path.Base(s.Path) == ".git" {
			tops = append(tops, filepath.Join(w.tree.base, filepath.FromSlash(path.Dir(s.Path))))
		}
	}
	var skips []Skip
	known := map[string]bool{}
	for _, top := range tops {
		if known[top] {
			continue
		}
		known[top] = true
		for _, name := range sparsePaths(gitDirOf(top)) {
			if s, ok := w.absent(top, name); ok && !known[s.Path] {
				known[s.Path] = true
				skips = append(skips, s)
			}
		}
	}
	return skips
}

// sparsePaths are the paths that the index in a git directory says are not to be
// checked out. Only versions 3 and on can: the index of another is not read.
func sparsePaths(gitDir string) []string {
	if version, _ := readIndexHead(gitDir); version < 3 {
		return nil
	}
	data, _ := readGitFile(filepath.Join(gitDir, "index"))
	return parseIndex(data).sparse
}

// readIndexHead is the version of the index in a git directory and how many files it
// has; 0 where there is none.
// Source: git, Documentation/gitformat-index.txt: "DIRC", the version, the number of entries.
func readIndexHead(gitDir string) (version uint32, files int) {
	if gitDir == "" {
		return 0, 0
	}
	f, err := os.OpenFile(filepath.Join(gitDir, "index"), os.O_RDONLY|openNonblock, 0)
	if err != nil {
		return 0, 0
	}
	defer func() { _ = f.Close() }()
	var head [indexHead]byte
	if _, err := io.ReadFull(f, head[:]); err != nil || indexVersion(head[:]) == 0 {
		return 0, 0
	}
	return indexVersion(head[:]), int(binary.BigEndian.Uint32(head[8:]))
}

// absent is a path of a work tree that should be among what is walked and is not
// there, or the folder that it would be in.
func (w *walk) absent(top, name string) (Skip, bool) {
	at := filepath.Join(top, filepath.FromSlash(name))
	dir := strings.HasSuffix(name, "/")
	if !dir && isThere(at) {
		return Skip{}, false
	}
	for above := filepath.Dir(at); above != top && Within(top, above) && !isThere(above); above = filepath.Dir(above) {
		at, dir = above, true
	}
	rel, err := filepath.Rel(w.tree.base, at)
	if err != nil {
		return Skip{}, false
	}
	s := Skip{Path: filepath.ToSlash(rel), Dir: dir, Reason: SkipSparse}
	return s, w.tree.Covers(s.Path) && !w.leavesOut(s)
}

// leavesOut says whether a walk would not read a file or folder that is not there.
func (w *walk) leavesOut(s Skip) bool {
	for name, dir := s.Path, s.Dir; name != "."; name, dir = path.Dir(name), true {
		if w.named[name] {
			return false
		}
		base := path.Base(name)
		if dir && (Vendored(base) || base == "node_modules") || w.exclude.Names([]byte(name), dir) {
			return true
		}
	}
	return false
}

func isThere(name string) bool {
	_, err := os.Lstat(name)
	return err == nil
}

// CountTracked is how many files git tracks, where paths are a whole work tree, by the
// header of its index; 0 = that is not known.
func (t *Tree) CountTracked(paths []string) int {
	if len(paths) != 1 || paths[0] != "." || t.topLevel == "" || t.topLevel != t.base {
		return 0
	}
	_, files := readIndexHead(t.gitDir)
	return files
}
