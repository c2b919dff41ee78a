//go:build linux && !portable

package source

import (
	"errors"
	"io/fs"
	"os"
	"slices"
	"time"

	"golang.org/x/sys/unix"
)

// This is what a disk does on Linux: every file is reached from its directory,
// which openat2 opens in one call without following a link, and nothing asks
// the poller. It has the same face as disk_portable.go.

// A stamp tells a file, and a state of it, from others. Nobody can set the
// change time, so that equal stamps are of one content (see untouched).
type stamp struct {
	dev, ino         uint64
	size             int64
	mode, uid, gid   uint32
	modified, status unix.Timespec
}

func newStamp(st *unix.Stat_t) stamp {
	//nolint:unconvert // the types differ between architectures
	return stamp{uint64(st.Dev), st.Ino, st.Size, st.Mode, st.Uid, st.Gid, st.Mtim, st.Ctim}
}

func (s *stamp) perm() fs.FileMode { return fs.FileMode(s.mode & 0o777) }

// same says whether two stamps are of one file in one state, and since when it
// has been in it.
func (s *stamp) same(other *stamp) (since time.Time, ok bool) {
	return time.Unix(s.status.Unix()), *s == *other
}

// again is a system call that a signal may interrupt.
func again(call func() error) error {
	for {
		if err := call(); !errors.Is(err, unix.EINTR) {
			return err
		}
	}
}

func (d directory) lookUp(name string) (stamp, error) {
	var st unix.Stat_t
	err := again(func() error { return unix.Fstatat(d.fd, name, &st, unix.AT_SYMLINK_NOFOLLOW) })
	return newStamp(&st), err
}

// read reads a regular file that is no symbolic link, into room where that is
// enough.
func (d directory) read(name string, room []byte) ([]byte, stamp, error) {
	f, err := d.open(newEntry(name))
	if isLinkError(err) {
		err = errNotRegular
	}
	if err != nil {
		return nil, stamp{}, err
	}
	defer f.close()
	var st unix.Stat_t
	if err := unix.Fstat(f.fd, &st); err != nil {
		return nil, stamp{}, err
	}
	if st.Mode&unix.S_IFMT != unix.S_IFREG {
		return nil, stamp{}, errNotRegular
	}
	size := int(st.Size) + 1 // one more shows the end
	data := slices.Grow(room[:0], size)[:size]
	n, err := readFull(f, data)
	for err == nil && n == len(data) { // it grew since
		data = append(data, make([]byte, n)...)
		var m int
		m, err = readFull(f, data[n:])
		n += m
	}
	return data[:n], newStamp(&st), err
}

// create makes a new file; the name must be free.
func (d directory) create(name string) (output, error) {
	fd := -1
	err := again(func() (err error) {
		fd, err = unix.Openat(d.fd, name, unix.O_WRONLY|unix.O_CREAT|unix.O_EXCL|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0o600)
		return err
	})
	return output{fd}, err
}

func (d directory) rename(from, to string) error {
	return again(func() error { return unix.Renameat(d.fd, from, d.fd, to) })
}

// remove deletes a file or an empty directory.
func (d directory) remove(name string) error {
	err := again(func() error { return unix.Unlinkat(d.fd, name, 0) })
	if errors.Is(err, unix.EISDIR) {
		err = again(func() error { return unix.Unlinkat(d.fd, name, unix.AT_REMOVEDIR) })
	}
	return err
}

func (d directory) mkdir(name string) error {
	return again(func() error { return unix.Mkdirat(d.fd, name, 0o755) })
}

func (d directory) sync() error { return again(func() error { return unix.Fsync(d.fd) }) }

// An output is a new file that is being written.
type output struct{ fd int }

func (o output) close() error { return unix.Close(o.fd) }

func (o output) write(data []byte) error {
	for len(data) > 0 {
		n, err := unix.Write(o.fd, data)
		if err != nil && !errors.Is(err, unix.EINTR) {
			return err
		}
		data = data[max(n, 0):]
	}
	return nil
}

// own gives the file the permission bits and, where the user may, the owner of
// like.
func (o output) own(mode fs.FileMode, like *stamp) error {
	if like != nil && (like.uid != user || like.gid != group) {
		_ = unix.Fchown(o.fd, int(like.uid), int(like.gid))
	}
	return again(func() error { return unix.Fchmod(o.fd, uint32(mode.Perm())) })
}

//nolint:gosec // the kernel's ids are 32 bits wide
var user, group = uint32(os.Geteuid()), uint32(os.Getegid())

// flush starts the way of the content to the disk, without waiting. When many
// files are written, the file system then commits many with the first sync
// instead of one with each. It only saves time, and may not be there.
func (o output) flush() { _ = unix.SyncFileRange(o.fd, 0, 0, unix.SYNC_FILE_RANGE_WRITE) }

func (o output) sync() error { return again(func() error { return unix.Fsync(o.fd) }) }
