package source

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"path"
)

// OpenFS opens a tree that has no folder on this machine: a commit of a git
// repository. All of it is read as what git tracks, so that no .gitignore has a
// say; links are not followed. Files of binary are taken for binary without
// being read: they may not be on this machine, and cannot be read by name either.
//
// Such a tree is read: Commit, Recover and Undo are errors. It has no Base and
// no TopLevel, and its paths are from the top of the repository.
func OpenFS(fsys fs.FS, binary []string) *Tree {
	t := &Tree{sys: fsys, binary: map[string]bool{}}
	for _, name := range binary {
		t.binary[name] = true
	}
	return t
}

// errReadOnly is the error of a write into a tree that has no folder.
var errReadOnly = errors.New("the tree of a commit is not written into")

// errLeftOut is the error of a file that is taken for binary by its name.
var errLeftOut = errors.New("it was left out, as a binary file")

// readFS reads a regular file of a tree without a folder.
func (t *Tree) readFS(name string) ([]byte, error) {
	info, err := t.lstatFS(name)
	switch {
	case err == nil && !info.Type().IsRegular():
		err = errNotRegular
	case t.binary[name]:
		err = errLeftOut
	}
	if err != nil {
		return nil, errorAt(name, err)
	}
	data, err := fs.ReadFile(t.sys, name)
	return data, errorAt(name, err)
}

// lstatFS looks an entry up without reading it.
func (t *Tree) lstatFS(name string) (fs.DirEntry, error) {
	list, err := fs.ReadDir(t.sys, path.Dir(name))
	if err != nil {
		return nil, err
	}
	for _, e := range list {
		if e.Name() == path.Base(name) {
			return e, nil
		}
	}
	return nil, &fs.PathError{Op: "lstat", Path: name, Err: fs.ErrNotExist}
}

// ReadLink is where a symbolic link of the tree leads, as it says itself.
func (t *Tree) ReadLink(name string) (string, error) {
	if t.sys == nil {
		return t.root.Readlink(name)
	}
	info, err := t.lstatFS(name)
	if err == nil && info.Type()&fs.ModeSymlink == 0 {
		err = errNotRegular
	}
	if err != nil {
		return "", errorAt(name, err)
	}
	target, err := fs.ReadFile(t.sys, name)
	return string(target), err
}

// A commit opens the directories of a tree without a folder.
type commit struct{ tree *Tree }

func (c commit) dir(name string) (directory, error) { return commitDir{c.tree, name}, nil }
func (c commit) close()                             {}

// A commitDir is a directory of such a tree.
type commitDir struct {
	tree *Tree
	name string
}

func (d commitDir) close()            {}
func (d commitDir) kindOf(entry) kind { return kindFile }

func (d commitDir) list(_ *lister, entries []entry) ([]entry, error) {
	list, err := fs.ReadDir(d.tree.sys, d.name)
	return appendListed(entries, list), err
}

func (d commitDir) open(e entry) (file, error) {
	data, err := fs.ReadFile(d.tree.sys, path.Join(d.name, e.name))
	return commitFile{bytes.NewReader(data)}, err
}

// A commitFile is a file of such a tree, which is read as a whole.
type commitFile struct{ r *bytes.Reader }

func (f commitFile) close()                       {}
func (f commitFile) read(buf []byte) (int, error) { return f.r.Read(buf) }

func (f commitFile) rewind() error {
	_, err := f.r.Seek(0, io.SeekStart)
	return err
}

func (f commitFile) size() (int64, error) { return f.r.Size(), nil }
