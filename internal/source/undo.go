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
	"sync"
	"syscall"

	"github.com/project-codeflare/cfctl/internal/lists"
)

// Recover undoes what a killed Commit or Undo left half done and returns
// the paths of the files in it, sorted; none when there was nothing. Files that
// a user changed since are left as they are and named in the error; the rest
// is restored all the same. Commit and Undo recover first.
func (t *Tree) Recover(ctx context.Context) ([]string, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	_, dir, err := t.stateDir(true)
	if err != nil {
		return nil, err
	}
	if !isThere(filepath.Join(dir, pendingName)) {
		return nil, nil
	}
	s, err := t.openStore(true)
	if err != nil {
		return nil, err
	}
	defer s.close()
	j, err := s.recover()
	return s.names(j), err
}

// Undo reverts the last Commit in the work tree, that of a repository in
// another one where all of what was named lies in it (outside of git: in the
// base directory, or the nearest one above it that has a Commit), byte for byte, renames included, all or none, and
// returns the paths that are restored, sorted. A Commit that was killed is
// undone first, and then that is all.
//
// Modes stay as they are; modification times are those of the undo, so that
// build tools notice. Files that changed since the Commit are named in the
// error; nothing is restored then. There is one step to undo: an undo is
// not undone.
func (t *Tree) Undo(ctx context.Context) ([]string, error) {
	s, err := t.openStore(true)
	if err != nil {
		return nil, err
	}
	defer s.close()
	if j, err := s.recover(); err != nil || j != nil && !j.Undo {
		return s.names(j), err
	}
	last, err := s.load(lastName)
	if err != nil {
		return nil, err
	}
	if last == nil || last.Undo {
		return nil, &Error{Path: s.top, Err: errors.New("there is no write to undo"), Hint: "only the last write to a work tree can be undone, and only once; for another work tree: cfctl migrate undo PATH"}
	}
	back := last.inverted()
	if err := s.checkUndo(back); err != nil {
		return nil, err
	}
	back.Dirs = s.missingDirs(back)
	if err := s.execute(ctx, back); err != nil {
		return nil, err
	}
	return s.names(last), nil
}

// names lists the files of a journal, under their old names where they have one.
func (s *store) names(j *journal) []string {
	if j == nil {
		return nil
	}
	names := lists.Of(j.Files, func(f journalFile) string { return s.shown(f.name()) })
	slices.Sort(names)
	return names
}

// checkUndo names every file that is not as the commit left it.
func (s *store) checkUndo(back *journal) error {
	var changed []string
	for i := range back.Files {
		f := &back.Files[i]
		if f.From != "" {
			if sum, there, err := s.tree.sum(f.From); err != nil || !there || sum != f.Before {
				changed = append(changed, s.shown(f.From))
				continue
			}
		}
		if s.checkFree(f) != nil {
			changed = append(changed, s.shown(f.To))
		}
	}
	if len(changed) == 0 {
		return nil
	}
	slices.Sort(changed)
	return &Error{Path: changed[0], Err: fmt.Errorf("changed since the write%s", andOthers(changed)), Hint: "nothing was undone; restore or commit your own changes to " + list(changed) + ", or revert the write with git"}
}

func andOthers(names []string) string {
	if len(names) == 1 {
		return ""
	}
	return fmt.Sprintf(", as did %d other files", len(names)-1)
}

// list names up to ten files.
func list(names []string) string {
	if len(names) > 10 {
		return strings.Join(names[:10], ", ") + fmt.Sprintf(" and %d more", len(names)-10)
	}
	return strings.Join(names, ", ")
}

// recover takes a pending journal back and returns it, if there is one.
func (s *store) recover() (*journal, error) {
	j, err := s.load(pendingName)
	if j == nil || err != nil {
		return nil, err
	}
	changed, err := s.rollBack(j)
	if err == nil && len(changed) > 0 {
		err = &Error{
			Path: changed[0],
			Err:  fmt.Errorf("changed after a write was interrupted%s", andOthers(changed)),
			Hint: "the other files are as before that write; check " + list(changed) + ", then run again",
		}
	}
	return j, err
}

// rollBack brings every file of the journal back to what it was before and
// ends the journal. It can be killed and run again: what to do follows from
// what is on the disk. Files that are neither the old nor the new ones belong
// to another user by now: they stay and are returned.
func (s *store) rollBack(j *journal) (changed []string, err error) {
	for i, f := range j.Files { // first, so that a full disk has room again
		for _, target := range slices.Compact([]string{f.From, f.To}) {
			if target == "" {
				continue
			}
			if err := s.tree.remove(j.temp(i, target)); err != nil && !errors.Is(err, syscall.ENOTDIR) {
				return nil, s.stuck(j.temp(i, target), err)
			}
		}
	}
	var mu sync.Mutex
	err = Each(context.Background(), len(j.Files), writers, func(i int) error {
		f := &j.Files[i]
		err := s.restore(j, i)
		if errors.Is(err, errChanged) || errors.Is(err, errNotRegular) {
			mu.Lock()
			defer mu.Unlock()
			changed = append(changed, s.shown(f.name()))
			return nil
		}
		if err != nil {
			return s.stuck(f.name(), err)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	s.removeDirs(j.Dirs)
	if err := s.syncDirs(context.Background(), j); err != nil {
		return nil, err
	}
	if err := s.state.remove(pendingName); err != nil {
		return nil, s.stuck(pendingName, err)
	}
	slices.Sort(changed)
	return changed, s.state.syncDir(".")
}

// stuck is a rollback that could not go on; the journal stays.
func (s *store) stuck(name string, err error) error {
	return &Error{
		Path: s.shown(name), Err: fmt.Errorf("cannot undo the write: %w", Cause(err)),
		Hint: "solve this, then run `cfctl migrate undo`: the journal " + filepath.Join(s.dir, pendingName) + " knows the rest",
	}
}

// restore brings one file back.
func (s *store) restore(j *journal, i int) error {
	f := &j.Files[i]
	if f.From == f.To {
		sum, there, err := s.tree.sum(f.From)
		switch {
		case err != nil:
			return err
		case !there:
			return errChanged
		case sum == f.Before:
			return nil
		case sum != f.After:
			return errChanged
		}
		return s.rewrite(j, i, f.To, f.From)
	}
	if err := s.restoreFrom(j, i); err != nil {
		return err
	}
	if f.To == "" {
		return nil
	}
	sum, there, err := s.tree.sum(f.To)
	if err != nil || !there || sum != f.After {
		return nil //nolint:nilerr // not this commit's file
	}
	return s.tree.remove(f.To)
}

// restoreFrom brings back the old name of a renamed or deleted file.
func (s *store) restoreFrom(j *journal, i int) error {
	f := &j.Files[i]
	if f.From == "" {
		return nil
	}
	sum, there, err := s.tree.sum(f.From)
	if err != nil {
		return err
	}
	if there {
		if sum != f.Before {
			return errChanged
		}
		return nil
	}
	return s.rewrite(j, i, f.To, f.From)
}

// rewrite makes the old content from the new one and puts it under its name.
func (s *store) rewrite(j *journal, i int, from, to string) error {
	f := &j.Files[i]
	var data []byte
	var like fs.FileInfo
	mode := f.Mode
	if from != "" {
		old, info, err := s.tree.read(from)
		if errors.Is(err, fs.ErrNotExist) {
			return errChanged
		} else if err != nil {
			return err
		}
		data, like, mode = old, info, info.Mode().Perm()
	}
	if SumOf(data) != f.After {
		return errChanged
	}
	old, err := Apply(data, sourceEdits(f.Inverse))
	if err != nil {
		return err
	}
	if SumOf(old) != f.Before {
		return errors.New("the journal does not give the old content")
	}
	return s.tree.replace(to, j.temp(i, to), old, mode, like)
}

// removeEmptied removes the directories that renames and deletions left empty. What took the
// place of one in the meantime stays.
func (s *store) removeEmptied(j *journal) {
	for _, f := range j.Files {
		for dir := path.Dir(f.From); f.From != f.To && dir != "."; dir = path.Dir(dir) {
			if info, err := s.tree.lookUp(dir); err == nil && !info.IsDir() || s.tree.remove(dir) != nil {
				break
			}
		}
	}
}

// removeDirs removes directories that a commit made and that are empty again.
func (s *store) removeDirs(dirs []string) {
	for _, dir := range slices.Backward(dirs) {
		_ = s.tree.remove(dir)
	}
}

// withHint adds the next thing to do to an error after which the tree is as
// it was.
func withHint(err error) error {
	var e *Error
	switch {
	case errors.Is(err, context.Canceled):
		return &Error{Path: "write", Err: errors.New("interrupted"), Hint: "nothing was changed; run again"}
	case errors.As(err, &e) && e.Hint == "":
		return &Error{Path: e.Path, Pos: e.Pos, Err: e.Err, Hint: hintFor(e.Err)}
	}
	return err
}

func hintFor(err error) string {
	switch {
	case errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EDQUOT):
		return "nothing was changed; free disk space, then run again"
	case errors.Is(err, fs.ErrPermission), errors.Is(err, syscall.EROFS):
		return "nothing was changed; make the file's directory writable, then run again"
	case errors.Is(err, fs.ErrExist):
		return "nothing was changed; move the file with that name away, then run again"
	case errors.Is(err, errChanged):
		return "nothing was changed; run again on what is there now"
	}
	return "nothing was changed"
}
