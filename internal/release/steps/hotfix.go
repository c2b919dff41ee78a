package steps

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/mod/semver"

	"github.com/project-codeflare/cfctl/internal/git"
	"github.com/project-codeflare/cfctl/internal/lists"
	"github.com/project-codeflare/cfctl/internal/matrix"
	"github.com/project-codeflare/cfctl/internal/release/ports"
	"github.com/project-codeflare/cfctl/internal/release/recipe"
	"github.com/project-codeflare/cfctl/internal/stack"
)

// NextPatch is the next version of the z stream: v1.2.3 after v1.2.2.
func NextPatch(version string) (string, error) {
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
// for the stack. Where the stack has a newer z already, of is refused with a
// *LaterError: a further fix is one of that release, which has the fixes before it.
func NewHotfix(ctx context.Context, s *stack.Stack, r *recipe.Recipe, remotes ports.GitReader, component, of, branch string, versions map[string]string) (*Train, error) {
	c, err := s.Lookup(component)
	if err != nil {
		return nil, err
	}
	if !r.Releases(c.Name) {
		return nil, fmt.Errorf("%s is not released with the stack", c.Name)
	}
	root := s.RootComponent()
	if c == root {
		versions = maps.Clone(versions)
		versions[root.Name] = of
	}
	fix, err := lineOf(ctx, remotes, c, versions[c.Name], branch)
	if err != nil {
		return nil, err
	}
	whole, err := lineOf(ctx, remotes, root, of, branch)
	if err != nil {
		return nil, err
	}
	first, err := NextPatch(of)
	if err != nil {
		return nil, err
	}
	if whole.top != of && (!fix.begun || !whole.begun || whole.top != first) {
		return nil, &LaterError{of, whole.top}
	}
	next := maps.Clone(versions)
	if next[root.Name], err = whole.next(); err != nil {
		return nil, err
	}
	if next[c.Name], err = fix.next(); err != nil {
		return nil, err
	}
	return Compile(s, r, next[root.Name], next, &Hotfix{Component: c.Name, Branch: branch})
}

// A LaterError says that a release is not the newest of its line any more.
type LaterError struct{ of, Newest string }

func (e *LaterError) Error() string {
	return fmt.Sprintf("%s is not the newest of its line: %s is released, and a further fix is one of that", e.of, e.Newest)
}

// A patchLine is how far the patch releases of a minor line have come.
type patchLine struct {
	top   string // highest version that has a tag; the one that is fixed when there is none
	begun bool   // top is newer than what is fixed, and is at the head of the release branch: it is this very fix, of a run before
}

// lineOf reads the line of a component's version.
func lineOf(ctx context.Context, remotes ports.GitReader, c *stack.Component, from, branch string) (patchLine, error) {
	h, err := remotes.Heads(ctx, c.Repository)
	if err != nil {
		return patchLine{}, err
	}
	line := patchLine{top: from}
	for _, tag := range slices.Sorted(maps.Keys(h.Tags)) {
		if v, ok := c.VersionOfTag(tag); ok && semver.MajorMinor(v) == semver.MajorMinor(from) && semver.Compare(v, line.top) > 0 {
			line.top = v
		}
	}
	head := h.Branches[strings.ReplaceAll(branch, "{minor}", semver.MajorMinor(from))]
	line.begun = line.top != from && head != "" && h.Tags[c.TagOf(line.top)].Commit == head
	return line, nil
}

// next is the version of the fix.
func (l patchLine) next() (string, error) {
	if l.begun {
		return l.top, nil
	}
	return NextPatch(l.top)
}

// Fixes lists, for the component and the root, what the hotfix brings: the
// commits on the release branch that the release before does not have, newest
// first, "abc1234 subject".
func (t *Train) Fixes(ctx context.Context, history ports.GitReader) (map[string][]string, error) {
	fixes := map[string][]string{}
	for _, c := range t.Released() {
		h, err := history.Heads(ctx, c.Repository)
		if err != nil {
			return nil, err
		}
		head, last := h.Branches[t.Branch(c)], matrix.Newest(c, h.Tags, t.Versions[c.Name])
		if head == "" {
			return nil, &recipe.BranchError{Repository: c.Repository, Branch: t.Branch(c), Flag: "--branch"}
		}
		if last == "" {
			continue
		}
		log, err := history.Log(ctx, c.Repository, h.Tags[c.TagOf(last)].Commit, head)
		if err != nil {
			return nil, err
		}
		fixes[c.Name] = append(fixes[c.Name], lists.Of(log, func(c git.Commit) string { return c.Hash[:7] + " " + c.Subject })...)
	}
	return fixes, nil
}
