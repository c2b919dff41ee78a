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
	from  string   // the base as seen from there, with a slash at the end, or ""
}

// has tells whether git tracks a file of the tree, or a file below a directory.
func (k *tracked) has(t *Tree, path []byte, dir bool) bool {
	k.once.Do(func() {
		if t.gitDir == "" {
			return
		}
		data, err := readGitFile(filepath.Join(t.gitDir, "index"))
		if err != nil {
			return
		}
		k.paths = indexPaths(data)
		if k.from = t.from(t.topLevel); k.from != "" {
			k.from += "/"
		}
	})
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

// indexPaths reads the paths of a git index, sorted as they stand there; nil
// when it is of a form that is not known.
// Source: https://git-scm.com/docs/index-format
func indexPaths(data []byte) []string {
	if len(data) < 12 || !bytes.HasPrefix(data, []byte("DIRC")) {
		return nil
	}
	version := binary.BigEndian.Uint32(data[4:])
	count := int(binary.BigEndian.Uint32(data[8:]))
	if version < 2 || version > 4 || count > len(data)/40 {
		return nil
	}
	for _, hash := range []int{20, 32} { // of SHA-1 and of SHA-256
		if paths := indexEntries(data[12:], version, count, 40+hash); paths != nil && slices.IsSorted(paths) {
			return paths
		}
	}
	return nil
}

// indexEntries reads the entries of an index whose flags stand behind fixed
// bytes; nil when they do not fit.
func indexEntries(data []byte, version uint32, count, fixed int) []string {
	paths := make([]string, 0, count)
	last := ""
	for range count {
		if len(data) < fixed+2 {
			return nil
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
				return nil
			}
			head, keep = head+n, last[:len(last)-cut]
		}
		if head > len(data) {
			return nil
		}
		n := bytes.IndexByte(data[head:], 0)
		if length := int(flags & 0xfff); n < 0 || length != min(0xfff, len(keep)+n) {
			return nil
		}
		last = keep + string(data[head:head+n])
		paths = append(paths, last)
		size := head + n + 1
		if version < 4 {
			size = (head + n + 8) &^ 7 // NUL to a multiple of eight
		}
		if size > len(data) {
			return nil
		}
		data = data[size:]
	}
	return paths
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
