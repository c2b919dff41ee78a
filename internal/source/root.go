package source

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
)

// MaxFile is the size, in bytes, beyond which a file is refused where cfctl
// reads whole files of a user's tree, or a file that a user named: a
// manifest, a configuration or a ledger of this size is a mistake or an attack.
// (The walk of migrate has limits of its own.)
const MaxFile = 64 << 20

var (
	errTooLarge     = fmt.Errorf("larger than %d MiB", MaxFile>>20)
	errIsLink       = errors.New("a symbolic link")
	errOutside      = errors.New("not a path below the folder")
	errNotDirectory = errors.New("not a directory")
)

// A Root is a folder that cfctl reads a user's files from, or writes its own
// files into. Nothing that is read or written through it lies outside of the
// folder: no "..", no absolute name, no symbolic link that leads out, however
// the tree changes meanwhile. Nothing but regular files is opened, so that a
// device never ends, and a named pipe never waits. Git's own folder is not read: it holds
// credentials, and who writes the names that are read may not see them.
//
// Names are slash-separated and relative to the folder (io/fs's ValidPath).
// Every error that is about a file is an *Error with the name.
type Root struct {
	dir  string
	real string // the same without links
	root *os.Root
	disk disk
}

// OpenRoot opens a folder, which must exist. Close it when done.
func OpenRoot(dir string) (*Root, error) {
	info, err := os.Stat(dir)
	if err == nil && !info.IsDir() {
		err = errNotDirectory
	}
	if err != nil {
		return nil, errorAt(dir, err)
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, errorAt(dir, err)
	}
	at, err := filepath.EvalSymlinks(dir)
	if err != nil {
		_ = root.Close()
		return nil, errorAt(dir, err)
	}
	return &Root{dir: dir, real: at, root: root, disk: newDisk(root)}, nil
}

// MakeRoot opens a folder after making it, and the folders that it lies in,
// where they are not there. The name is a user's: its links are followed.
func MakeRoot(dir string) (*Root, error) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, errorAt(dir, err)
	}
	return OpenRoot(dir)
}

// Close releases the folder.
func (r *Root) Close() error { return r.root.Close() }

// Dir is the folder as it was given.
func (r *Root) Dir() string { return r.dir }

// ReadFile reads a regular file of at most MaxFile bytes. Links are followed
// while they stay in the folder.
func (r *Root) ReadFile(name string) ([]byte, error) {
	f, err := r.open(name)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	if f.info.IsDir() {
		return nil, &Error{Path: name, Err: errNotRegular}
	}
	return readBounded(name, f)
}

// readBounded reads all of r, and no more than MaxFile bytes.
func readBounded(name string, r io.Reader) ([]byte, error) {
	data, err := io.ReadAll(io.LimitReader(r, MaxFile+1))
	if err == nil && len(data) > MaxFile {
		err = errTooLarge
	}
	if err != nil {
		return nil, errorAt(name, err)
	}
	return data, nil
}

// FS is the folder for code that reads an fs.FS: regular files and folders,
// with the bounds of ReadFile. It is closed with the Root.
func (r *Root) FS() fs.FS { return rootFS{r} }

type rootFS struct{ r *Root }

func (f rootFS) Open(name string) (fs.File, error) {
	if !validPath(name) {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrInvalid}
	}
	file, err := f.r.open(name)
	if err != nil {
		return nil, asPathError(name, err)
	}
	return file, nil
}

func (f rootFS) ReadFile(name string) ([]byte, error) {
	if !validPath(name) {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrInvalid}
	}
	data, err := f.r.ReadFile(name)
	if err != nil {
		return nil, asPathError(name, err)
	}
	return data, nil
}

func (f rootFS) Stat(name string) (fs.FileInfo, error) {
	if !validPath(name) {
		return nil, &fs.PathError{Op: "stat", Path: name, Err: fs.ErrInvalid}
	}
	return f.r.root.Stat(filepath.FromSlash(name))
}

// Lstat and ReadLink make it an fs.ReadLinkFS.
func (f rootFS) Lstat(name string) (fs.FileInfo, error) {
	if !validPath(name) {
		return nil, &fs.PathError{Op: "lstat", Path: name, Err: fs.ErrInvalid}
	}
	return f.r.root.Lstat(filepath.FromSlash(name))
}

func (f rootFS) ReadLink(name string) (string, error) {
	if !validPath(name) {
		return "", &fs.PathError{Op: "readlink", Path: name, Err: fs.ErrInvalid}
	}
	target, err := f.r.root.Readlink(filepath.FromSlash(name))
	return filepath.ToSlash(target), err
}

func (f rootFS) ReadDir(name string) ([]fs.DirEntry, error) {
	if !validPath(name) {
		return nil, &fs.PathError{Op: "readdir", Path: name, Err: fs.ErrInvalid}
	}
	dir, err := f.r.root.Open(filepath.FromSlash(name))
	if err != nil {
		return nil, err
	}
	defer dir.Close() //nolint:errcheck // was only read
	list, err := dir.ReadDir(-1)
	slices.SortFunc(list, func(a, b fs.DirEntry) int { return strings.Compare(a.Name(), b.Name()) })
	return list, err
}

// validPath is fs.ValidPath, but for names that are not UTF-8: a tree has them.
func validPath(name string) bool { return fs.ValidPath(strings.ToValidUTF8(name, "?")) }

// asPathError gives an error the form that users of an fs.FS expect.
func asPathError(name string, err error) error {
	if e, ok := errors.AsType[*Error](err); ok {
		err = e.Err
	}
	return &fs.PathError{Op: "open", Path: name, Err: err}
}

// A boundedFile is an open regular file, or folder, of a Root.
type boundedFile struct {
	*os.File
	info fs.FileInfo
	read int64 // bytes read so far
}

// Read ends with an error beyond MaxFile bytes: a file may grow while it is read.
func (f *boundedFile) Read(p []byte) (int, error) {
	n, err := f.File.Read(p)
	if f.read += int64(n); f.read > MaxFile {
		return n, errTooLarge
	}
	return n, err
}

// errGitFolder is the error of a name that leads into git's own folder.
var errGitFolder = errors.New("git's own folder is not read")

// open opens a regular file or a folder.
func (r *Root) open(name string) (*boundedFile, error) {
	at, err := filepath.EvalSymlinks(filepath.Join(r.real, filepath.FromSlash(name)))
	if at, rerr := filepath.Rel(r.real, at); InGit(name) || err == nil && (rerr != nil || InGit(at)) {
		return nil, &Error{Path: name, Err: errGitFolder}
	}
	info, err := r.root.Stat(filepath.FromSlash(name)) // a device is not even opened
	if err != nil {
		return nil, errorAt(name, err)
	}
	if err := readable(info); err != nil {
		return nil, &Error{Path: name, Err: err}
	}
	f, err := r.root.OpenFile(filepath.FromSlash(name), os.O_RDONLY|openNonblock, 0)
	if err != nil {
		return nil, errorAt(name, err)
	}
	if info, err = f.Stat(); err == nil {
		err = readable(info) // of what is open, whatever the name means by now
	}
	if err != nil {
		_ = f.Close()
		return nil, errorAt(name, err)
	}
	return &boundedFile{File: f, info: info}, nil
}

// readable refuses what is neither a folder nor a regular file of a size that
// cfctl reads.
func readable(info fs.FileInfo) error {
	switch {
	case info.IsDir():
		return nil
	case !info.Mode().IsRegular():
		return errNotRegular
	case info.Size() > MaxFile:
		return errTooLarge
	}
	return nil
}

// Write gives a file its whole content: old or new is there at every moment,
// and new for good when Write returns. Folders that are not there are made. A
// name that is no local path, a link on the way, or something that is not a
// regular file in its place is an error.
func (r *Root) Write(name string, data []byte, perm fs.FileMode) error {
	if err := r.prepare(name); err != nil {
		return err
	}
	if at, err := r.root.Lstat(filepath.FromSlash(name)); err == nil && !at.Mode().IsRegular() {
		return &Error{Path: name, Err: errNotRegular}
	}
	return errorAt(name, r.disk.replace(name, tempName(name), data, perm, nil))
}

// Create is Write for a name that must be free: what is there stays, and
// the error is fs.ErrExist. A kill leaves the whole file or none.
func (r *Root) Create(name string, data []byte, perm fs.FileMode) error {
	return r.CreateBy(name, tempName(name), data, perm)
}

// CreateBy is Create with the name of the temporary file, for those who remove what
// a kill left of it. No other write may use that name.
func (r *Root) CreateBy(name, temp string, data []byte, perm fs.FileMode) error {
	if err := r.prepare(name); err != nil {
		return err
	}
	return errorAt(name, r.create(name, temp, data, perm))
}

func (r *Root) create(name, temp string, data []byte, perm fs.FileMode) error {
	if err := r.disk.put(temp, data, perm, nil); err != nil {
		return err
	}
	defer func() { _ = r.disk.remove(temp) }()
	err := r.root.Link(filepath.FromSlash(temp), filepath.FromSlash(name))
	if err != nil && !errors.Is(err, fs.ErrExist) { // a file system without hard links
		if _, there := r.root.Lstat(filepath.FromSlash(name)); there == nil {
			return fs.ErrExist
		}
		err = r.disk.rename(temp, name)
	}
	if err != nil {
		return err
	}
	return r.disk.syncDir(path.Dir(name))
}

// Remove deletes a file or an empty folder; it may be gone already.
func (r *Root) Remove(name string) error {
	if err := local(name); err != nil {
		return err
	}
	return errorAt(name, r.disk.remove(name))
}

// OpenFile opens a file that is kept open: a ledger, a journal, a lock. Flags
// and permissions are those of os.OpenFile. A link in its place is refused, and
// what is not a regular file. With O_CREATE its folders are made.
func (r *Root) OpenFile(name string, flag int, perm fs.FileMode) (*os.File, error) {
	if flag&os.O_CREATE != 0 {
		if err := r.prepare(name); err != nil {
			return nil, err
		}
	}
	native := filepath.FromSlash(name)
	before, err := r.root.Lstat(native)
	if err == nil {
		err = plain(before)
	}
	if err != nil && (flag&os.O_CREATE == 0 || !errors.Is(err, fs.ErrNotExist)) {
		return nil, errorAt(name, err)
	}
	// The file that is open must be the name's own: truncated only after that is known.
	f, err := r.root.OpenFile(native, flag&^os.O_TRUNC|openNonblock, perm)
	if err != nil {
		return nil, errorAt(name, err)
	}
	if err := r.proveOpen(f, native); err != nil {
		_ = f.Close()
		return nil, errorAt(name, err)
	}
	if flag&os.O_TRUNC != 0 {
		if err := f.Truncate(0); err != nil {
			_ = f.Close()
			return nil, errorAt(name, err)
		}
	}
	return f, nil
}

// proveOpen checks an open file against its name.
func (r *Root) proveOpen(f *os.File, native string) error {
	opened, err := f.Stat()
	if err != nil {
		return err
	}
	named, err := r.root.Lstat(native)
	if err != nil {
		return err
	}
	if err := plain(named); err != nil {
		return err
	}
	if !os.SameFile(opened, named) {
		return errChanged
	}
	return nil
}

// plain refuses what is not a regular file.
func plain(info fs.FileInfo) error {
	switch {
	case info.Mode()&fs.ModeSymlink != 0:
		return errIsLink
	case !info.Mode().IsRegular():
		return errNotRegular
	}
	return nil
}

// Append opens a file for writing at its end, and makes it where it is not there.
func (r *Root) Append(name string, perm fs.FileMode) (*os.File, error) {
	return r.OpenFile(name, os.O_APPEND|os.O_CREATE|os.O_WRONLY, perm)
}

// MakeDir makes a folder, and the folders that it lies in; they may be there.
func (r *Root) MakeDir(name string) error {
	if err := local(name); err != nil {
		return err
	}
	return r.mkdirs(name)
}

// prepare proves that a name is a local one, and makes the folders that it
// lies in.
func (r *Root) prepare(name string) error {
	if err := local(name); err != nil {
		return err
	}
	return r.mkdirs(path.Dir(name))
}

// mkdirs makes a folder and its parents, none of them through a link.
func (r *Root) mkdirs(dir string) error {
	if dir == "." {
		return nil
	}
	for i := range len(dir) + 1 {
		if i < len(dir) && dir[i] != '/' {
			continue
		}
		part := dir[:i]
		if err := r.disk.mkdir(part); err != nil {
			return errorAt(part, err)
		}
		if info, err := r.root.Lstat(filepath.FromSlash(part)); err == nil && !info.IsDir() {
			return &Error{Path: part, Err: errNotDirectory}
		}
	}
	return nil
}

// local refuses a name that is not one below a folder.
func local(name string) error {
	if !validPath(name) || !filepath.IsLocal(filepath.FromSlash(name)) {
		return &Error{Path: name, Err: errOutside}
	}
	return nil
}

// temps counts the temporary files of this process.
var temps atomic.Int64

// tempName is a file next to name that no other write of this or another
// process uses.
func tempName(name string) string {
	return path.Join(path.Dir(name), fmt.Sprintf(".cfctl-tmp-%d-%d", os.Getpid(), temps.Add(1)))
}

// ReadFile reads a file that a user named, on the command line or in their
// own configuration: links are followed, and a pipe is read to its end. More
// than MaxFile bytes are an error.
func ReadFile(name string) ([]byte, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, errorAt(name, err)
	}
	defer func() { _ = f.Close() }()
	return readBounded(name, f)
}

// AppendFile adds data at the end of a file that a user or the job's
// environment named ($GITHUB_STEP_SUMMARY); it is made where it is not there.
func AppendFile(name string, data []byte, perm fs.FileMode) error {
	return appendTo(name, data, os.O_APPEND|os.O_CREATE|os.O_WRONLY, perm)
}

func appendTo(name string, data []byte, flag int, perm fs.FileMode) error {
	f, err := os.OpenFile(name, flag, perm)
	if err != nil {
		return errorAt(name, err)
	}
	_, err = f.Write(data)
	return errorAt(name, cmp.Or(err, f.Close()))
}
