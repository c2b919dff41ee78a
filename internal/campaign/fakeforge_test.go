package campaign

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/project-codeflare/cfctl/internal/forge"
	"github.com/project-codeflare/cfctl/internal/git"
	"github.com/project-codeflare/cfctl/internal/wire"
)

// A fakeForge is a forge in memory with GitHub's rules: one open pull request
// for each head, limits by the minute and the hour, heads as git has them.
type fakeForge struct {
	forge.Forge // what a campaign does not ask for
	w           *world
	scopes      []string

	mu      sync.Mutex
	repos   []*forge.Repository
	pulls   []*fakePull
	times   []time.Time // of content that was made
	perHour int         // 0 = no limit
	perMin  int
	refused int                     // requests over a limit
	spoils  bool                    // commits that it makes have other files
	before  func(what string) error // called before each pull request is made, and after; may be nil
	after   func(what string) error
}

type fakePull struct {
	forge.Standing
	repo         int64
	branch, base string
}

func newFakeForge(w *world) *fakeForge { return &fakeForge{w: w, scopes: []string{"repo", "workflow"}} }

func (f *fakeForge) add(name string) *forge.Repository {
	r := &forge.Repository{ID: int64(1000 + len(f.repos)), Name: name, Default: "main", Size: 10, Push: true}
	f.repos = append(f.repos, r)
	return r
}

func (f *fakeForge) repo(name string) *forge.Repository {
	for _, r := range f.repos {
		if r.Name == name {
			return r
		}
	}
	return nil
}

// rename is what a person does; the old name leads nowhere here.
func (f *fakeForge) rename(from, to string) {
	f.repo(from).Name = to
	if err := os.Rename(f.w.bare(from), f.w.bare(to)); err != nil {
		f.w.t.Fatal(err)
	}
}

func (f *fakeForge) Repositories(context.Context, string) ([]forge.Repository, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	var list []forge.Repository
	for _, r := range f.repos {
		list = append(list, *r)
	}
	return list, nil
}

func (f *fakeForge) Named(_ context.Context, name string) (forge.Repository, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if r := f.repo(name); r != nil {
		return *r, nil
	}
	return forge.Repository{}, wire.ErrNotFound
}

func (f *fakeForge) ByID(_ context.Context, id int64) (forge.Repository, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, r := range f.repos {
		if r.ID == id {
			return *r, nil
		}
	}
	return forge.Repository{}, wire.ErrNotFound
}

// head is the commit of a branch, as git's server has it.
func (f *fakeForge) head(repo int64, branch string) string {
	for _, r := range f.repos {
		if r.ID == repo {
			bare := f.w.bare(r.Name)
			if data, err := os.ReadFile(filepath.Join(bare, "refs/heads", filepath.FromSlash(branch))); err == nil {
				return strings.TrimSpace(string(data))
			}
		}
	}
	return ""
}

func (f *fakeForge) fresh(p *fakePull) forge.Standing {
	if h := f.head(p.repo, p.branch); h != "" && p.Open {
		p.Head = h
	}
	return p.Standing
}

func (f *fakeForge) Pulls(_ context.Context, name, branch string) ([]forge.Pull, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	r := f.repo(name)
	if r == nil {
		return nil, wire.ErrNotFound
	}
	var list []forge.Pull
	for _, p := range slices.Backward(f.pulls) {
		if p.repo == r.ID && p.branch == branch {
			list = append(list, f.fresh(p).Pull)
		}
	}
	return list, nil
}

func (f *fakeForge) Contains(_ context.Context, name, base, head string) (bool, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.repo(name) == nil {
		return false, wire.ErrNotFound
	}
	return strings.Contains(f.w.git(f.w.bare(name), "rev-list", head), base), nil
}

// limited counts content, and refuses what is above a limit.
func (f *fakeForge) limited() error {
	now := f.w.clock()
	minute, hour := 0, 0
	for _, t := range f.times {
		if now.Sub(t) < time.Minute {
			minute++
		}
		if now.Sub(t) < time.Hour {
			hour++
		}
	}
	if f.perMin > 0 && minute >= f.perMin || f.perHour > 0 && hour >= f.perHour {
		f.refused++
		return &wire.RateError{Secondary: true}
	}
	f.times = append(f.times, now)
	return nil
}

func (f *fakeForge) CreatePull(_ context.Context, name, head, base, _, _ string) (forge.Pull, error) {
	if f.before != nil {
		if err := f.before("create " + name); err != nil {
			return forge.Pull{}, err
		}
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	_, branch, _ := strings.Cut(head, ":")
	r := f.repo(name)
	if r == nil {
		return forge.Pull{}, wire.ErrNotFound
	}
	for _, p := range f.pulls {
		if p.repo == r.ID && p.branch == branch && p.Open {
			return forge.Pull{}, fmt.Errorf("422: %w", forge.ErrExists)
		}
	}
	if f.head(r.ID, branch) == "" {
		return forge.Pull{}, &forge.Error{Status: 422, Text: "head: invalid"}
	}
	if err := f.limited(); err != nil {
		return forge.Pull{}, err
	}
	p := &fakePull{Standing: forge.Standing{Pull: forge.Pull{Number: len(f.pulls) + 1, Node: fmt.Sprint("PR_", len(f.pulls)+1), URL: "https://forge.invalid/" + name, Open: true}, Checks: forge.CheckQueued}, repo: r.ID, branch: branch, base: base}
	f.pulls = append(f.pulls, p)
	if f.after != nil {
		if err := f.after("create " + name); err != nil {
			return forge.Pull{}, err
		}
	}
	return f.fresh(p).Pull, nil
}

// Commit makes a commit as a forge does: by its own name, at its own time. It
// makes no programs.
func (f *fakeForge) Commit(ctx context.Context, name string, c forge.NewCommit) (string, error) {
	if f.before != nil {
		if err := f.before("commit " + name); err != nil {
			return "", err
		}
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	r := f.repo(name)
	if got := f.head(r.ID, c.Branch); got != c.Base {
		return "", &forge.Error{Status: 422, Text: "Expected branch to point to " + c.Base + " but it points to " + got}
	}
	if err := f.limited(); err != nil {
		return "", err
	}
	local, done, err := git.Scratch(ctx, "file://"+f.w.bare(name), false)
	if err != nil {
		return "", err
	}
	defer done() //nolint:errcheck // a test's folder
	var changes []git.Change
	for _, a := range c.Add {
		changes = append(changes, git.Change{Path: a.Path, Data: a.Data})
	}
	if f.spoils {
		changes = append(changes, git.Change{Path: "more.yaml", Data: []byte("x\n")})
	}
	for _, path := range c.Delete {
		changes = append(changes, git.Change{Path: path, Delete: true})
	}
	if err := local.FetchCommits(ctx, c.Base); err != nil {
		return "", err
	}
	tree, err := local.WriteTree(ctx, c.Base, changes)
	if err != nil {
		return "", err
	}
	hash, err := local.CommitTree(ctx, git.NewCommit{Tree: tree, Parents: []string{c.Base}, Message: c.Message, Author: git.Identity{Name: "forge", Email: "forge@x"}, Time: f.w.clock()})
	if err != nil {
		return "", err
	}
	if err := local.Push(ctx, "file://"+f.w.bare(name), git.Update{Ref: "refs/heads/" + c.Branch, Old: c.Base, New: hash}); err != nil {
		return "", err
	}
	if f.after != nil {
		if err := f.after("commit " + name); err != nil {
			return "", err
		}
	}
	return hash, nil
}

func (f *fakeForge) Standings(_ context.Context, nodes []string) ([]forge.Standing, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if len(nodes) > 100 {
		return nil, &forge.Error{Status: 422, Text: "too many nodes"}
	}
	var list []forge.Standing
	for _, p := range f.pulls {
		if slices.Contains(nodes, p.Node) {
			list = append(list, f.fresh(p))
		}
	}
	return list, nil
}

func (f *fakeForge) Scopes(context.Context) ([]string, error) { return f.scopes, nil }

// pull is the newest pull request of a repository.
func (f *fakeForge) pull(name string) *fakePull {
	r := f.repo(name)
	for _, p := range slices.Backward(f.pulls) {
		if p.repo == r.ID {
			return p
		}
	}
	f.w.t.Fatalf("no pull request of %s", name)
	return nil
}
