package source

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// A Change is what a Commit does to one file. From and To are paths of the
// Tree: equal for an edit, different for a rename, From empty to create a file
// (the edits are against no bytes), To empty to delete one (no edits).
type Change struct {
	From, To string
	Edits    []Edit
	Before   Sum         // of the content that the edits were made for
	Mode     fs.FileMode // permission bits of a created file; 0 means 0644
}

// Commit makes the changes, all or none.
//
// First every file is read again and must be what Before says; then a journal
// with the edits in both directions goes to the disk; then each new content is
// written beside its target, with the same mode and, where permitted, the same
// owner, and synced; then, if the target is still unchanged, it is renamed
// over it. A hard link to a changed file keeps the old content, as with git.
// Extended attributes are not carried over.
//
// An error, among them the end of ctx, leaves the tree as it was. After a kill
// at any instant the next Commit, Recover or Undo brings back the old tree. A
// file that changed since it was read, one that is not regular, that its owner
// may not write, or that lies outside of the tree or in a .git directory, and a
// rename to a name that is taken are refused before anything is written. Of
// two writers in one work tree the second is refused.
func (t *Tree) Commit(ctx context.Context, changes []Change) error {
	if len(changes) == 0 {
		return ctx.Err()
	}
	s, err := t.openStore(false)
	if err != nil {
		return err
	}
	defer s.close()
	if _, err := s.recover(); err != nil {
		return err
	}
	j, err := s.plan(ctx, changes)
	if err != nil {
		return err
	}
	return s.execute(ctx, j)
}

// writers is how many files are written at once: the time goes into waiting
// for the disk.
const writers = 8

// keptContent is how many bytes of new contents a commit keeps from planning to
// staging, rather than reading the files once more.
const keptContent = 4 << 20

// plan reads every file that changes and makes the journal. Nothing is written.
func (s *store) plan(ctx context.Context, changes []Change) (*journal, error) {
	s.room.Store(keptContent)
	j := &journal{Schema: journalSchema, ID: newID(), Files: make([]journalFile, len(changes))}
	taken := map[string]bool{}
	for i, c := range changes {
		f := &j.Files[i]
		for _, p := range []struct {
			from string
			to   *string
		}{{c.From, &f.From}, {c.To, &f.To}} {
			if p.from == "" {
				continue
			}
			if !filepath.IsLocal(filepath.FromSlash(p.from)) || insideGit(p.from) {
				return nil, &Error{Path: p.from, Err: errors.New("is not a path of the work tree"), Hint: "nothing was changed"}
			}
			*p.to = path.Join(s.prefix, p.from)
		}
		for _, name := range slices.Compact([]string{f.From, f.To}) {
			if name != "" && taken[name] {
				return nil, &Error{Path: s.shown(name), Err: errors.New("two changes of one file"), Hint: "nothing was changed"}
			}
			taken[name] = true
		}
	}
	err := Each(ctx, len(changes), writers, func(i int) error { return s.planFile(&j.Files[i], changes[i]) })
	if err != nil {
		return nil, withHint(err)
	}
	j.Dirs = s.missingDirs(j)
	return j, nil
}

func insideGit(name string) bool {
	return slices.ContainsFunc(strings.Split(name, "/"), func(part string) bool { return strings.EqualFold(part, ".git") })
}

// planFile fills in the hashes, the mode and the edits both ways.
func (s *store) planFile(f *journalFile, c Change) error {
	var data []byte
	f.Mode, f.Before = c.Mode, SumOf(nil)
	if f.Mode == 0 {
		f.Mode = 0o644
	}
	if f.From != "" {
		began := time.Now()
		old, stamp, err := s.current(f.From, c.Before)
		if err != nil {
			return err
		}
		data, f.Mode, f.stamp, f.read = old, stamp.perm(), stamp, began
		f.Before = c.Before
	}
	edits := c.Edits
	if f.To == "" {
		edits = []Edit{{Span: Span{0, len(data)}}}
	}
	sorted, err := Sort(data, edits)
	if err != nil {
		return &Error{Path: s.shown(f.From), Err: err}
	}
	after, err := Apply(data, sorted)
	if err != nil {
		return &Error{Path: s.shown(f.From), Err: err}
	}
	f.After = SumOf(after)
	if s.room.Add(-int64(len(after))) >= 0 {
		f.staged = after
	}
	f.Edits, f.Inverse = journalEdits(sorted), journalEdits(Invert(data, sorted))
	return s.checkFree(f)
}

// current reads a file that must be unchanged and writable.
func (s *store) current(name string, want Sum) ([]byte, *stamp, error) {
	data, stamp, err := s.tree.read(name)
	switch {
	case err == nil && SumOf(data) != want:
		err = errChanged
	case err == nil && stamp.perm()&0o200 == 0:
		return nil, nil, &Error{Path: s.shown(name), Err: errors.New("read-only file"), Hint: fmt.Sprintf("nothing was changed; allow it with: chmod u+w %s", s.shown(name))}
	}
	if err != nil {
		return nil, nil, s.placed(name, err)
	}
	return data, &stamp, nil
}

// placed is an error about a file, under the name that the user knows.
func (s *store) placed(name string, err error) error {
	e := &Error{Path: s.shown(name), Err: cause(err)}
	var had *Error
	if errors.As(err, &had) {
		e.Err, e.Hint = had.Err, had.Hint
	}
	return e
}

// checkFree refuses a new name that is taken.
func (s *store) checkFree(f *journalFile) error {
	if f.To == "" || f.To == f.From {
		return nil
	}
	_, err := s.tree.lookUp(f.To)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err == nil {
		err = fs.ErrExist
	}
	return s.placed(f.To, err)
}

// missingDirs lists the directories that new names need, parents first.
func (s *store) missingDirs(j *journal) []string {
	var dirs []string
	for _, f := range j.Files {
		if f.To == "" || f.To == f.From {
			continue
		}
		for dir := path.Dir(f.To); dir != "."; dir = path.Dir(dir) {
			if _, err := s.tree.lookUp(dir); err == nil {
				break
			}
			dirs = append(dirs, dir)
		}
	}
	slices.Sort(dirs)
	return slices.Compact(dirs)
}

var errChanged = errors.New("changed since it was read")

// execute does what the journal says, or leaves the tree as it was.
func (s *store) execute(ctx context.Context, j *journal) error {
	if err := s.save(j); err != nil {
		return err
	}
	err := s.stage(ctx, j)
	if err == nil {
		err = s.swap(ctx, j)
	}
	if err == nil {
		err = s.finish(j)
	}
	if err == nil {
		return nil
	}
	if _, back := s.rollBack(j); back != nil {
		return errors.Join(withHint(err), back)
	}
	return withHint(err)
}

// stage writes every new content beside its target.
func (s *store) stage(ctx context.Context, j *journal) error {
	for _, dir := range j.Dirs {
		if err := s.tree.mkdir(dir); err != nil {
			return s.placed(dir, err)
		}
	}
	for first := 0; first < len(j.Files); first += batch {
		if err := s.stageBatch(ctx, j, first, min(first+batch, len(j.Files))); err != nil {
			return err
		}
	}
	return nil
}

// batch is how many files are written, and open, before the first is waited
// for: most of them are on the disk by then, and the file system commits many
// at once. Systems allow a thousand open files.
const batch = 512

// stageBatch stages the files first to last-1 of the journal.
func (s *store) stageBatch(ctx context.Context, j *journal, first, last int) error {
	begun := make([]output, last-first)
	open := make([]bool, last-first)
	err := Each(ctx, len(begun), writers, func(i int) (err error) {
		if j.Files[first+i].To == "" {
			return nil
		}
		begun[i], err = s.stageFile(j, first+i)
		open[i] = err == nil
		return err
	})
	if err == nil {
		err = Each(ctx, len(begun), writers, func(i int) error {
			if !open[i] {
				return nil
			}
			open[i] = false
			f := &j.Files[first+i]
			if err := s.tree.end(begun[i], j.temp(first+i, f.To)); err != nil {
				return s.placed(f.To, err)
			}
			return nil
		})
	}
	for i, out := range begun {
		if open[i] {
			_ = out.close()
		}
	}
	return err
}

// stageFile begins to write the new content of a file beside its target.
func (s *store) stageFile(j *journal, i int) (output, error) {
	f := &j.Files[i]
	after, stamp, mode := f.staged, f.stamp, f.Mode
	if f.staged = nil; after == nil {
		var err error
		if after, stamp, err = s.remake(f); err != nil {
			return output{}, err
		}
		if stamp != nil {
			mode = stamp.perm()
		}
	}
	out, err := s.tree.begin(j.temp(i, f.To), after, mode, stamp)
	if err != nil {
		return out, s.placed(f.To, err)
	}
	return out, nil
}

// remake makes the new content of a file once more, from what the file is now.
func (s *store) remake(f *journalFile) (after []byte, like *stamp, err error) {
	var data []byte
	if f.From != "" {
		if data, like, err = s.current(f.From, f.Before); err != nil {
			return nil, nil, err
		}
	}
	after, err = Apply(data, sourceEdits(f.Edits))
	if err == nil && SumOf(after) != f.After {
		err = errors.New("the edits do not give the planned content")
	}
	if err != nil {
		return nil, nil, s.placed(f.To, err)
	}
	return after, like, nil
}

// swap puts the staged files in place.
func (s *store) swap(ctx context.Context, j *journal) error {
	err := Each(ctx, len(j.Files), writers, func(i int) error {
		f := &j.Files[i]
		if f.From != "" && !s.untouched(f) {
			if _, _, err := s.current(f.From, f.Before); err != nil {
				return err
			}
		}
		if f.To != "" {
			if err := s.checkFree(f); err != nil {
				return err
			}
			if err := s.tree.rename(j.temp(i, f.To), f.To); err != nil {
				return s.placed(f.To, err)
			}
		}
		if f.From != "" && f.From != f.To {
			if err := s.tree.remove(f.From); err != nil {
				return s.placed(f.From, err)
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	return s.syncDirs(ctx, j)
}

// settled is how old a file's last change must be, when it is read, for its
// times to tell of a later one. Clocks of file systems tick in milliseconds;
// a time without a fraction is taken for that of one that ticks in seconds.
func settled(then time.Time) time.Duration {
	if then.Nanosecond() == 0 {
		return 4 * time.Second
	}
	return 100 * time.Millisecond
}

// untouched says whether a file is surely the one that was planned with, by
// its identity, size and times, without reading it. A file that had changed
// right before it was read is read again.
func (s *store) untouched(f *journalFile) bool {
	if f.stamp == nil {
		return false
	}
	now, err := s.tree.lookUp(f.From)
	if err != nil {
		return false
	}
	since, same := now.same(f.stamp)
	return same && f.read.Sub(since) > settled(since)
}

// syncDirs makes the new names last.
func (s *store) syncDirs(ctx context.Context, j *journal) error {
	var dirs []string
	for _, f := range j.Files {
		for _, name := range []string{f.From, f.To} {
			if name != "" {
				dirs = append(dirs, path.Dir(name))
			}
		}
	}
	for _, dir := range j.Dirs {
		dirs = append(dirs, path.Dir(dir))
	}
	slices.Sort(dirs)
	dirs = slices.Compact(dirs)
	return Each(ctx, len(dirs), writers, func(i int) error {
		if err := s.tree.syncDir(dirs[i]); err != nil {
			return s.placed(dirs[i], err)
		}
		return nil
	})
}

// finish makes the new tree the one that stays: from this rename on, recovery
// has nothing to take back. The journal of a commit becomes the one that Undo
// reads; that of an undo takes its place and goes.
func (s *store) finish(j *journal) error {
	err := s.state.rename(pendingName, lastName)
	if err == nil && j.Undo {
		_ = s.state.remove(lastName) // what is left says that there is nothing to undo
	}
	if err == nil {
		err = s.state.syncDir(".")
	}
	if err != nil {
		return &Error{Path: filepath.Join(s.dir, lastName), Err: cause(err)}
	}
	return nil
}
