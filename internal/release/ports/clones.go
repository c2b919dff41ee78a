package ports

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"

	"github.com/project-codeflare/cfctl/internal/forge"
	"github.com/project-codeflare/cfctl/internal/git"
	"github.com/project-codeflare/cfctl/internal/registry"
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
		name, err := r.RemoteHead(ctx, "origin")
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

// OfflineForge is a forge that no one can ask: nothing is on it. A plan asks it for
// nothing else: there is no pull request, nothing is written, and the preflight leaves
// rules out.
type OfflineForge struct{ forge.Forge }

func gone(what string) error { return fmt.Errorf("%s: %w", what, wire.ErrNotFound) }

// Account implements forge.Reader: as for an app, nothing is known of it.
func (OfflineForge) Account(context.Context) (forge.Account, error) {
	return forge.Account{}, &forge.Error{Op: "offline", Status: http.StatusForbidden}
}

// Repository implements forge.Reader.
func (OfflineForge) Repository(context.Context, string) (forge.Repository, error) {
	return forge.Repository{Default: "main", Push: true}, nil
}

// Pull implements forge.Reader.
func (OfflineForge) Pull(context.Context, string, string, string) (forge.Pull, error) {
	return forge.Pull{}, gone("pull request")
}

// PullNumbered implements forge.Reader.
func (OfflineForge) PullNumbered(context.Context, string, int) (forge.Pull, error) {
	return forge.Pull{}, gone("pull request")
}

// Release implements forge.Reader.
func (OfflineForge) Release(context.Context, string, string) (forge.Release, error) {
	return forge.Release{}, gone("release")
}

// Checks implements forge.Reader.
func (OfflineForge) Checks(context.Context, string, string) ([]forge.Check, error) {
	return nil, gone("checks")
}

// Runs implements forge.RunReader.
func (OfflineForge) Runs(context.Context, string, string) ([]forge.WorkflowRun, error) {
	return nil, nil
}

// Run implements forge.RunReader.
func (OfflineForge) Run(context.Context, string, int64) (forge.WorkflowRun, error) {
	return forge.WorkflowRun{}, gone("workflow run")
}

// RunsOn implements forge.RunReader.
func (OfflineForge) RunsOn(context.Context, string, string) ([]forge.WorkflowRun, error) {
	return nil, nil
}

// Dispatch implements forge.Dispatcher, for the plan alone.
func (OfflineForge) Dispatch(context.Context, string, string, string, map[string]string) (int64, error) {
	return 0, forge.ErrLacks
}

// OfflineImages are registries that no one can ask: nothing is in them.
type OfflineImages struct{ registry.Images }

// Digest implements registry.Reader.
func (*OfflineImages) Digest(context.Context, string) (string, error) { return "", gone("image") }

// Releases implements registry.Reader.
func (*OfflineImages) Releases(context.Context, *stack.Component) ([]string, error) { return nil, nil }

// Revision implements registry.Reader.
func (*OfflineImages) Revision(context.Context, string, string) (string, error) { return "", nil }
