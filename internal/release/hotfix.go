package release

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"golang.org/x/mod/semver"

	"github.com/project-codeflare/cfctl/internal/git"
	"github.com/project-codeflare/cfctl/internal/stack"
)

// nextPatch is the next version of the z stream: v1.2.3 after v1.2.2.
func nextPatch(version string) (string, error) {
	if err := checkVersion("hotfix", version); err != nil {
		return "", err
	}
	if semver.Prerelease(version) != "" {
		return "", fmt.Errorf("hotfix: %s is a pre-release, which has no z stream", version)
	}
	i := strings.LastIndexByte(version, '.')
	z, err := strconv.Atoi(version[i+1:])
	if err != nil {
		return "", err
	}
	return version[:i+1] + strconv.Itoa(z+1), nil
}

// NewHotfix is the train of an out-of-band release: "we will follow the normal
// release process, bumping up the z stream version for Project CodeFlare as
// well as the related component" (ADR-0003). of is the release that is fixed,
// versions are its versions; the next free z is taken for the component and
// for the stack.
func NewHotfix(ctx context.Context, s *stack.Stack, r *Recipe, remotes GitReader, component, of, branch string, versions map[string]string) (*Train, error) {
	c, err := s.Lookup(component)
	if err != nil {
		return nil, err
	}
	if !r.releases(c.Name) {
		return nil, fmt.Errorf("%s is not released with the stack", c.Name)
	}
	next := map[string]string{}
	for name, v := range versions {
		next[name] = v
	}
	root := s.RootComponent()
	for _, x := range []*stack.Component{c, root} {
		from := versions[x.Name]
		if x.Name == root.Name {
			from = of
		}
		h, err := remotes.Heads(ctx, x.Repository)
		if err != nil {
			return nil, err
		}
		head := h.Branches[strings.ReplaceAll(branch, "{minor}", semver.MajorMinor(from))]
		if next[x.Name], err = nextFree(x, from, head, h.Tags); err != nil {
			return nil, err
		}
	}
	return Compile(s, r, next[root.Name], next, &Hotfix{Component: c.Name, Branch: branch})
}

// nextFree is the z after the highest one on the same minor line; the highest
// itself, when it is newer than from and stands at the head of the release
// branch: then it is this very fix, of a run that was broken off.
func nextFree(c *stack.Component, from, head string, tags map[string]git.Ref) (string, error) {
	top := from
	for tag := range tags {
		if v, ok := c.VersionOfTag(tag); ok && semver.MajorMinor(v) == semver.MajorMinor(from) && semver.Compare(v, top) > 0 {
			top = v
		}
	}
	if top != from && head != "" && tags[c.TagOf(top)].Commit == head {
		return top, nil
	}
	return nextPatch(top)
}

// Fixes lists, for the component and the root, what the hotfix brings: the
// commits on the release branch that the release before does not have, newest
// first, "abc1234 subject".
func (t *Train) Fixes(ctx context.Context, history GitReader) (map[string][]string, error) {
	fixes := map[string][]string{}
	for _, c := range t.released() {
		h, err := history.Heads(ctx, c.Repository)
		if err != nil {
			return nil, err
		}
		head, last := h.Branches[t.branch(c)], newest(c, h.Tags, t.Versions[c.Name])
		if head == "" {
			return nil, fmt.Errorf("%s has no branch %s", c.Repository, t.branch(c))
		}
		if last == "" {
			continue
		}
		log, err := history.Log(ctx, c.Repository, h.Tags[c.TagOf(last)].Commit, head)
		if err != nil {
			return nil, err
		}
		for _, commit := range log {
			fixes[c.Name] = append(fixes[c.Name], commit.Hash[:7]+" "+commit.Subject)
		}
	}
	return fixes, nil
}

// Log implements GitReader. It fetches commits without their files.
func (r *Remotes) Log(ctx context.Context, repo, from, to string) ([]git.Commit, error) {
	var list []git.Commit
	err := r.with(ctx, repo+historyOf, "", true, func(local *git.Repo) error {
		if err := r.read(ctx, func(ctx context.Context) error { return local.FetchHistory(ctx, from, to) }); err != nil {
			return err
		}
		var err error
		list, err = local.Log(ctx, from, to)
		return err
	})
	return list, err
}
