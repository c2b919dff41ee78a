package source

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"io"
	"io/fs"
	"runtime"
	"slices"
	"strings"
	"sync"
)

// A File is a file as Walk hands it out.
type File struct {
	Path string      // slash-separated, relative to the tree's base
	Data []byte      // its content, valid until visit returns; not to be changed
	Mode fs.FileMode // permission bits
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
	// Finder, when set, chooses files by content: a file is visited when its
	// content or its path holds a needle, and counted as Clean otherwise.
	Finder *Finder
	// MaxSize, when positive, skips larger files (in bytes).
	MaxSize int64
}

// A Reason says why a file or directory was not read.
type Reason string

// The reasons for a Skip.
const (
	SkipIgnored     Reason = "ignored by .gitignore"
	SkipExcluded    Reason = "excluded"
	SkipVCS         Reason = "version control"
	SkipVendored    Reason = "vendored"
	SkipNodeModules Reason = "installed packages"
	SkipBinary      Reason = "binary"
	SkipSymlink     Reason = "symbolic link"
	SkipIrregular   Reason = "not a regular file"
	SkipTooLarge    Reason = "too large"
	SkipTemporary   Reason = "temporary file of a write"
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
// files that the user named are always taken; those found in directories obey
// .gitignore at every level up to the top of the work tree and
// .git/info/exclude (a user's global excludes file is not read, so that a
// result is the same on every machine); what git tracks is never ignored, as
// with git. Version control's directories, vendor
// and node_modules, binary files (a NUL in the first 8000 bytes), symbolic
// links and what cannot be read are skipped; a directory that the user named
// is walked whatever its name. A nested repository has its own ignore rules.
//
// An error of visit, or of ctx, ends the walk and is returned. Skips are
// sorted by path.
func (t *Tree) Walk(ctx context.Context, opts WalkOptions, visit func(*File) error) ([]Skip, WalkStats, error) {
	w := &walk{tree: t, opts: opts, visit: visit, ctx: ctx, named: map[string]bool{}}
	w.wake.L = &w.mu
	w.exclude = NewGlobs(opts.Exclude).rules
	if w.opts.Jobs <= 0 {
		w.opts.Jobs = runtime.GOMAXPROCS(0)
	}
	w.opener = newOpener(t.root)
	defer w.opener.close()
	w.start()
	w.work()
	slices.SortFunc(w.skips, func(a, b Skip) int { return cmp.Compare(a.Path, b.Path) })
	return w.skips, w.stats, w.err
}

// A walk is one call of Walk: a stack of tasks that its workers share.
type walk struct {
	tree    *Tree
	opts    WalkOptions
	visit   func(*File) error
	ctx     context.Context
	opener  opener
	exclude []ignoreRule
	named   map[string]bool // paths that the user named
	tracked tracked

	mu    sync.Mutex
	wake  sync.Cond // a task was pushed, or the walk is over
	tasks []task
	idle  int
	over  bool
	err   error
	skips []Skip
	stats WalkStats
}

// A task is a directory to read or, when files is set, some of its files.
type task struct {
	dir    string
	ignore *ignoreList
	named  bool
	files  []entry
}

// start pushes what the user named.
func (w *walk) start() {
	for _, a := range w.tree.args {
		w.named[a.path] = true
	}
	for _, a := range w.tree.args {
		if a.dir {
			w.tasks = append(w.tasks, task{dir: a.path, ignore: w.tree.ignoreAbove(a.path), named: true})
			continue
		}
		dir, name := ".", a.path
		if i := strings.LastIndexByte(a.path, '/'); i >= 0 {
			dir, name = a.path[:i], a.path[i+1:]
		}
		w.tasks = append(w.tasks, task{dir: dir, named: true, files: []entry{newEntry(name)}})
	}
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

// batchSize is how many files of a directory one worker takes at a time.
const batchSize = 128

// chunkSize is how much of a file is read at once: a file without a needle
// costs no more memory than this.
const chunkSize = 256 << 10

// keptBuffer is how large a worker's buffer may stay after a large file.
const keptBuffer = 4 << 20

// A worker owns buffers and counts; nothing in it is shared.
type worker struct {
	*walk
	lister  lister
	entries []entry
	subdirs []task
	path    []byte
	scratch []byte
	buf     []byte
	skips   []Skip
	stats   WalkStats
}

func (r *worker) run(t task) error {
	if err := r.ctx.Err(); err != nil {
		return err
	}
	d, err := r.opener.dir(t.dir)
	if err != nil {
		r.skipped(t.dir, true, err)
		return nil
	}
	defer d.close()
	if t.files != nil {
		return r.files(d, t)
	}
	r.stats.Dirs++
	r.entries, err = r.lister.list(d, r.entries[:0])
	if err != nil {
		r.skipped(t.dir, true, err)
		return nil
	}
	return r.directory(d, t)
}

// directory sorts a directory's entries out and scans its files.
func (r *worker) directory(d directory, t task) error {
	t.ignore = r.ignoreOf(d, t)
	r.subdirs = r.subdirs[:0]
	files := r.entries[:0] // in place: what stays is a prefix of what was seen
	for _, e := range r.entries {
		if e.kind == kindUnknown {
			e.kind = d.kindOf(e)
		}
		r.setPath(t.dir, e.name)
		if r.named[string(r.path)] {
			continue // a task of its own
		}
		if reason := r.ruledOut(e, t.ignore); reason != "" {
			r.skips = append(r.skips, Skip{Path: string(r.path), Dir: e.kind == kindDir, Reason: reason})
			continue
		}
		if e.kind == kindDir {
			r.subdirs = append(r.subdirs, task{dir: string(r.path), ignore: r.below(t.ignore)})
			continue
		}
		files = append(files, e)
	}
	for len(files) > 2*batchSize && r.opts.Jobs > 1 {
		r.subdirs = append(r.subdirs, task{dir: t.dir, ignore: t.ignore, files: cloneEntries(files[:batchSize])})
		files = files[batchSize:]
	}
	r.push(r.subdirs)
	t.files = files
	return r.files(d, t)
}

// below are the rules for the directory at r.path: in one that is ignored, and
// taken for the tracked files in it, all else is ignored.
func (r *worker) below(ignore *ignoreList) *ignoreList {
	if ignore.ignored(r.path, true, &r.scratch) {
		return parseIgnore([]byte("*"), string(r.path), "", ignore)
	}
	return ignore
}

func (r *worker) setPath(dir, name string) {
	r.path = r.path[:0]
	if dir != "." {
		r.path = append(append(r.path, dir...), '/')
	}
	r.path = append(r.path, name...)
}

// ruledOut says why an entry is neither read nor descended into, or "".
func (r *worker) ruledOut(e entry, ignore *ignoreList) Reason {
	dir := e.kind == kindDir
	switch {
	case e.name == ".git" || dir && (e.name == ".hg" || e.name == ".svn" || e.name == ".jj"):
		return SkipVCS
	case ignore.ignored(r.path, dir, &r.scratch) && !r.tracked.has(r.tree, r.path, dir):
		return SkipIgnored
	case dir && e.name == "vendor":
		return SkipVendored
	case dir && e.name == "node_modules":
		return SkipNodeModules
	case len(r.exclude) > 0 && decide(r.exclude, r.path, dir) == ruledOut:
		return SkipExcluded
	case e.kind == kindLink:
		return SkipSymlink
	case e.kind == kindOther:
		return SkipIrregular
	case strings.HasPrefix(e.name, tempPrefix):
		return SkipTemporary
	}
	return ""
}

// ignoreOf adds the rules of the directory's own .gitignore. A repository
// inside of the tree starts anew.
func (r *worker) ignoreOf(d directory, t task) *ignoreList {
	rules := t.ignore
	var own entry
	for _, e := range r.entries {
		if e.name == ".git" && t.dir != "." {
			rules = nil
			if data, err := d.readFile(newEntry(".git/info/exclude")); err == nil {
				rules = parseIgnore(data, t.dir, "", nil)
			}
		}
		if e.name == ".gitignore" && (e.kind == kindFile || e.kind == kindUnknown) {
			own = e
		}
	}
	if own.name == "" {
		return rules
	}
	data, err := d.readFile(own)
	if err != nil {
		return rules // it is listed as unreadable with the other files
	}
	return parseIgnore(data, t.dir, "", rules)
}

// files scans files of one directory.
func (r *worker) files(d directory, t task) error {
	for _, e := range t.files {
		r.setPath(t.dir, e.name)
		if r.opts.Only != nil && !r.opts.Only(r.path) {
			r.stats.Unselected++
			continue
		}
		if err := r.file(d, e); err != nil {
			return err
		}
	}
	return nil
}

// file reads one file as far as it takes to know that it is clean, or visits it.
func (r *worker) file(d directory, e entry) error {
	f, err := d.open(e)
	if err != nil {
		r.skipped(string(r.path), false, err)
		return nil
	}
	defer f.close()
	if r.buf == nil {
		r.buf = make([]byte, chunkSize)
	}
	n, err := readFull(f, r.buf)
	if err != nil {
		r.skipped(string(r.path), false, err)
		return nil
	}
	if reason := r.unfit(f, n); reason != "" {
		r.skips = append(r.skips, Skip{Path: string(r.path), Reason: reason})
		return nil
	}
	if finder := r.opts.Finder; finder != nil && !finder.Match(r.path) {
		hit, err := r.scan(f, n)
		if err != nil {
			r.skipped(string(r.path), false, err)
			return nil
		}
		if !hit {
			r.stats.Clean++
			return nil
		}
	}
	return r.visitFile(f)
}

// unfit says why a file, of which n bytes were read, is not scanned, or "".
func (r *worker) unfit(f file, n int) Reason {
	if bytes.IndexByte(r.buf[:min(n, binaryProbe)], 0) >= 0 {
		return SkipBinary
	}
	if r.opts.MaxSize > 0 && (int64(n) > r.opts.MaxSize || n == len(r.buf) && f.size() > r.opts.MaxSize) {
		return SkipTooLarge
	}
	return ""
}

// binaryProbe is how many bytes are searched for a NUL, as git does.
const binaryProbe = 8000

// scan searches a file chunk by chunk for a needle. The first n bytes are in
// the buffer.
func (r *worker) scan(f file, n int) (bool, error) {
	finder, chunk := r.opts.Finder, r.buf[:min(len(r.buf), chunkSize)]
	for {
		if finder.Match(r.buf[:n]) {
			return true, nil
		}
		r.stats.Bytes += int64(n)
		if n < len(chunk) {
			return false, nil
		}
		// A needle may lie across the border of two chunks.
		kept := copy(chunk, r.buf[n-min(n, finder.longest-1):n])
		more, err := readFull(f, chunk[kept:])
		if err != nil || more == 0 {
			return false, err
		}
		r.stats.Bytes -= int64(kept)
		n = kept + more
	}
}

// visitFile reads the whole file and hands it out.
func (r *worker) visitFile(f file) error {
	data, info, err := r.whole(f)
	if err != nil {
		r.skipped(string(r.path), false, err)
		return nil
	}
	r.stats.Visited++
	r.stats.Bytes += int64(len(data))
	if err := r.ctx.Err(); err != nil {
		return err
	}
	err = r.visit(&File{Path: string(r.path), Data: data, Mode: info})
	if len(r.buf) > keptBuffer {
		r.buf = nil
	}
	return err
}

// whole reads the file from its start into the buffer.
func (r *worker) whole(f file) ([]byte, fs.FileMode, error) {
	mode, size, err := f.stat()
	if err != nil {
		return nil, 0, err
	}
	if err := f.rewind(); err != nil {
		return nil, 0, err
	}
	if need := int(size) + 1; need > len(r.buf) {
		r.buf = make([]byte, need)
	}
	n, err := readFull(f, r.buf)
	for err == nil && n == len(r.buf) { // it grew since
		r.buf = append(r.buf, make([]byte, len(r.buf))...)
		var more int
		more, err = readFull(f, r.buf[n:])
		n += more
	}
	return r.buf[:n], mode, err
}

// readFull reads until buf is full or the file ends.
func readFull(f file, buf []byte) (int, error) {
	n := 0
	for n < len(buf) {
		m, err := f.read(buf[n:])
		n += m
		if errors.Is(err, io.EOF) || err == nil && m == 0 {
			break
		}
		if err != nil {
			return n, err
		}
	}
	return n, nil
}

// skipped notes what could not be read.
func (r *worker) skipped(path string, dir bool, err error) {
	s := Skip{Path: path, Dir: dir, Reason: SkipUnreadable, Err: cause(err)}
	switch {
	case errors.Is(err, errNotRegular):
		s.Reason, s.Err = SkipIrregular, nil
	case isLinkError(err):
		s.Reason, s.Err = SkipSymlink, nil
	}
	r.skips = append(r.skips, s)
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

// cloneEntries copies entries whose names are on loan from a lister.
func cloneEntries(entries []entry) []entry {
	out := make([]entry, len(entries))
	for i, e := range entries {
		out[i] = newEntry(e.name)
		out[i].kind = e.kind
	}
	return out
}

// tempPrefix starts the names of the files that a commit writes beside its
// targets.
const tempPrefix = ".cfctl-tmp-"
