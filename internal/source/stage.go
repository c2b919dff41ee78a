package source

import (
	"context"
	"errors"
	"path"
	"path/filepath"
	"slices"
	"time"
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

// stageFile begins to write the new content of a file next to its target.
func (s *store) stageFile(j *journal, i int) (output, error) {
	f := &j.Files[i]
	p := s.shelf.take()
	defer s.shelf.put(p)
	after, stamp, mode := f.staged, f.stamp, f.Mode
	if f.staged = nil; after == nil {
		var err error
		if after, stamp, err = s.remake(f, p); err != nil {
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

// remake makes the new content of a file again, from what the file is now,
// in pages.
func (s *store) remake(f *journalFile, p *pages) (after []byte, like *stamp, err error) {
	var data []byte
	if f.From != "" {
		if data, like, err = s.current(f.From, f.Before, p); err != nil {
			return nil, nil, err
		}
	}
	sorted, err := Sort(data, sourceEdits(f.Edits))
	if err == nil {
		if p.after = applySorted(p.after, data, sorted); SumOf(p.after) != f.After {
			err = errors.New("the edits do not give the planned content")
		}
	}
	if err != nil {
		return nil, nil, s.placed(f.To, err)
	}
	return p.after, like, nil
}

// swap puts the staged files in place.
func (s *store) swap(ctx context.Context, j *journal) error {
	err := Each(ctx, len(j.Files), writers, func(i int) error {
		f := &j.Files[i]
		if f.From != "" && !s.untouched(f) {
			p := s.shelf.take()
			_, _, err := s.current(f.From, f.Before, p)
			if s.shelf.put(p); err != nil {
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
		return &Error{Path: filepath.Join(s.dir, lastName), Err: cause(err)}
	}
	return nil
}
