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

	"github.com/project-codeflare/cfctl/internal/git"
)

// A fakeForge is a forge in memory with GitHub's rules: one open pull request
// for each head, limits by the minute and the hour, heads as git has them.
type fakeForge struct {
	w      *world
	scopes []string

	mu      sync.Mutex
	repos   []*RepositoryInfo
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
	Pull
	repo         int64
	branch, base string
}

func newFakeForge(w *world) *fakeForge { return &fakeForge{w: w, scopes: []string{"repo", "workflow"}} }

func (f *fakeForge) add(name string) *RepositoryInfo {
	r := &RepositoryInfo{ID: int64(1000 + len(f.repos)), Name: name, Branch: "main", Size: 10}
	f.repos = append(f.repos, r)
	return r
}

func (f *fakeForge) repo(name string) *RepositoryInfo {
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

func (f *fakeForge) List(context.Context, string) ([]RepositoryInfo, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	var list []RepositoryInfo
	for _, r := range f.repos {
		list = append(list, *r)
	}
	return list, nil
}

func (f *fakeForge) Named(_ context.Context, name string) (RepositoryInfo, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if r := f.repo(name); r != nil {
		return *r, nil
	}
	return RepositoryInfo{}, ErrAbsent
}

func (f *fakeForge) ByID(_ context.Context, id int64) (RepositoryInfo, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, r := range f.repos {
		if r.ID == id {
			return *r, nil
		}
	}
	return RepositoryInfo{}, ErrAbsent
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

func (f *fakeForge) fresh(p *fakePull) Pull {
	if h := f.head(p.repo, p.branch); h != "" && p.State == "open" {
		p.Head = h
	}
	return p.Pull
}

func (f *fakeForge) Pulls(_ context.Context, name, branch string) ([]Pull, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	r := f.repo(name)
	if r == nil {
		return nil, ErrAbsent
	}
	var list []Pull
	for _, p := range slices.Backward(f.pulls) {
		if p.repo == r.ID && p.branch == branch {
			list = append(list, f.fresh(p))
		}
	}
	return list, nil
}

func (f *fakeForge) Contains(_ context.Context, name, base, head string) (bool, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.repo(name) == nil {
		return false, ErrAbsent
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
		return &LimitError{Secondary: true}
	}
	f.times = append(f.times, now)
	return nil
}

func (f *fakeForge) Create(_ context.Context, name string, n NewPull) (Pull, error) {
	if f.before != nil {
		if err := f.before("create " + name); err != nil {
			return Pull{}, err
		}
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	r := f.repo(name)
	if r == nil {
		return Pull{}, ErrAbsent
	}
	for _, p := range f.pulls {
		if p.repo == r.ID && p.branch == n.Branch && p.State == "open" {
			return Pull{}, fmt.Errorf("422: %w", ErrExists)
		}
	}
	if f.head(r.ID, n.Branch) == "" {
		return Pull{}, &RefusedError{"422: head: invalid"}
	}
	if err := f.limited(); err != nil {
		return Pull{}, err
	}
	p := &fakePull{Pull: Pull{Number: len(f.pulls) + 1, Node: fmt.Sprint("PR_", len(f.pulls)+1), URL: "https://forge.invalid/" + name, State: "open", Checks: "pending"}, repo: r.ID, branch: n.Branch, base: n.Base}
	f.pulls = append(f.pulls, p)
	if f.after != nil {
		if err := f.after("create " + name); err != nil {
			return Pull{}, err
		}
	}
	return f.fresh(p), nil
}

// Commit makes a commit as a forge does: by its own name, at its own time. It
// makes no programs.
func (f *fakeForge) Commit(ctx context.Context, name string, c NewCommit) (string, error) {
	if f.before != nil {
		if err := f.before("commit " + name); err != nil {
			return "", err
		}
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	r := f.repo(name)
	if got := f.head(r.ID, c.Branch); got != c.Base {
		return "", &RefusedError{"Expected branch to point to " + c.Base + " but it points to " + got}
	}
	if err := f.limited(); err != nil {
		return "", err
	}
	local, done, err := git.Scratch(ctx, "file://"+f.w.bare(name), false)
	if err != nil {
		return "", err
	}
	defer done() //nolint:errcheck // a test's folder
	changes := slices.Clone(c.Add)
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

func (f *fakeForge) Look(_ context.Context, nodes []string) ([]Pull, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if len(nodes) > 100 {
		return nil, &RefusedError{"too many nodes"}
	}
	var list []Pull
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
