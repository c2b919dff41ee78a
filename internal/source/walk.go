package source

import (
	"cmp"
	"context"
	"io/fs"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/project-codeflare/cfctl/internal/source/find"
	"github.com/project-codeflare/cfctl/internal/source/ignore"
)

// A File is a file as Walk hands it out.
type File struct {
	Path string // slash-separated, relative to the tree's base
	Data []byte // its content, valid until visit returns; not to be changed
}

// WalkOptions say which files Walk visits. The zero value visits every text file.
type WalkOptions struct {
	// Jobs is the number of workers; 0 is the number of CPUs.
	Jobs int
	// Exclude are patterns as in a .gitignore at the base. Files and
	// directories that the user named are taken all the same.
	Exclude []string
	// Only, when set, chooses files by path; the others are counted as
	// Unselected. It is called from several workers; path is reused.
	Only func(path []byte) bool
	// Among, unless nil, are files that an earlier walk of the tree told of: only
	// these are read, and no folder is listed.
	Among []string
	// Below, with Among, are folders of which all files are read as well.
	Below []string
	// Seen, when set, hears of every file that is read as text and may be visited,
	// with its first bytes: all of it up to 256 KiB. It is called from several
	// workers; the part is reused.
	Seen func(path, head []byte)
	// Finder, when set, chooses files by content: a file is visited when its
	// content or its path holds a needle, and counted as Clean otherwise.
	Finder *find.Finder
	// Also, when set, chooses more files by a part of their content, of at most 256 KiB. It is
	// called from several workers; the part is reused.
	Also func(part []byte) bool
	// Always are names of files, without their directories, that are visited
	// whatever they hold.
	Always []string
	// Looked, when set, counts the files that were opened so far. It is for a
	// live line: the caller reads it from another goroutine.
	Looked *atomic.Int64
}

// Vendored says whether a directory of this name has copies of other modules: vendor of
// Go, cue.mod of CUE.
func Vendored(name string) bool { return name == "vendor" || name == "cue.mod" }

// A Reason says why a file or directory was not read.
type Reason string

// The reasons for a Skip.
const (
	SkipIgnored     Reason = "ignored by .gitignore"
	SkipExcluded    Reason = "excluded"
	SkipVCS         Reason = "version control"
	SkipVendored    Reason = "vendored"
	SkipNodeModules Reason = "installed packages"
	SkipRepository  Reason = "another repository"
	SkipBinary      Reason = "binary"
	SkipSymlink     Reason = "symbolic link"
	SkipIrregular   Reason = "not a regular file"
	SkipTooLarge    Reason = "too large"
	SkipTemporary   Reason = "temporary file of a write"
	SkipSparse      Reason = "tracked, not checked out"
	SkipUnreadable  Reason = "unreadable"
)

// A Skip is a file or directory that Walk saw and did not read. What is below
// a skipped directory was not seen.
type Skip struct {
	Path   string
	Dir    bool
	Reason Reason
	Err    error // for SkipUnreadable, without the path
}

// Text is the reason in words, with the cause when there is one.
func (s Skip) Text() string {
	if s.Err != nil {
		return string(s.Reason) + ": " + s.Err.Error()
	}
	return string(s.Reason)
}

// WalkStats counts what Walk saw. Each file is in exactly one of Visited,
// Clean, Unselected and the list of Skips.
type WalkStats struct {
	Dirs       int // directories read
	Visited    int // files given to visit
	Clean      int // files without a needle of the Finder
	Unselected int // files that Only turned down
	Bytes      int64
}

func (s *WalkStats) add(o WalkStats) {
	s.Dirs += o.Dirs
	s.Visited += o.Visited
	s.Clean += o.Clean
	s.Unselected += o.Unselected
	s.Bytes += o.Bytes
}

// Walk visits the tree's files from several workers at once, in no order. The
// files that the user named are always taken; those found in directories of a
// git work tree obey .gitignore at every level up to its top and
// .git/info/exclude (a user's global excludes file is not read, so that a
// result is the same on every machine); what git tracks is never ignored, as
// with git, and outside of a work tree nothing is. Version control's
// directories, vendor and node_modules, binary files (a NUL in the first 8000
// bytes), symbolic links and what cannot be read are skipped; a directory that
// the user named is walked whatever its name.
//
// A repository in a repository (a submodule, a clone, a linked work tree) is
// another one: it is skipped unless the user named it or a path in it. Below a
// directory that is in none, clones are walked, each with its own ignore rules.
//
// What git tracks and a sparse checkout leaves out is skipped, too, as the folder that is
// not there, or the file.
//
// An error of visit, or of ctx, ends the walk and is returned. Skips are
// sorted by path.
func (t *Tree) Walk(ctx context.Context, opts WalkOptions, visit func(*File) error) ([]Skip, WalkStats, error) {
	w := &walk{tree: t, opts: opts, visit: visit, ended: ctx.Err, named: map[string]bool{}}
	w.wake.L = &w.mu
	w.exclude = ignore.NewGlobs(opts.Exclude)
	if w.opts.Jobs <= 0 {
		w.opts.Jobs = runtime.GOMAXPROCS(0)
	}
	if w.opener = (commit{t}); t.sys == nil {
		var err error
		if w.opener, err = newOpener(t.root); err != nil {
			return nil, w.stats, err
		}
	}
	defer w.opener.close()
	w.start()
	w.work()
	if opts.Among == nil {
		w.skips = append(w.skips, w.notCheckedOut()...)
	}
	slices.SortFunc(w.skips, func(a, b Skip) int { return cmp.Compare(a.Path, b.Path) })
	return w.skips, w.stats, w.err
}

// A walk is one call of Walk: a stack of tasks that its workers share.
type walk struct {
	tree    *Tree
	opts    WalkOptions
	visit   func(*File) error
	ended   func() error // of its context
	opener  opener
	exclude *ignore.Globs
	named   map[string]bool // paths that the user named
	tracked tracked
	modules bool // the work tree has submodules: git's index tells where

	mu    sync.Mutex
	wake  sync.Cond // a task was pushed, or the walk is over
	tasks []task
	idle  int
	over  bool
	err   error
	skips []Skip
	stats WalkStats
}

// An opener opens the directories of a tree: of a folder, by the system's calls, or of a
// commit. It is all that a walk knows of where files are.
type opener interface {
	dir(path string) (directory, error)
	close()
}

// A directory is an open one. The names that it lists are on loan: the next list with
// the same lister overwrites them.
type directory interface {
	list(l *lister, entries []entry) ([]entry, error)
	open(e entry) (file, error)
	kindOf(e entry) kind // of an entry that was listed without one
	close()
}

// A file is an open one.
type file interface {
	read(buf []byte) (int, error)
	rewind() error
	size() (int64, error) // an error where it is not regular
	close()
}

// A lister is the memory of a worker for lists.
type lister struct{ buf []byte }

// A task is a directory to read or, when files is set, some of its files.
type task struct {
	dir    string
	ignore *ignore.List
	named  bool
	files  []entry
	root   *string // the root of dir (see Tree.Root), nil when that is not known
}

// start pushes what the user named, or what an earlier walk told of.
func (w *walk) start() {
	if w.opts.Among != nil {
		w.tasks = among(w.opts.Among)
		for _, dir := range w.opts.Below {
			if !w.named[dir] {
				w.named[dir] = true
				w.tasks = append(w.tasks, task{dir: dir, named: true})
			}
		}
		return
	}
	if w.tree.sys != nil {
		w.tasks = []task{{dir: "."}}
		return
	}
	for _, a := range w.tree.args {
		w.named[a.path] = true
	}
	w.modules = w.tree.topLevel != "" && isThere(filepath.Join(w.tree.topLevel, ".gitmodules"))
	for _, a := range w.tree.args {
		if a.dir {
			root := w.tree.rootOf(a.path)
			w.tasks = append(w.tasks, task{dir: a.path, ignore: w.tree.ignoreAbove(a.path), named: true, root: &root})
			continue
		}
		dir, name := ".", a.path
		if i := strings.LastIndexByte(a.path, '/'); i >= 0 {
			dir, name = a.path[:i], a.path[i+1:]
		}
		w.tasks = append(w.tasks, task{dir: dir, named: true, files: []entry{newEntry(name)}})
	}
}

// among are the tasks that read files of a tree, those of one folder together.
func among(names []string) []task {
	var tasks []task
	for _, name := range slices.Sorted(slices.Values(names)) {
		dir, base := path.Split(name)
		dir = path.Clean(dir)
		if last := len(tasks) - 1; last < 0 || tasks[last].dir != dir || len(tasks[last].files) == batchSize {
			tasks = append(tasks, task{dir: dir})
		}
		of := &tasks[len(tasks)-1]
		of.files = append(of.files, newEntry(base))
	}
	return tasks
}

// work runs the workers until no task is left.
func (w *walk) work() {
	var workers sync.WaitGroup
	for range w.opts.Jobs {
		workers.Go(func() {
			r := &worker{walk: w}
			for {
				next, ok := w.next()
				if !ok {
					break
				}
				if err := r.run(next); err != nil {
					w.stop(err)
				}
			}
			w.mu.Lock()
			defer w.mu.Unlock()
			w.skips = append(w.skips, r.skips...)
			w.stats.add(r.stats)
		})
	}
	workers.Wait()
}

// next hands out a task. It waits while others may still push some.
func (w *walk) next() (task, bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.idle++
	for len(w.tasks) == 0 && !w.over {
		if w.idle == w.opts.Jobs {
			w.over = true
			w.wake.Broadcast()
			break
		}
		w.wake.Wait()
	}
	if w.over {
		return task{}, false
	}
	w.idle--
	last := len(w.tasks) - 1
	next := w.tasks[last]
	w.tasks[last] = task{}
	w.tasks = w.tasks[:last]
	return next, true
}

func (w *walk) push(tasks []task) {
	if len(tasks) == 0 {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.tasks = append(w.tasks, tasks...)
	if w.idle > 0 {
		w.wake.Broadcast()
	}
}

// stop ends the walk; the first error wins.
func (w *walk) stop(err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.err == nil {
		w.err = err
	}
	w.over = true
	w.wake.Broadcast()
}

// kind is what an entry of a directory is.
type kind byte

const (
	kindUnknown kind = iota // the file system does not say
	kindFile
	kindDir
	kindLink
	kindOther
)

func kindOfMode(m fs.FileMode) kind {
	switch {
	case m.IsRegular():
		return kindFile
	case m.IsDir():
		return kindDir
	case m&fs.ModeSymlink != 0:
		return kindLink
	}
	return kindOther
}

// appendListed appends what a directory listed.
func appendListed(entries []entry, list []fs.DirEntry) []entry {
	for _, e := range list {
		at := newEntry(e.Name())
		at.kind = kindOfMode(e.Type())
		entries = append(entries, at)
	}
	return entries
}

// cloneEntries copies entries whose names are on loan from a lister.
func cloneEntries(entries []entry) []entry {
	out := make([]entry, len(entries))
	for i, e := range entries {
		out[i] = newEntry(e.name)
		out[i].kind = e.kind
	}
	return out
}

// tempPrefix starts the names of the files that a commit writes next to its
// targets.
const tempPrefix = ".cfctl-tmp-"
