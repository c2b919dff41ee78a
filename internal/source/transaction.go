package source

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
)

// A Change is what a Commit does to one file. From and To are paths of the
// Tree: equal for an edit, different for a rename, From empty to create a file
// (the edits are against no bytes), To empty to delete one (no edits).
type Change struct {
	From, To string
	Edits    []Edit
	Before   Sum // of the content that the edits were made for
}

// Commit makes the changes, all or none.
//
// First every file is read again and must be what Before says; then a journal
// with the edits in both directions goes to the disk; then each new content is
// written next to its target, with the same mode and, where permitted, the same
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

// plan reads every file that changes and makes the journal. Nothing is written.
func (s *store) plan(ctx context.Context, changes []Change) (*journal, error) {
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
			at, ok := s.within(p.from)
			if !ok || !filepath.IsLocal(filepath.FromSlash(p.from)) || InGit(p.from) {
				return nil, &Error{Path: p.from, Err: errors.New("is not a path of the work tree"), Hint: "nothing was changed"}
			}
			*p.to = at
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

// planFile fills in the hashes, the mode and the edits both ways.
func (s *store) planFile(f *journalFile, c Change) error {
	var data []byte
	f.Mode, f.Before = 0o644, SumOf(nil)
	if f.From != "" {
		old, info, err := s.current(f.From, c.Before)
		if err != nil {
			return err
		}
		data, f.Mode, f.Before = old, info.Mode().Perm(), c.Before
	}
	edits := c.Edits
	if f.To == "" {
		edits = []Edit{{Span: Span{0, len(data)}}}
	}
	sorted, err := Sort(data, edits)
	if err != nil {
		return &Error{Path: s.shown(f.From), Err: err}
	}
	f.After = SumOf(applySorted(data, sorted))
	f.Edits, f.Inverse = journalEdits(sorted), journalEdits(Invert(data, sorted))
	return s.checkFree(f)
}

// current reads a file that must be unchanged and writable.
func (s *store) current(name string, want Sum) ([]byte, fs.FileInfo, error) {
	data, info, err := s.tree.read(name)
	switch {
	case err == nil && SumOf(data) != want:
		err = errChanged
	case err == nil && info.Mode()&0o200 == 0:
		return nil, nil, &Error{Path: s.shown(name), Err: errors.New("read-only file"), Hint: fmt.Sprintf("nothing was changed; allow it with: chmod u+w %s", s.shown(name))}
	}
	if err != nil {
		return nil, nil, s.placed(name, err)
	}
	return data, info, nil
}

// placed is an error about a file, under the name that the user knows; nil where there is none.
func (s *store) placed(name string, err error) error {
	if err == nil {
		return nil
	}
	e := &Error{Path: s.shown(name), Err: Cause(err)}
	if had, ok := errors.AsType[*Error](err); ok {
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
		s.removeEmptied(j)
		return nil
	}
	if _, back := s.rollBack(j); back != nil {
		return errors.Join(back, err) // without the hint that nothing was changed
	}
	return withHint(err)
}
