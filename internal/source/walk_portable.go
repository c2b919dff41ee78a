//go:build !linux || portable

package source

import (
	"errors"
	"io"
	"os"
	"path/filepath"
)

// This is the portable way to the files, through os.Root.

// An entry is a name in a directory.
type entry struct {
	name string
	kind kind
}

func newEntry(name string) entry { return entry{name: name, kind: kindFile} }

// A base opens directories of a tree by path.
type base struct{ root *os.Root }

func newOpener(root *os.Root) (opener, error) { return base{root}, nil }

func (o base) close() {}

func (o base) dir(path string) (directory, error) {
	root, err := o.root.OpenRoot(filepath.FromSlash(path))
	return rootDir{root}, err
}

// A rootDir is an open directory.
type rootDir struct{ root *os.Root }

func (d rootDir) close() { _ = d.root.Close() }

func (d rootDir) open(e entry) (file, error) {
	f, err := d.root.OpenFile(filepath.FromSlash(e.name), os.O_RDONLY|openNonblock, 0)
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = errNotRegular
	}
	if err != nil {
		_ = f.Close()
		return nil, err
	}
	return rootFile{f}, nil
}

// kindOf asks for the kind of an entry that was listed without one.
func (d rootDir) kindOf(e entry) kind {
	info, err := d.root.Lstat(e.name)
	if err != nil {
		return kindFile // reading it gives the reason
	}
	return kindOfMode(info.Mode())
}

func (d rootDir) list(_ *lister, entries []entry) ([]entry, error) {
	f, err := d.root.Open(".")
	if err != nil {
		return entries, err
	}
	defer func() { _ = f.Close() }()
	list, err := f.ReadDir(-1)
	return appendListed(entries, list), err
}

// A rootFile is an open regular file.
type rootFile struct{ f *os.File }

func (f rootFile) close() { _ = f.f.Close() }

func (f rootFile) read(buf []byte) (int, error) { return f.f.Read(buf) }

func (f rootFile) rewind() error {
	_, err := f.f.Seek(0, io.SeekStart)
	return err
}

func (f rootFile) size() (int64, error) {
	info, err := f.f.Stat()
	if err != nil {
		return 0, err
	}
	return info.Size(), nil
}

func isLinkError(err error) bool { return errors.Is(err, errLink) }

var errLink = errors.New("symbolic link")

// startFlush has no portable call.
func startFlush(*os.File) {}
