package source

import (
	"bytes"
	"encoding/binary"
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
		data, err := readGitFile(filepath.Join(t.gitDir, "index"))
		if err != nil {
			return
		}
		k.paths, k.links = indexPaths(data)
		if k.from = t.from(t.topLevel); k.from != "" {
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

// indexPaths reads the paths of a git index, sorted as they stand there, and
// which of them are commits of other repositories; nil when it is of a form that
// is not known.
// Source: https://git-scm.com/docs/index-format
func indexPaths(data []byte) (paths, links []string) {
	if len(data) < 12 || !bytes.HasPrefix(data, []byte("DIRC")) {
		return nil, nil
	}
	version := binary.BigEndian.Uint32(data[4:])
	count := int(binary.BigEndian.Uint32(data[8:]))
	if version < 2 || version > 4 || count > len(data)/40 {
		return nil, nil
	}
	for _, hash := range []int{20, 32} { // of SHA-1 and of SHA-256
		if paths, links = indexEntries(data[12:], version, count, 40+hash); paths != nil && slices.IsSorted(paths) {
			return paths, links
		}
	}
	return nil, nil
}

// What an entry of an index says of its kind.
const (
	entryMode  = 24 // where its mode stands, in bytes
	modeCommit = 0o160000
)

// indexEntries reads the entries of an index whose flags stand behind fixed
// bytes; nil when they do not fit.
func indexEntries(data []byte, version uint32, count, fixed int) (paths, links []string) {
	paths = make([]string, 0, count)
	last := ""
	for range count {
		if len(data) < fixed+2 {
			return nil, nil
		}
		flags := binary.BigEndian.Uint16(data[fixed:])
		head := fixed + 2
		if flags&0x4000 != 0 {
			head += 2 // extended flags
		}
		var keep string
		if version == 4 { // the path begins as the one before
			cut, n := offsetVarint(data[min(head, len(data)):])
			if n == 0 || cut > len(last) {
				return nil, nil
			}
			head, keep = head+n, last[:len(last)-cut]
		}
		if head > len(data) {
			return nil, nil
		}
		n := bytes.IndexByte(data[head:], 0)
		if length := int(flags & 0xfff); n < 0 || length != min(0xfff, len(keep)+n) {
			return nil, nil
		}
		last = keep + string(data[head:head+n])
		paths = append(paths, last)
		if binary.BigEndian.Uint32(data[entryMode:]) == modeCommit {
			links = append(links, last)
		}
		size := head + n + 1
		if version < 4 {
			size = (head + n + 8) &^ 7 // NUL to a multiple of eight
		}
		if size > len(data) {
			return nil, nil
		}
		data = data[size:]
	}
	return paths, links
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
