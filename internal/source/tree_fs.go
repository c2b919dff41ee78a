package source

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"io/fs"
	"path"
	"runtime"
	"slices"
	"strings"
	"sync"
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
		return nil, &Error{Path: name, Err: cause(err)}
	}
	data, err := fs.ReadFile(t.sys, name)
	if err != nil {
		return nil, &Error{Path: name, Err: cause(err)}
	}
	return data, nil
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
		return "", &Error{Path: name, Err: cause(err)}
	}
	target, err := fs.ReadFile(t.sys, name)
	return string(target), err
}

// A walkFS is one walk of a tree without a folder: the folders are listed by
// one worker, the files read by several.
type walkFS struct {
	tree    *Tree
	opts    WalkOptions
	exclude []ignoreRule
	files   []string
	skips   []Skip
	stats   WalkStats
}

// walkFS is Walk for a tree without a folder.
func (t *Tree) walkFS(ctx context.Context, opts WalkOptions, visit func(*File) error) ([]Skip, WalkStats, error) {
	w := &walkFS{tree: t, opts: opts, exclude: NewGlobs(opts.Exclude).rules, files: opts.Among}
	if opts.Among == nil {
		if err := w.list(ctx, "."); err != nil {
			return nil, w.stats, err
		}
	}
	var mu sync.Mutex
	jobs := cmp.Or(max(opts.Jobs, 0), runtime.GOMAXPROCS(0))
	err := Each(ctx, len(w.files), jobs, func(i int) error {
		skip, stats, err := w.file(w.files[i], visit)
		mu.Lock()
		defer mu.Unlock()
		w.stats.add(stats)
		if skip != nil {
			w.skips = append(w.skips, *skip)
		}
		return err
	})
	slices.SortFunc(w.skips, func(a, b Skip) int { return cmp.Compare(a.Path, b.Path) })
	return w.skips, w.stats, err
}

// list collects the files of a folder and of those below it.
func (w *walkFS) list(ctx context.Context, dir string) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	entries, err := fs.ReadDir(w.tree.sys, dir)
	if err != nil {
		return err
	}
	w.stats.Dirs++
	for _, e := range entries {
		name := path.Join(dir, e.Name())
		if reason := w.ruledOut(name, e); reason != "" {
			w.skips = append(w.skips, Skip{Path: name, Dir: e.IsDir(), Reason: reason})
			continue
		}
		if e.IsDir() {
			if err := w.list(ctx, name); err != nil {
				return err
			}
			continue
		}
		if w.opts.Only != nil && !w.opts.Only([]byte(name)) {
			w.stats.Unselected++
			continue
		}
		w.files = append(w.files, name)
	}
	return nil
}

// ruledOut is the worker's rule of the same name, for a tree in which nothing is
// ignored.
func (w *walkFS) ruledOut(name string, e fs.DirEntry) Reason {
	dir := e.IsDir()
	switch {
	case e.Name() == ".git" || dir && (e.Name() == ".hg" || e.Name() == ".svn" || e.Name() == ".jj"):
		return SkipVCS
	case dir && Vendored(e.Name()):
		return SkipVendored
	case dir && e.Name() == "node_modules":
		return SkipNodeModules
	case len(w.exclude) > 0 && decide(w.exclude, []byte(name), dir) == ruledOut:
		return SkipExcluded
	case e.Type()&fs.ModeSymlink != 0:
		return SkipSymlink
	case !dir && !e.Type().IsRegular():
		return SkipIrregular
	case strings.HasPrefix(e.Name(), tempPrefix):
		return SkipTemporary
	case w.tree.binary[name]:
		return SkipBinary
	}
	return ""
}

// file reads one file, and visits it when it is searched for.
func (w *walkFS) file(name string, visit func(*File) error) (*Skip, WalkStats, error) {
	if w.opts.Looked != nil {
		w.opts.Looked.Add(1)
	}
	data, err := fs.ReadFile(w.tree.sys, name)
	switch {
	case err != nil:
		return &Skip{Path: name, Reason: SkipUnreadable, Err: cause(err)}, WalkStats{}, nil
	case bytes.IndexByte(data[:min(len(data), binaryProbe)], 0) >= 0:
		return &Skip{Path: name, Reason: SkipBinary}, WalkStats{}, nil
	}
	if w.opts.Seen != nil {
		w.opts.Seen([]byte(name), data[:min(len(data), chunkSize)])
	}
	stats := WalkStats{Bytes: int64(len(data))}
	if f := w.opts.Finder; f != nil && !f.Match([]byte(name)) && !slices.Contains(w.opts.Always, path.Base(name)) && !f.Match(data) {
		stats.Clean++
		return nil, stats, nil
	}
	if Binary(data) {
		return &Skip{Path: name, Reason: SkipBinary}, stats, nil
	}
	stats.Visited++
	return nil, stats, visit(&File{Path: name, Data: data, Mode: 0o644})
}
