package source

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
)

// stage writes every new content next to its target.
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
	begun := make([]*os.File, last-first)
	err := Each(ctx, len(begun), writers, func(i int) (err error) {
		if j.Files[first+i].To != "" {
			begun[i], err = s.stageFile(j, first+i)
		}
		return err
	})
	if err == nil {
		err = Each(ctx, len(begun), writers, func(i int) error {
			out, f := begun[i], &j.Files[first+i]
			if begun[i] = nil; out == nil {
				return nil
			}
			return s.placed(f.To, s.tree.end(out, j.temp(first+i, f.To)))
		})
	}
	for _, out := range begun {
		if out != nil {
			_ = out.Close()
		}
	}
	return err
}

// stageFile begins to write the new content of a file next to its target: it is made
// again, from what the file is now.
func (s *store) stageFile(j *journal, i int) (*os.File, error) {
	f := &j.Files[i]
	var data []byte
	var like fs.FileInfo
	mode := f.Mode
	if f.From != "" {
		var err error
		if data, like, err = s.current(f.From, f.Before); err != nil {
			return nil, err
		}
		mode = like.Mode().Perm()
	}
	after, err := Apply(data, sourceEdits(f.Edits))
	if err == nil && SumOf(after) != f.After {
		err = errors.New("the edits do not give the planned content")
	}
	var out *os.File
	if err == nil {
		out, err = s.tree.begin(j.temp(i, f.To), after, mode, like)
	}
	return out, s.placed(f.To, err)
}

// swap puts the staged files in place.
func (s *store) swap(ctx context.Context, j *journal) error {
	err := Each(ctx, len(j.Files), writers, func(i int) error {
		f := &j.Files[i]
		if f.From != "" {
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
			return s.placed(f.From, s.tree.remove(f.From))
		}
		return nil
	})
	if err != nil {
		return err
	}
	return s.syncDirs(ctx, j)
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
	return Each(ctx, len(dirs), writers, func(i int) error { return s.placed(dirs[i], s.tree.syncDir(dirs[i])) })
}

// finish makes the new tree the one that stays: from this rename on, recovery
// has nothing to undo. The journal of a commit becomes the one that Undo
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
		return &Error{Path: filepath.Join(s.dir, lastName), Err: Cause(err)}
	}
	return nil
}
