package source

import (
	"errors"
	"io/fs"
	"os"
	"path"
)

// A disk makes changes below a root. Every system call by which a commit, a
// recovery or an undo changes a file or a directory is one call of a method
// here and reports itself to step before: tests count the steps, fail one of
// them, or kill the process at each.
//
// Each method opens the directory of the name anew, from the root and through
// no symbolic link, and works on an entry of it: whatever happens to the path
// meanwhile, nothing is changed outside of the root.
type disk struct {
	root *os.Root
	open opener
	step func(op, path string) error // nil outside of tests
}

// newDisk opens the disk of a directory. Close it when done.
func newDisk(dir string) (disk, error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return disk{}, err
	}
	return disk{root: root, open: newOpener(root)}, nil
}

func (d disk) close() {
	if d.root != nil {
		d.open.close()
		_ = d.root.Close()
	}
}

func (d disk) before(op, name string) error {
	if d.step == nil {
		return nil
	}
	return d.step(op, name)
}

// in calls do with the directory of a name and the name's last part.
func (d disk) in(name string, do func(dir directory, base string) error) error {
	dir, err := d.open.dir(path.Dir(name))
	if err != nil {
		return err
	}
	defer dir.close()
	return do(dir, path.Base(name))
}

// create makes a new file for writing; it must not exist.
func (d disk) create(name string) (f output, err error) {
	if err := d.before("create", name); err != nil {
		return f, err
	}
	err = d.in(name, func(dir directory, base string) (err error) {
		f, err = dir.create(base)
		return err
	})
	return f, err
}

func (d disk) write(f output, name string, data []byte) error {
	if err := d.before("write", name); err != nil {
		return err
	}
	return f.write(data)
}

func (d disk) sync(f output, name string) error {
	if err := d.before("sync", name); err != nil {
		return err
	}
	return f.sync()
}

func (d disk) own(f output, name string, mode fs.FileMode, like *stamp) error {
	if err := d.before("own", name); err != nil {
		return err
	}
	return f.own(mode, like)
}

// rename gives a file another name in its directory.
func (d disk) rename(from, to string) error {
	if err := d.before("rename", to); err != nil {
		return err
	}
	return d.in(to, func(dir directory, base string) error { return dir.rename(path.Base(from), base) })
}

// remove deletes a file or an empty directory; it may be gone already.
func (d disk) remove(name string) error {
	if err := d.before("remove", name); err != nil {
		return err
	}
	err := d.in(name, func(dir directory, base string) error { return dir.remove(base) })
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
	err := d.in(name, func(dir directory, base string) error { return dir.mkdir(base) })
	if errors.Is(err, fs.ErrExist) {
		return nil
	}
	return err
}

// syncDir makes the names in a directory last; it may be gone.
func (d disk) syncDir(name string) error {
	if err := d.before("syncdir", name); err != nil {
		return err
	}
	dir, err := d.open.dir(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer dir.close()
	return dir.sync()
}

// begin writes a whole new file under a name that is free: content, mode and
// owner, which are on their way to the disk when it returns, and there after
// end. A part of a file is taken away again.
func (d disk) begin(name string, data []byte, mode fs.FileMode, like *stamp) (output, error) {
	f, err := d.create(name)
	if err != nil {
		return f, err
	}
	err = d.write(f, name, data)
	if err == nil {
		err = d.own(f, name, mode, like)
	}
	if err != nil {
		_ = f.close()
		_ = d.remove(name)
		return f, err
	}
	f.flush()
	return f, nil
}

// end waits until a file that was begun is on the disk, and closes it.
func (d disk) end(f output, name string) error {
	err := d.sync(f, name)
	if closing := f.close(); err == nil {
		err = closing
	}
	if err != nil {
		_ = d.remove(name)
	}
	return err
}

// replace writes a file through a temporary one in the same directory.
func (d disk) replace(name, temp string, data []byte, mode fs.FileMode, like *stamp) error {
	if err := d.remove(temp); err != nil {
		return err
	}
	f, err := d.begin(temp, data, mode, like)
	if err == nil {
		err = d.end(f, temp)
	}
	if err != nil {
		return err
	}
	if err := d.rename(temp, name); err != nil {
		_ = d.remove(temp)
		return err
	}
	return d.syncDir(path.Dir(name))
}

// lookUp tells what is under a name.
func (d disk) lookUp(name string) (s stamp, err error) {
	err = d.in(name, func(dir directory, base string) (err error) {
		s, err = dir.lookUp(base)
		return err
	})
	return s, err
}

// read reads a regular file that is no symbolic link, into room, which may be
// nil, where that is enough.
func (d disk) read(name string, room []byte) (data []byte, s stamp, err error) {
	err = d.in(name, func(dir directory, base string) (err error) {
		data, s, err = dir.read(base, room)
		return err
	})
	return data, s, err
}

// sum is the hash of a file that is there; there is false for one that is not.
func (d disk) sum(name string) (s Sum, there bool, err error) {
	data, _, err := d.read(name, nil)
	if errors.Is(err, fs.ErrNotExist) {
		return Sum{}, false, nil
	}
	if err != nil {
		return Sum{}, true, err
	}
	return SumOf(data), true, nil
}
