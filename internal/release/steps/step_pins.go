package steps

import (
	"context"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"github.com/project-codeflare/cfctl/internal/forge"
	"github.com/project-codeflare/cfctl/internal/git"
	"github.com/project-codeflare/cfctl/internal/release/bump"
	"github.com/project-codeflare/cfctl/internal/release/ports"
	"github.com/project-codeflare/cfctl/internal/stack"
)

// PinPlaces are the places in a component's repository at which it pins others of
// this release. None: a hotfix, which brings its fix alone; a repository that
// several components of the release share, or the root's, whose PR has all of
// its references.
func (t *Train) PinPlaces(c *stack.Component) []*stack.Place {
	shared := slices.ContainsFunc(t.Released(), func(x *stack.Component) bool { return x != c && x.Repository == c.Repository })
	if t.Hotfix != nil || c == t.Root() || shared {
		return nil
	}
	places := t.Stack.Pins(c, t.Version, t.Releases)
	return slices.DeleteFunc(places, func(p *stack.Place) bool { return t.Versions[t.pinned(p).Name] == "" })
}

// pinned is the component that a place pins.
func (t *Train) pinned(p *stack.Place) *stack.Component {
	c, _ := t.Stack.Component(p.Component)
	return c
}

// stepsPins adds the steps that bring the pins of a component to this release
// before it is tagged: a PR to its repository, with go mod tidy where one of
// them is in go.mod. merged is nil when it pins nothing. A component that is
// tagged already stays as it is.
func stepsPins(t *Train, c *stack.Component, tags map[string]tagging, add func(...*Step)) (p *Proposal, merged *Step) {
	places := t.PinPlaces(c)
	if len(places) == 0 {
		return nil, nil
	}
	p = pinsProposal(t, c, places, t.before(c, tags))
	branch, pull, merged := p.steps()
	add(branch)
	var modules []*stack.Component
	inModule := false
	for _, place := range places {
		x := t.pinned(place)
		inModule = inModule || place.Kind == "go-require"
		if place.Kind == "go-require" && t.Releases(x) {
			modules = append(modules, x)
		}
	}
	if inModule {
		module := tidyStep(p, branch, modules)
		pull.Needs = append(pull.Needs, module)
		add(module)
	}
	add(pull, merged)
	return p, merged
}

// pinsProposal is the PR to a component's repository.
func pinsProposal(t *Train, c *stack.Component, places []*stack.Place, needs []*Step) *Proposal {
	var lines []string
	for _, p := range places {
		x := t.pinned(p)
		lines = append(lines, fmt.Sprintf("- %s %s, %s", x.Name, t.Versions[x.Name], p))
	}
	p := &Proposal{
		train: t, name: c.Name + "-pins", repo: c.Repository, push: c.Repository, base: t.Branch(c),
		title: "Pin the components of " + t.Title(), needs: needs, who: "a maintainer of " + c.Repository,
		body: func(*View) string {
			return "What " + c.Title + " " + t.Versions[c.Name] + " is released with:\n\n" + strings.Join(lines, "\n") + "\n\nMade by `cfctl release run " + t.Version + "`."
		},
	}
	p.changes = func(_ context.Context, _ *View, base ports.Snapshot) ([]git.Change, error) {
		return t.SetPins(c, places, base.Files)
	}
	p.differs = func(_ context.Context, _ *View, tree ports.Snapshot) ([]string, error) {
		changes, err := t.SetPins(c, places, tree.Files)
		if err != nil {
			return []string{err.Error()}, nil //nolint:nilerr // a place that is gone
		}
		return bump.Differences(tree.Files, changes)
	}
	tagged := func(ctx context.Context, v *View) (string, error) {
		h, err := v.Heads(ctx, c.Repository)
		return h.Tags[t.Tag(c)].Commit, err
	}
	p.settled = func(ctx context.Context, v *View, _ string) (string, error) { return tagged(ctx, v) }
	p.standing = func(ctx context.Context, v *View, pull forge.Pull) (bool, error) {
		commit, err := tagged(ctx, v)
		return commit == pull.MergeCommit, err
	}
	return p
}

// SetPins are the files in which a pin is not the version of this release. A
// place that is not found is an error, but for a requirement of go.mod: the
// component imports the other one no more.
func (t *Train) SetPins(c *stack.Component, places []*stack.Place, tree fs.FS) ([]git.Change, error) {
	var matches []bump.Versioned
	for _, p := range places {
		found, err := p.Find(tree)
		if err != nil {
			return nil, err
		}
		if len(found) == 0 && !p.Optional && p.Kind != "go-require" {
			return nil, fmt.Errorf("%s: %s of %s: %w", c.Repository, p, p.Component, stack.ErrNoMatch)
		}
		for _, m := range found {
			matches = append(matches, bump.Versioned{Match: m, Version: t.Versions[t.pinned(p).Name]})
		}
	}
	return bump.Splice(tree, matches)
}
