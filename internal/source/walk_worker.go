package source

import (
	"bytes"
	"context"
	"slices"
	"strings"
	"sync/atomic"

	"golang.org/x/sync/errgroup"

	"github.com/project-codeflare/cfctl/internal/source/ignore"
)

// batchSize is how many files of a directory one worker takes at a time.
const batchSize = 128

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
	if err := r.ended(); err != nil {
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
	r.entries, err = d.list(&r.lister, r.entries[:0])
	if err != nil && r.tree.sys != nil {
		return err
	}
	if err != nil {
		r.stats.Dirs++
		r.skipped(t.dir, true, err)
		return nil
	}
	if r.ofOtherRepository(d, t) {
		r.skips = append(r.skips, Skip{Path: t.dir, Dir: true, Reason: SkipRepository})
		return nil
	}
	r.stats.Dirs++
	return r.directory(d, t)
}

// directory sorts a directory's entries out and scans its files.
func (r *worker) directory(d directory, t task) error {
	t.ignore, t.root = r.ignoreOf(d, t), r.rootOf(t)
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
			r.subdirs = append(r.subdirs, task{dir: string(r.path), ignore: r.below(t.ignore), root: t.root})
			continue
		}
		files = append(files, e)
	}
	for len(files) > 2*batchSize && r.opts.Jobs > 1 {
		r.subdirs = append(r.subdirs, task{dir: t.dir, ignore: t.ignore, root: t.root, files: cloneEntries(files[:batchSize])})
		files = files[batchSize:]
	}
	r.push(r.subdirs)
	t.files = files
	return r.files(d, t)
}

// below are the rules for the directory at r.path: in one that is ignored, and
// taken for the tracked files in it, all else is ignored.
func (r *worker) below(rules *ignore.List) *ignore.List {
	if rules.Ignored(r.path, true, &r.scratch) {
		return ignore.Parse([]byte("*"), string(r.path), "", rules)
	}
	return rules
}

func (r *worker) setPath(dir, name string) {
	r.path = r.path[:0]
	if dir != "." {
		r.path = append(append(r.path, dir...), '/')
	}
	r.path = append(r.path, name...)
}

// ruledOut says why an entry is neither read nor descended into, or "".
func (r *worker) ruledOut(e entry, rules *ignore.List) Reason {
	dir := e.kind == kindDir
	switch {
	case e.name == ".git" || dir && (e.name == ".hg" || e.name == ".svn" || e.name == ".jj"):
		return SkipVCS
	case rules.Ignored(r.path, dir, &r.scratch) && !r.tracked.has(r.tree, r.path, dir):
		return SkipIgnored
	case dir && Vendored(e.name):
		return SkipVendored
	case dir && e.name == "node_modules":
		return SkipNodeModules
	case dir && r.modules && r.tracked.isLink(r.tree, r.path):
		return SkipRepository
	case r.exclude.Names(r.path, dir):
		return SkipExcluded
	case e.kind == kindLink:
		return SkipSymlink
	case e.kind == kindOther:
		return SkipIrregular
	case strings.HasPrefix(e.name, tempPrefix) && !r.tracked.has(r.tree, r.path, dir):
		return SkipTemporary
	case r.tree.binary[string(r.path)]:
		return SkipBinary
	}
	return ""
}

// rootOf is the root of a directory that was listed.
func (r *worker) rootOf(t task) *string {
	if t.dir != "." && slices.ContainsFunc(r.entries, func(e entry) bool { return e.name == ".git" }) {
		return &t.dir
	}
	return t.root
}

// ofOtherRepository tells whether a directory is the top of another repository than the
// one that holds it: that has a history, and a gate, of its own. What the outer
// one tracks in it is no one else's.
func (r *worker) ofOtherRepository(d directory, t task) bool {
	if t.named || t.dir == "." || t.ignore == nil || !r.hasGit(d) {
		return false
	}
	return !r.tracked.has(r.tree, []byte(t.dir), true)
}

// hasGit tells whether a listed directory holds what git takes for a repository's
// .git: a directory with a HEAD, or a file that names such a directory.
func (r *worker) hasGit(d directory) bool {
	at := slices.IndexFunc(r.entries, func(e entry) bool { return e.name == ".git" })
	if at < 0 {
		return false
	}
	if text, err := readFile(d, newEntry(".git")); err == nil {
		return bytes.HasPrefix(text, []byte("gitdir: "))
	}
	_, err := readFile(d, newEntry(".git/HEAD"))
	return err == nil
}

// ignoreOf adds the rules of the directory's own .gitignore, in a repository. A
// repository inside of the tree, where it is walked, starts anew.
func (r *worker) ignoreOf(d directory, t task) *ignore.List {
	rules := t.ignore
	var own entry
	for _, e := range r.entries {
		if e.name == ".git" && t.dir != "." {
			rules = repositoryRules()
			if data, err := readFile(d, newEntry(".git/info/exclude")); err == nil {
				rules = ignore.Parse(data, t.dir, "", rules)
			}
		}
		if e.name == ".gitignore" && (e.kind == kindFile || e.kind == kindUnknown) {
			own = e
		}
	}
	if own.name == "" || rules == nil {
		return rules
	}
	data, err := readFile(d, own)
	if err != nil {
		return rules // it is listed as unreadable with the other files
	}
	return ignore.Parse(data, t.dir, "", rules)
}

// Each calls do for 0 to n-1 from several workers at once, of which the caller is one. The
// first error, or the end of ctx, stops the others and is returned.
func Each(ctx context.Context, n, workers int, do func(i int) error) error {
	var next atomic.Int64
	group, ctx := errgroup.WithContext(ctx)
	work := func() error {
		for i := int(next.Add(1)); i <= n && ctx.Err() == nil; i = int(next.Add(1)) {
			if err := do(i - 1); err != nil {
				return err
			}
		}
		return context.Cause(ctx)
	}
	for range min(n, workers) - 1 {
		group.Go(work)
	}
	if err := work(); err != nil {
		group.Go(func() error { return err }) // which stops the others
	}
	return group.Wait()
}
