package ports

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/project-codeflare/cfctl/internal/forge"
	"github.com/project-codeflare/cfctl/internal/git"
	"github.com/project-codeflare/cfctl/internal/stack"
	"github.com/project-codeflare/cfctl/internal/wire"
)

// Clones are repositories on this machine that represent those on the forge.
type Clones struct {
	Dir  string // that they are in: NAME, OWNER/NAME, OWNER+NAME/repo, with .git or without
	Root string // repository of the root: OWNER/NAME
	Tree string // its work tree, wherever it is; empty = as the others
}

// Of is the folder of a repository's clone, whether it is there or not.
func (c *Clones) Of(repo string) string {
	if repo == c.Root && c.Tree != "" {
		return c.Tree
	}
	owner, name := forge.Split(repo)
	first := filepath.Join(c.Dir, name)
	for _, dir := range []string{first, first + ".git", filepath.Join(c.Dir, owner, name), filepath.Join(c.Dir, owner, name+".git"), filepath.Join(c.Dir, owner+"+"+name, "repo")} {
		for _, mark := range []string{".git", "HEAD"} {
			if _, err := os.Stat(filepath.Join(dir, mark)); err == nil {
				return dir
			}
		}
	}
	return first
}

// ErrNoClone is of a repository that the forge may have, without a clone on this machine.
var ErrNoClone = fmt.Errorf("%w", wire.ErrNotFound)

// heads are the branches and tags of a clone: the branches as its remote had
// them at the last fetch, and its own where there is no remote.
func (c *Clones) heads(ctx context.Context, repo string) (git.Heads, error) {
	at := c.Of(repo)
	if _, err := os.Stat(at); err != nil {
		return git.Heads{}, fmt.Errorf("no clone of %s at %s: %w", repo, at, ErrNoClone)
	}
	const remote = "refs/remotes/origin/"
	h, err := git.ListHeads(ctx, "file://"+at)
	if err != nil {
		return h, err
	}
	theirs, err := git.RemoteRefs(ctx, "file://"+at, remote)
	if err != nil || len(theirs) == 0 {
		return h, err
	}
	h.Branches = map[string]string{}
	for name, commit := range theirs {
		h.Branches[strings.TrimPrefix(name, remote)] = commit
	}
	delete(h.Branches, "HEAD")
	return h, nil
}

// defaultBranch is the default branch of a clone's remote, as of the last fetch, and where it
// has none the branch that is checked out.
func (c *Clones) defaultBranch(ctx context.Context, repo string) (string, error) {
	at := c.Of(repo)
	if r, err := git.Open(ctx, at); err == nil {
		name, err := r.RemoteHead(ctx)
		_ = r.Close() // only read
		if name != "" || err != nil {
			return name, err
		}
	}
	name, _, err := git.RemoteHead(ctx, "file://"+at)
	return name, err
}

// Shallow are the repositories of components whose clones lack history.
func (c *Clones) Shallow(ctx context.Context, s *stack.Stack) []string {
	var list []string
	for i := range s.Components {
		repo := s.Components[i].Repository
		r, err := git.Open(ctx, c.Of(repo))
		if err != nil {
			continue
		}
		if r.Shallow(ctx) {
			list = append(list, repo)
		}
		_ = r.Close() // only read
	}
	return list
}

// Offline is the way to servers that no one can ask: a forge or a registry has nothing. Who is asked is not known, as
// for an app, and lists are empty.
type Offline struct{}

// RoundTrip implements http.RoundTripper.
func (Offline) RoundTrip(req *http.Request) (*http.Response, error) {
	status, body := http.StatusNotFound, `{"message": "not known offline"}`
	switch path.Base(req.URL.Path) {
	case "user":
		status = http.StatusForbidden
	case "releases":
		status, body = http.StatusOK, "[]"
	case "runs":
		status, body = http.StatusOK, "{}"
	}
	return &http.Response{StatusCode: status, Header: http.Header{"Content-Type": {"application/json"}}, Body: io.NopCloser(strings.NewReader(body)), Request: req}, nil
}
