package olm

import (
	"context"
	"errors"
	"io/fs"
	"path"
	"path/filepath"

	"github.com/project-codeflare/cfctl/internal/git"
	"github.com/project-codeflare/cfctl/internal/source"
)

// CommitsOf are the commits of the repository that dir lies in since its
// common ancestor with base.
func CommitsOf(ctx context.Context, dir, base string) (*Commits, error) {
	repo, err := git.Open(ctx, dir)
	if err != nil {
		return nil, err
	}
	defer func() { _ = repo.Close() }() // only reading was done
	folder, err := folderIn(repo, dir)
	if err != nil {
		return nil, err
	}
	from, err := repo.MergeBase(ctx, base, "HEAD")
	if err != nil {
		return nil, err
	}
	commits := &Commits{Folder: folder}
	if commits.Changed, err = repo.Changed(ctx, from, "HEAD"); err != nil {
		return nil, err
	}
	log, err := repo.Log(ctx, from, "HEAD")
	if err != nil {
		return nil, err
	}
	for _, c := range log {
		if len(c.Parents) > 1 {
			continue // a merge is no one's contribution
		}
		commits.List = append(commits.List, Commit{Hash: c.Hash, Author: c.Author, Email: c.Email, Message: c.Subject + "\n\n" + c.Body})
	}
	return commits, nil
}

// folderIn is the slash-separated path of dir in its repository.
func folderIn(repo *git.Repo, dir string) (string, error) {
	top, err := filepath.EvalSymlinks(repo.Dir)
	if err != nil {
		return "", err
	}
	abs, err := source.RealPath(dir)
	if err != nil {
		return "", err
	}
	rel, err := filepath.Rel(top, abs)
	if err != nil {
		return "", err
	}
	rel = path.Clean(filepath.ToSlash(rel))
	if !fs.ValidPath(rel) {
		return "", errors.New(dir + " lies outside of its repository")
	}
	return rel, nil
}
