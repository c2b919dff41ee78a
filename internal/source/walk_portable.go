//go:build !linux || portable

package source

import (
	"errors"
	"io"
	"io/fs"
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

// An opener opens directories of a tree by path.
type opener struct{ root *os.Root }

func newOpener(root *os.Root) opener { return opener{root} }

func (o opener) close() {}

func (o opener) dir(path string) (directory, error) {
	root, err := o.root.OpenRoot(filepath.FromSlash(path))
	return directory{root}, err
}

// A directory is an open directory.
type directory struct{ root *os.Root }

func (d directory) close() { _ = d.root.Close() }

func (d directory) open(e entry) (file, error) {
	f, err := d.root.OpenFile(filepath.FromSlash(e.name), os.O_RDONLY|openNonblock, 0)
	if err != nil {
		return file{}, err
	}
	info, err := f.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = errNotRegular
	}
	if err != nil {
		_ = f.Close()
		return file{}, err
	}
	return file{f}, nil
}

func (d directory) readFile(e entry) ([]byte, error) {
	f, err := d.open(e)
	if err != nil {
		return nil, err
	}
	defer f.close()
	return io.ReadAll(f.f)
}

// kindOf asks for the kind of an entry that was listed without one.
func (d directory) kindOf(e entry) kind {
	info, err := d.root.Lstat(e.name)
	if err != nil {
		return kindFile // reading it gives the reason
	}
	return kindOfMode(info.Mode())
}

func kindOfMode(m fs.FileMode) kind {
	switch {
	case m.IsRegular():
		return kindFile
	case m.IsDir():
		return kindDir
	case m&fs.ModeSymlink != 0:
		return kindLink
	}
	return kindOther
}

// A lister reads directories.
type lister struct{}

func (lister) list(d directory, entries []entry) ([]entry, error) {
	f, err := d.root.Open(".")
	if err != nil {
		return entries, err
	}
	defer func() { _ = f.Close() }()
	list, err := f.ReadDir(-1)
	for _, e := range list {
		entries = append(entries, entry{e.Name(), kindOfMode(e.Type())})
	}
	return entries, err
}

// A file is an open regular file.
type file struct{ f *os.File }

func (f file) close() { _ = f.f.Close() }

func (f file) read(buf []byte) (int, error) { return f.f.Read(buf) }

func (f file) rewind() error {
	_, err := f.f.Seek(0, io.SeekStart)
	return err
}

func (f file) stat() (fs.FileMode, int64, error) {
	info, err := f.f.Stat()
	if err != nil {
		return 0, 0, err
	}
	return info.Mode().Perm(), info.Size(), nil
}

func isLinkError(err error) bool { return errors.Is(err, errLink) }

var errLink = errors.New("symbolic link")

// startFlush has no portable call.
func startFlush(*os.File) {}
