//go:build !linux || portable

package source

import (
	"io/fs"
	"os"
	"runtime"
	"time"
)

// This is what a disk does through os.Root, where the system has no calls of
// its own for it.

// A stamp is a file's mode and owner.
type stamp struct{ info fs.FileInfo }

func (s *stamp) perm() fs.FileMode { return s.info.Mode().Perm() }

// same is not known here: contents are compared.
func (s *stamp) same(*stamp) (since time.Time, ok bool) { return time.Time{}, false }

func (d directory) lookUp(name string) (stamp, error) {
	info, err := d.root.Lstat(name)
	return stamp{info}, err
}

// read reads a regular file that is no symbolic link. It takes no room.
func (d directory) read(name string, _ []byte) ([]byte, stamp, error) {
	info, err := d.root.Lstat(name)
	if err != nil {
		return nil, stamp{}, err
	}
	if !info.Mode().IsRegular() {
		return nil, stamp{}, errNotRegular
	}
	data, opened, err := readRegular(d.root, name)
	if err != nil {
		return nil, stamp{}, err
	}
	if !os.SameFile(info, opened) {
		return nil, stamp{}, errChanged
	}
	return data, stamp{opened}, nil
}

// create makes a new file; the name must be free.
func (d directory) create(name string) (output, error) {
	f, err := d.root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	return output{f}, err
}

func (d directory) rename(from, to string) error { return d.root.Rename(from, to) }

// remove deletes a file or an empty directory.
func (d directory) remove(name string) error { return d.root.Remove(name) }

func (d directory) mkdir(name string) error { return d.root.Mkdir(name, 0o755) }

// sync makes the names in the directory last. Windows has no such call.
func (d directory) sync() error {
	if runtime.GOOS == "windows" {
		return nil
	}
	f, err := d.root.Open(".")
	if err != nil {
		return err
	}
	defer func() { _ = f.Close() }()
	return f.Sync()
}

// An output is a new file that is being written.
type output struct{ f *os.File }

func (o output) close() error { return o.f.Close() }

func (o output) write(data []byte) error {
	_, err := o.f.Write(data)
	return err
}

// own gives the file the permission bits and, where the user may, the owner of
// like.
func (o output) own(mode fs.FileMode, like *stamp) error {
	if like != nil {
		keepOwner(o.f, like.info)
	}
	return o.f.Chmod(mode)
}

// flush has no portable call.
func (o output) flush() {}

func (o output) sync() error { return o.f.Sync() }
