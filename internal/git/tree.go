package git

import (
	"bytes"
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/project-codeflare/cfctl/internal/lists"
)

// A Tree is the files of one commit as an fs.FS: fs.ReadFile, fs.ReadDir,
// fs.Glob, fs.WalkDir and fs.Sub work on it, without a checkout. A symbolic
// link is a file whose content is the link's target, as git stores it, with
// fs.ModeSymlink; a submodule is an empty folder. Times are zero.
//
// It is safe for concurrent use as long as its Repo is open.
type Tree struct {
	Commit string // full hash

	ctx  context.Context // of the call that made it: fs.FS has no place for one
	repo *Repo
	root string // hash of the tree object

	mu   sync.Mutex
	dirs map[string][]entry // by hash of the tree object
}

var (
	_ fs.ReadFileFS = (*Tree)(nil)
	_ fs.ReadDirFS  = (*Tree)(nil)
)

// Tree returns the tree of a revision. A revision that is not there is an
// error that wraps ErrNotFound.
func (r *Repo) Tree(ctx context.Context, rev string) (*Tree, error) {
	commit, err := r.Resolve(ctx, rev)
	if err != nil {
		return nil, err
	}
	o, err := r.object(ctx, commit+"^{tree}")
	if err != nil {
		return nil, err
	}
	t := &Tree{Commit: commit, ctx: ctx, repo: r, root: o.hash, dirs: map[string][]entry{}}
	t.dirs[o.hash], err = parseTree(o)
	return t, err
}

// An entry is a line of a tree object.
type entry struct {
	name string
	mode string // "100644", "100755", "120000", "40000", "160000"
	hash string
}

// parseTree reads git's binary form: "MODE NAME\0" and the raw hash. Old programs wrote modes
// with a leading zero. A name that leads out of its folder is none, and would be walked for ever.
func parseTree(o object) ([]entry, error) {
	var entries []entry
	size := len(o.hash) / 2
	for data := o.data; len(data) > 0; {
		head, rest, ok := bytes.Cut(data, []byte{0})
		mode, name, ok2 := strings.Cut(string(head), " ")
		if !ok || !ok2 || len(rest) < size || name == "" || name == "." || name == ".." || strings.Contains(name, "/") {
			return nil, fmt.Errorf("git tree %s %w", o.hash, errNoTree)
		}
		entries = append(entries, entry{name, strings.TrimLeft(mode, "0"), hex.EncodeToString(rest[:size])})
		data = rest[size:]
	}
	return entries, nil
}

// dir returns the entries of the tree object.
func (t *Tree) dir(hash string) ([]entry, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if d, ok := t.dirs[hash]; ok {
		return d, nil
	}
	o, err := t.repo.object(t.ctx, hash)
	if err != nil {
		return nil, err
	}
	if o.kind != "tree" {
		return nil, fmt.Errorf("git %s %s as a tree %w", o.kind, hash, errNoTree)
	}
	d, err := parseTree(o)
	if err == nil {
		t.dirs[hash] = d
	}
	return d, err
}

// MostFiles is more than ten times what the largest repositories have.
const MostFiles = 5_000_000

// ErrMore is wrapped by the error of a commit with too many files.
var ErrMore = errors.New("has more")

var errNoTree, errFolder = errors.New("does not parse"), errors.New("is a directory")

// IsContent says whether an error is about what a repository holds, and not about reading it.
func IsContent(err error) bool {
	return slices.ContainsFunc([]error{ErrMore, ErrNotFound, errTooLarge, errNoTree, errFolder}, func(e error) bool { return errors.Is(err, e) })
}

// BoundedTree is Tree for a commit of people who are not trusted, all of which is read. A
// few objects make billions of files, trees that each hold the one before several times:
// a tree of more than most files is an error.
func (r *Repo) BoundedTree(ctx context.Context, rev string, most int) (*Tree, error) {
	t, err := r.Tree(ctx, rev)
	if err != nil {
		return nil, err
	}
	n, err := t.files(t.root, most, map[string]int{})
	if err == nil && n > most {
		err = fmt.Errorf("commit %s %w than %d files", t.Commit, ErrMore, most)
	}
	return t, err
}

// files is how many files a tree object holds, at most one above most.
func (t *Tree) files(hash string, most int, known map[string]int) (int, error) {
	if n, ok := known[hash]; ok {
		return n, nil
	}
	entries, err := t.dir(hash)
	if err != nil {
		return 0, err
	}
	sum := 0
	for _, e := range entries {
		n := 1
		if e.mode == "40000" {
			if n, err = t.files(e.hash, most, known); err != nil {
				return 0, err
			}
		}
		sum = min(sum+n, most+1)
	}
	known[hash] = sum
	return sum, nil
}

// lookup finds the entry of a path; the root's entry has mode "40000".
func (t *Tree) lookup(op, name string) (entry, error) {
	if !fs.ValidPath(strings.ToValidUTF8(name, "?")) { // git's names are bytes
		return entry{}, &fs.PathError{Op: op, Path: name, Err: fs.ErrInvalid}
	}
	at := entry{".", "40000", t.root}
	if name == "." {
		return at, nil
	}
	for part := range strings.SplitSeq(name, "/") {
		if at.mode != "40000" {
			return entry{}, &fs.PathError{Op: op, Path: name, Err: fs.ErrNotExist}
		}
		entries, err := t.dir(at.hash)
		if err != nil {
			return entry{}, &fs.PathError{Op: op, Path: name, Err: err}
		}
		i := slices.IndexFunc(entries, func(e entry) bool { return e.name == part })
		if i < 0 {
			return entry{}, &fs.PathError{Op: op, Path: name, Err: fs.ErrNotExist}
		}
		at = entries[i]
	}
	return at, nil
}

// Has says whether a file or folder is there.
func (t *Tree) Has(name string) bool {
	_, err := t.lookup("stat", name)
	return err == nil
}

// ReadFile returns the bytes of a file. A file that is not there is an
// fs.ErrNotExist.
func (t *Tree) ReadFile(name string) ([]byte, error) {
	e, err := t.lookup("read", name)
	if err != nil {
		return nil, err
	}
	if e.info().IsDir() {
		return nil, &fs.PathError{Op: "read", Path: name, Err: errFolder}
	}
	o, err := t.repo.object(t.ctx, e.hash)
	if err != nil {
		return nil, &fs.PathError{Op: "read", Path: name, Err: err}
	}
	return o.data, nil
}

// ReadDir lists a folder by name.
func (t *Tree) ReadDir(name string) ([]fs.DirEntry, error) {
	e, err := t.lookup("readdir", name)
	if err != nil {
		return nil, err
	}
	if e.mode == "160000" {
		return nil, nil
	}
	if e.mode != "40000" {
		return nil, &fs.PathError{Op: "readdir", Path: name, Err: errors.New("not a directory")}
	}
	entries, err := t.dir(e.hash)
	if err != nil {
		return nil, &fs.PathError{Op: "readdir", Path: name, Err: err}
	}
	list := lists.Of(entries, func(e entry) fs.DirEntry { return dirEntry{t, e} })
	slices.SortFunc(list, func(a, b fs.DirEntry) int { return strings.Compare(a.Name(), b.Name()) })
	return list, nil
}

// Open opens a file or folder for reading.
func (t *Tree) Open(name string) (fs.File, error) {
	e, err := t.lookup("open", name)
	if err != nil {
		return nil, err
	}
	info := e.info()
	info.name = path.Base(name)
	if info.IsDir() {
		list, err := t.ReadDir(name)
		if err != nil {
			return nil, err
		}
		return &openDir{info: info, list: list}, nil
	}
	data, err := t.ReadFile(name)
	if err != nil {
		return nil, err
	}
	info.size = int64(len(data))
	return &openFile{info: info, Reader: bytes.NewReader(data)}, nil
}

// A dirEntry is an entry of a folder; Info reads the file to know its size.
type dirEntry struct {
	tree  *Tree
	entry entry
}

func (d dirEntry) Name() string      { return d.entry.name }
func (d dirEntry) IsDir() bool       { return d.entry.info().IsDir() }
func (d dirEntry) Type() fs.FileMode { return d.entry.info().mode.Type() }
func (d dirEntry) String() string    { return fs.FormatDirEntry(d) }

func (d dirEntry) Info() (fs.FileInfo, error) {
	info := d.entry.info()
	if info.IsDir() {
		return info, nil
	}
	o, err := d.tree.repo.object(d.tree.ctx, d.entry.hash)
	info.size = int64(len(o.data))
	return info, err
}

// info describes an entry but for its size.
func (e entry) info() fileInfo {
	mode := fs.FileMode(0o444)
	switch e.mode {
	case "100755":
		mode = 0o555
	case "120000":
		mode = fs.ModeSymlink | 0o444
	case "40000", "160000":
		mode = fs.ModeDir | 0o555
	}
	return fileInfo{name: e.name, mode: mode}
}

type fileInfo struct {
	name string
	mode fs.FileMode
	size int64
}

func (i fileInfo) Name() string       { return i.name }
func (i fileInfo) Size() int64        { return i.size }
func (i fileInfo) Mode() fs.FileMode  { return i.mode }
func (i fileInfo) ModTime() time.Time { return time.Time{} }
func (i fileInfo) IsDir() bool        { return i.mode.IsDir() }
func (i fileInfo) Sys() any           { return nil }

type openFile struct {
	*bytes.Reader
	info fileInfo
}

func (f *openFile) Stat() (fs.FileInfo, error) { return f.info, nil }
func (f *openFile) Close() error               { return nil }

type openDir struct {
	info fileInfo
	list []fs.DirEntry
}

func (d *openDir) Stat() (fs.FileInfo, error) { return d.info, nil }
func (d *openDir) Close() error               { return nil }
func (d *openDir) Read([]byte) (int, error) {
	return 0, &fs.PathError{Op: "read", Path: d.info.name, Err: errFolder}
}

// ReadDir implements fs.ReadDirFile.
func (d *openDir) ReadDir(n int) ([]fs.DirEntry, error) {
	if n <= 0 {
		list := d.list
		d.list = nil
		return list, nil
	}
	if len(d.list) == 0 {
		return nil, io.EOF
	}
	n = min(n, len(d.list))
	list := d.list[:n]
	d.list = d.list[n:]
	return list, nil
}

// Changes are the paths of the files that differ between the commits of two trees of one repository, sorted: no
// content is read. A file that moved is two.
func (t *Tree) Changes(other *Tree) ([]string, error) {
	list, err := t.repo.Changed(t.ctx, t.Commit, other.Commit)
	slices.Sort(list)
	return list, err
}
