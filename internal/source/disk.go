package source

import (
	"cmp"
	"errors"
	"io/fs"
	"os"
	"path"
	"runtime"
	"sync"
)

// A disk makes changes below a root. Every system call by which a commit, a
// recovery or an undo changes a file or a directory is one call of a method
// here and reports itself to step before: tests count the steps, fail one of
// them, or kill the process at each.
//
// os.Root keeps every method inside of the root, whatever happens to the path
// meanwhile. A folder that is a symbolic link, wherever it leads, is an error.
type disk struct {
	root  *os.Root
	plain *sync.Map                   // folders that were seen to be none of links
	step  func(op, path string) error // nil outside of tests
}

// newDisk is the disk of an open directory.
func newDisk(root *os.Root) disk { return disk{root: root, plain: &sync.Map{}} }

// openDisk opens the disk of a directory. Close it when done.
func openDisk(dir string) (disk, error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return disk{}, err
	}
	return newDisk(root), nil
}

func (d disk) close() {
	if d.root != nil {
		_ = d.root.Close()
	}
}

// before reports a change, and refuses it where a link leads to the name.
func (d disk) before(op, name string) error {
	if d.step != nil {
		if err := d.step(op, name); err != nil {
			return err
		}
	}
	return d.noLink(path.Dir(name))
}

// noLink refuses a folder that is a link, or lies below one.
func (d disk) noLink(dir string) error {
	if dir == "." {
		return nil
	}
	if _, known := d.plain.Load(dir); known {
		return nil
	}
	if err := d.noLink(path.Dir(dir)); err != nil {
		return err
	}
	info, err := d.root.Lstat(dir)
	switch {
	case err != nil:
		return nil //nolint:nilerr // whoever needs it says that it is not there
	case info.Mode()&fs.ModeSymlink != 0:
		return &fs.PathError{Op: "open", Path: dir, Err: errIsLink}
	}
	d.plain.Store(dir, true)
	return nil
}

// create makes a new file for writing; it must not exist.
func (d disk) create(name string) (*os.File, error) {
	if err := d.before("create", name); err != nil {
		return nil, err
	}
	return d.root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
}

func (d disk) write(f *os.File, name string, data []byte) error {
	if err := d.before("write", name); err != nil {
		return err
	}
	_, err := f.Write(data)
	return err
}

func (d disk) sync(f *os.File, name string) error {
	if err := d.before("sync", name); err != nil {
		return err
	}
	return f.Sync()
}

// own gives a file the permission bits and, where the user may, the owner of like.
func (d disk) own(f *os.File, name string, mode fs.FileMode, like fs.FileInfo) error {
	if err := d.before("own", name); err != nil {
		return err
	}
	if like != nil {
		keepOwner(f, like)
	}
	return f.Chmod(mode)
}

// rename gives a file another name in its directory.
func (d disk) rename(from, to string) error {
	if err := d.before("rename", to); err != nil {
		return err
	}
	return d.root.Rename(path.Join(path.Dir(to), path.Base(from)), to)
}

// remove deletes a file or an empty directory; it may be gone already.
func (d disk) remove(name string) error {
	if err := d.before("remove", name); err != nil {
		return err
	}
	d.plain.Delete(name)
	if err := d.root.Remove(name); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// mkdir makes one directory; it may be there already.
func (d disk) mkdir(name string) error {
	if err := d.before("mkdir", name); err != nil {
		return err
	}
	if err := d.root.Mkdir(name, 0o755); !errors.Is(err, fs.ErrExist) {
		return err
	}
	return nil
}

// syncDir makes the names in a directory last; it may be gone. Windows has no such call.
func (d disk) syncDir(name string) error {
	if err := d.before("syncdir", name); err != nil || runtime.GOOS == "windows" {
		return err
	}
	f, err := d.root.Open(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer func() { _ = f.Close() }()
	return f.Sync()
}

// begin writes a whole new file under a name that is free: content, mode and
// owner, which are on the disk after end. A part of a file is taken away again.
func (d disk) begin(name string, data []byte, mode fs.FileMode, like fs.FileInfo) (*os.File, error) {
	f, err := d.create(name)
	if err != nil {
		return nil, err
	}
	err = d.write(f, name, data)
	if err == nil {
		err = d.own(f, name, mode, like)
	}
	if err != nil {
		_ = f.Close()
		_ = d.remove(name)
		return nil, err
	}
	startFlush(f)
	return f, nil
}

// end waits until a file that was begun is on the disk, and closes it.
func (d disk) end(f *os.File, name string) error {
	err := cmp.Or(d.sync(f, name), f.Close())
	if err != nil {
		_ = d.remove(name)
	}
	return err
}

// put writes a whole new file, which is on the disk then, in place of one that is there.
func (d disk) put(name string, data []byte, mode fs.FileMode, like fs.FileInfo) error {
	if err := d.remove(name); err != nil {
		return err
	}
	f, err := d.begin(name, data, mode, like)
	if err != nil {
		return err
	}
	return d.end(f, name)
}

// replace writes a file through a temporary one in the same directory.
func (d disk) replace(name, temp string, data []byte, mode fs.FileMode, like fs.FileInfo) error {
	if err := d.put(temp, data, mode, like); err != nil {
		return err
	}
	if err := d.rename(temp, name); err != nil {
		_ = d.remove(temp)
		return err
	}
	return d.syncDir(path.Dir(name))
}

// lookUp tells what is under a name.
func (d disk) lookUp(name string) (fs.FileInfo, error) {
	if err := d.noLink(path.Dir(name)); err != nil {
		return nil, err
	}
	return d.root.Lstat(name)
}

// read reads a regular file that is no symbolic link.
func (d disk) read(name string) ([]byte, fs.FileInfo, error) {
	info, err := d.lookUp(name)
	if err != nil {
		return nil, nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, nil, errNotRegular
	}
	data, opened, err := readRegular(d.root, name)
	if err == nil && !os.SameFile(info, opened) {
		err = errChanged
	}
	return data, opened, err
}

// sum is the hash of a file that is there; there is false for one that is not.
func (d disk) sum(name string) (s Sum, there bool, err error) {
	data, _, err := d.read(name)
	if errors.Is(err, fs.ErrNotExist) {
		return Sum{}, false, nil
	}
	if err != nil {
		return Sum{}, true, err
	}
	return SumOf(data), true, nil
}
