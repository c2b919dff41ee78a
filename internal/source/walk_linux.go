//go:build linux && !portable

package source

import (
	"encoding/binary"
	"errors"
	"os"
	"strings"
	"unsafe"

	"golang.org/x/sys/unix"
)

// This is the fast way to the files on Linux: directories are read with
// getdents64 and files with openat and read, relative to an open directory and
// into buffers that are used again. A file that is clean costs four system
// calls and no allocation.

// An entry is a name in a directory. A NUL follows the name in memory, as the
// system calls want it.
type entry struct {
	name string
	kind kind
}

func newEntry(name string) entry {
	return entry{name: (name + "\x00")[:len(name)], kind: kindFile}
}

// A base opens directories of a tree by path.
type base struct {
	*os.File
	fd int
}

func newOpener(root *os.Root) (opener, error) {
	f, err := root.Open(".")
	if err != nil {
		return nil, err
	}
	return base{f, int(f.Fd())}, nil
}

func (o base) close() { _ = o.Close() }

const openDir = unix.O_RDONLY | unix.O_DIRECTORY | unix.O_CLOEXEC | unix.O_NOFOLLOW

// dir opens a directory below the base. No part of the path may be a symbolic
// link: what the user named was resolved before.
func (o base) dir(path string) (directory, error) {
	var name [1024]byte
	if len(path) >= len(name) {
		return o.dirByParts(path)
	}
	copy(name[:], path)
	how := unix.OpenHow{Flags: openDir, Resolve: unix.RESOLVE_BENEATH | unix.RESOLVE_NO_SYMLINKS}
	for {
		fd, _, e := unix.RawSyscall6(unix.SYS_OPENAT2, uintptr(o.fd), uintptr(unsafe.Pointer(&name[0])),
			uintptr(unsafe.Pointer(&how)), unix.SizeofOpenHow, 0, 0)
		switch e {
		case 0:
			return dirFD{int(fd)}, nil
		case unix.EINTR, unix.EAGAIN: // EAGAIN: something was renamed meanwhile
		case unix.ENOSYS, unix.EPERM: // an old kernel, or a sandbox that does not know the call
			return o.dirByParts(path)
		default:
			return nil, e
		}
	}
}

// dirByParts opens a path one part at a time.
func (o base) dirByParts(path string) (directory, error) {
	fd, err := openat(o.fd, newEntry("."), openDir)
	for part := range strings.SplitSeq(path, "/") {
		if err != nil {
			return nil, err
		}
		var next int
		next, err = openat(fd, newEntry(part), openDir)
		rawClose(fd)
		fd = next
	}
	return dirFD{fd}, err
}

// openat opens without a copy of the name.
func openat(dir int, e entry, flags int) (int, error) {
	for {
		fd, _, errno := unix.RawSyscall6(unix.SYS_OPENAT, uintptr(dir), uintptr(unsafe.Pointer(unsafe.StringData(e.name))), uintptr(flags), 0, 0, 0)
		switch errno {
		case 0:
			return int(fd), nil
		case unix.EINTR:
		default:
			return -1, errno
		}
	}
}

// A dirFD is an open directory.
type dirFD struct{ fd int }

func (d dirFD) close() { rawClose(d.fd) }

func (d dirFD) open(e entry) (file, error) {
	fd, err := openat(d.fd, e, unix.O_RDONLY|unix.O_CLOEXEC|unix.O_NOFOLLOW|unix.O_NONBLOCK|unix.O_NOCTTY)
	return fileFD{fd}, err
}

// kindOf asks for the kind of an entry that was listed without one.
func (d dirFD) kindOf(e entry) kind {
	var st unix.Stat_t
	if err := unix.Fstatat(d.fd, e.name, &st, unix.AT_SYMLINK_NOFOLLOW); err != nil {
		return kindFile // reading it gives the reason
	}
	switch st.Mode & unix.S_IFMT {
	case unix.S_IFREG:
		return kindFile
	case unix.S_IFDIR:
		return kindDir
	case unix.S_IFLNK:
		return kindLink
	}
	return kindOther
}

// The fields of a directory entry of the kernel (linux_dirent64).
const (
	direntLen  = 16
	direntKind = 18
	direntName = 19
)

func (d dirFD) list(l *lister, entries []entry) ([]entry, error) {
	if l.buf == nil {
		l.buf = make([]byte, 32<<10)
	}
	used := 0
	for {
		if len(l.buf)-used < 4096 {
			l.buf = append(l.buf, make([]byte, len(l.buf))...)
		}
		n, err := rawFill(unix.SYS_GETDENTS64, d.fd, l.buf[used:])
		if errors.Is(err, unix.EINTR) {
			continue
		}
		if err != nil {
			return entries, err
		}
		if n == 0 {
			return appendEntries(entries, l.buf[:used]), nil
		}
		used += n
	}
}

// appendEntries reads the kernel's list; the names stay where they are.
func appendEntries(entries []entry, list []byte) []entry {
	for len(list) >= direntName {
		size := int(binary.NativeEndian.Uint16(list[direntLen:]))
		name := list[direntName:size]
		end := 0
		for name[end] != 0 {
			end++
		}
		if s := unsafe.String(unsafe.SliceData(name), end); s != "." && s != ".." {
			entries = append(entries, entry{s, kindOfDirent(list[direntKind])})
		}
		list = list[size:]
	}
	return entries
}

func kindOfDirent(t byte) kind {
	switch t {
	case unix.DT_UNKNOWN:
		return kindUnknown
	case unix.DT_REG:
		return kindFile
	case unix.DT_DIR:
		return kindDir
	case unix.DT_LNK:
		return kindLink
	}
	return kindOther
}

// A fileFD is an open file.
type fileFD struct{ fd int }

func (f fileFD) close() { rawClose(f.fd) }

func (f fileFD) read(buf []byte) (int, error) {
	for {
		n, err := rawFill(unix.SYS_READ, f.fd, buf)
		if !errors.Is(err, unix.EINTR) {
			return max(n, 0), err
		}
	}
}

func (f fileFD) rewind() error {
	_, err := unix.Seek(f.fd, 0, unix.SEEK_SET)
	return err
}

func (f fileFD) size() (int64, error) {
	var st unix.Stat_t
	err := unix.Fstat(f.fd, &st)
	if err == nil && st.Mode&unix.S_IFMT != unix.S_IFREG {
		err = errNotRegular
	}
	return st.Size, err
}

func isLinkError(err error) bool { return errors.Is(err, unix.ELOOP) }

// rawFill is read or getdents64 without telling Go's scheduler. A walk makes
// tens of thousands of calls of a few microseconds each; giving the processor
// up and asking for it back around each one costs as much as the call. A call
// that hangs (a dead network file system) holds up its processor.
func rawFill(call uintptr, fd int, buf []byte) (int, error) {
	if len(buf) == 0 {
		return 0, nil
	}
	n, _, errno := unix.RawSyscall(call, uintptr(fd), uintptr(unsafe.Pointer(&buf[0])), uintptr(len(buf)))
	if errno != 0 {
		return -1, errno
	}
	return int(n), nil
}

func rawClose(fd int) { _, _, _ = unix.RawSyscall(unix.SYS_CLOSE, uintptr(fd), 0, 0) }

// startFlush starts the way of a file's content to the disk, without waiting. When many
// files are written, the file system then commits many with the first sync instead of
// one with each. It only saves time, and may not be there.
func startFlush(f *os.File) {
	_ = unix.SyncFileRange(int(f.Fd()), 0, 0, unix.SYNC_FILE_RANGE_WRITE)
}
