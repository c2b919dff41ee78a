package git

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/project-codeflare/cfctl/internal/source"
)

// ChangedUnder lists the files under paths of this machine that changed since a commit
// and are still there, as seen from here.
func (r *Repo) ChangedUnder(ctx context.Context, ancestor string, paths []string) ([]string, error) {
	changed, err := r.Changed(ctx, ancestor, "")
	if err != nil {
		return nil, err
	}
	return among(r.Dir, changed, paths)
}

// among are those of the files of a repository that lie under the paths and are
// still there, as seen from here. A path under which there has never been
// anything is an error: it would pass every gate.
func among(top string, names, paths []string) ([]string, error) {
	here, err := source.RealPath(".")
	if err != nil {
		return nil, err
	}
	under := make([]string, len(paths))
	for i, p := range paths {
		if under[i], err = placeOf(top, p, names); err != nil {
			return nil, err
		}
	}
	var list []string
	for _, name := range names {
		abs := filepath.Join(top, filepath.FromSlash(name))
		if !slices.ContainsFunc(under, func(dir string) bool { return source.Within(dir, abs) }) {
			continue
		}
		rel, err := filepath.Rel(here, abs)
		if err != nil {
			return nil, err
		}
		if info, err := os.Lstat(abs); err == nil && info.Mode().IsRegular() {
			list = append(list, rel)
		} else if err != nil && !os.IsNotExist(err) {
			return nil, &fs.PathError{Op: "stat", Path: rel, Err: err}
		}
	}
	return list, nil
}

// placeOf is the absolute place of a path in a repository. What is not there
// must at least have been among the names, when it was removed.
func placeOf(top, given string, names []string) (string, error) {
	abs, err := filepath.Abs(given)
	if err == nil {
		abs, err = source.Resolve(abs)
	}
	wrong := &source.Error{Path: filepath.ToSlash(given), Err: err}
	if p, ok := errors.AsType[*os.PathError](err); ok {
		wrong.Err = p.Err
	}
	if err != nil {
		return "", wrong
	}
	_, err = os.Lstat(abs)
	switch {
	case os.IsNotExist(err) && !slices.ContainsFunc(names, func(name string) bool { return source.Within(abs, filepath.Join(top, filepath.FromSlash(name))) }):
		wrong.Err, wrong.Hint = errors.New("no such file or directory"), "paths are relative to the working directory"
	case !source.Within(top, abs):
		wrong.Err, wrong.Hint = errors.New("outside of the repository"), "the repository is "+filepath.ToSlash(top)
	default:
		return abs, nil
	}
	return "", wrong
}
