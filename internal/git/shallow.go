package git

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// joined joins commits of an own repository, which were fetched without their
// history, to their parents, where those are here by now; joined says whether there
// was one. git sends no commit that it takes for one without parents: what was
// pushed, fetched, and deleted on the remote could not be pushed again.
func (r *Repo) joined(ctx context.Context) (joined bool, err error) {
	if r.own == nil {
		return false, nil
	}
	path := filepath.Join(r.Dir, "shallow")
	err = r.change(ctx, func() error {
		data, err := os.ReadFile(path)
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		list := strings.Fields(string(data))
		cut := slices.DeleteFunc(slices.Clone(list), func(commit string) bool { return err == nil && r.hasParents(ctx, commit) })
		if joined = err == nil && len(cut) < len(list); !joined {
			return err
		}
		return replace(path, cut)
	})
	return joined && err == nil, err
}

// hasParents says whether a commit has parents, and all of them are here.
func (r *Repo) hasParents(ctx context.Context, commit string) bool {
	raw, err := command{dir: r.Dir, in: r.owner(), more: r.settings, args: []string{"cat-file", "commit", commit}}.run(ctx)
	header, _, _ := bytes.Cut(raw, []byte("\n\n"))
	parents := 0
	for line := range strings.Lines(string(header)) {
		if parent, ok := strings.CutPrefix(strings.TrimSpace(line), "parent "); ok {
			if parents++; !r.has(ctx, parent) {
				return false
			}
		}
	}
	return err == nil && parents > 0
}

// replace writes the list of shallow commits, as git does: a new file takes the
// place of the old one.
func replace(path string, commits []string) error {
	if len(commits) == 0 {
		return os.Remove(path)
	}
	if err := os.WriteFile(path+".lock", []byte(strings.Join(commits, "\n")+"\n"), 0o644); err != nil {
		return err
	}
	return os.Rename(path+".lock", path)
}
