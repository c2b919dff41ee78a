package source

import (
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"runtime"
)

// A disk makes changes below a root. Every system call by which a commit, a
// recovery or an undo changes a file or a directory is one call of a method
// here and reports itself to step before: tests count the steps, fail one of
// them, or kill the process at each.
type disk struct {
	root *os.Root
	step func(op, path string) error // nil outside of tests
}

func (d disk) before(op, name string) error {
	if d.step == nil {
		return nil
	}
	return d.step(op, name)
}

// create makes a new file for writing; it must not exist.
func (d disk) create(name string) (*os.File, error) {
	if err := d.before("create", name); err != nil {
		return nil, err
	}
	return d.root.OpenFile(filepath.FromSlash(name), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
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

// own gives the file the permission bits and, where the user may, the owner of
// like.
func (d disk) own(f *os.File, name string, mode fs.FileMode, like fs.FileInfo) error {
	if err := d.before("own", name); err != nil {
		return err
	}
	if like != nil {
		keepOwner(f, like)
	}
	return f.Chmod(mode)
}

func (d disk) rename(from, to string) error {
	if err := d.before("rename", to); err != nil {
		return err
	}
	return d.root.Rename(filepath.FromSlash(from), filepath.FromSlash(to))
}

// remove deletes a file or an empty directory; it may be gone already.
func (d disk) remove(name string) error {
	if err := d.before("remove", name); err != nil {
		return err
	}
	err := d.root.Remove(filepath.FromSlash(name))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// mkdir makes one directory; it may be there already.
func (d disk) mkdir(name string) error {
	if err := d.before("mkdir", name); err != nil {
		return err
	}
	err := d.root.Mkdir(filepath.FromSlash(name), 0o755)
	if errors.Is(err, fs.ErrExist) {
		return nil
	}
	return err
}

// syncDir makes the names in a directory last. Windows has no such call.
func (d disk) syncDir(name string) error {
	if runtime.GOOS == "windows" {
		return nil
	}
	if err := d.before("syncdir", name); err != nil {
		return err
	}
	f, err := d.root.Open(filepath.FromSlash(name))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer func() { _ = f.Close() }()
	return f.Sync()
}

// put writes a whole new file under a name that is free: content, mode and
// owner are on the disk when it returns. A part of a file is taken away again.
func (d disk) put(name string, data []byte, mode fs.FileMode, like fs.FileInfo) error {
	f, err := d.create(name)
	if err != nil {
		return err
	}
	err = d.write(f, name, data)
	if err == nil {
		err = d.own(f, name, mode, like)
	}
	if err == nil {
		err = d.sync(f, name)
	}
	if closing := f.Close(); err == nil {
		err = closing
	}
	if err != nil {
		_ = d.remove(name)
	}
	return err
}

// replace writes a file through a temporary one in the same directory.
func (d disk) replace(name, temp string, data []byte, mode fs.FileMode, like fs.FileInfo) error {
	if err := d.remove(temp); err != nil {
		return err
	}
	if err := d.put(temp, data, mode, like); err != nil {
		return err
	}
	if err := d.rename(temp, name); err != nil {
		_ = d.remove(temp)
		return err
	}
	return d.syncDir(path.Dir(name))
}

// read reads a regular file that is no symbolic link.
func (d disk) read(name string) ([]byte, fs.FileInfo, error) {
	info, err := d.root.Lstat(filepath.FromSlash(name))
	if err != nil {
		return nil, nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, nil, errNotRegular
	}
	data, opened, err := readRegular(d.root, name)
	if err != nil {
		return nil, nil, err
	}
	if !os.SameFile(info, opened) {
		return nil, nil, errChanged
	}
	return data, opened, nil
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
