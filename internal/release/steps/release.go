// Package steps has the steps of a release, and what they read and write with.
package steps

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync/atomic"

	"golang.org/x/mod/semver"

	"github.com/project-codeflare/cfctl/internal/matrix"
	"github.com/project-codeflare/cfctl/internal/release/recipe"
	"github.com/project-codeflare/cfctl/internal/release/why"
	"github.com/project-codeflare/cfctl/internal/stack"
	"github.com/project-codeflare/cfctl/internal/train"
	"github.com/project-codeflare/cfctl/internal/versions"
)

// A Train is one release of a stack.
type Train struct {
	Stack    *stack.Stack
	Recipe   *recipe.Recipe
	Version  string            // of the stack: "v1.2.0"
	Versions map[string]string // component to version, for every component of this release that has one; the root's is Version
	Hotfix   *Hotfix           // nil for the release of a sprint
	Sprint   matrix.Sprint     // the calendar, whose code freezes are told; zero = none
	Matrix   *matrix.Config    // the declared matrix, whose rules the proposed tree is held to; nil = none is declared
	Bundle   BundleMaker       // makes the bundle for the catalog; needed when the recipe has one
	Tool     string            // version of the cfctl that drives it, for the journal; empty = not known

	compiled atomic.Pointer[Steps]
}

// A Hotfix narrows a train to the z stream: the component is released from
// Branch, and so is the root. Components other than these two keep the
// versions that they have.
type Hotfix struct {
	Component string `json:"component"` // name; the root's own is allowed
	Branch    string `json:"branch"`    // in the repositories of the component and of the root, with {minor}: "release-{minor}"
}

// Compile makes the train of a version. It checks the versions before anything
// else does: each must be a semantic version, belong to a component of the
// stack, and be able to be a tag. Then the steps: each has a name of its own and
// comes after all that it needs, and each gate is before steps that some
// release has. hotfix is nil for the release of a sprint.
func Compile(s *stack.Stack, r *recipe.Recipe, version string, versions map[string]string, hotfix *Hotfix) (*Train, error) {
	t, err := NewTrain(s, r, version, versions)
	if err != nil {
		return nil, err
	}
	t.Hotfix = hotfix
	if err := errors.Join(checkSteps(r, "", s), train.Check(t.Steps())); err != nil {
		return nil, err
	}
	return t, nil
}

// NewTrain is Compile without the check of the steps.
func NewTrain(s *stack.Stack, r *recipe.Recipe, version string, versions map[string]string) (*Train, error) {
	t := &Train{Stack: s, Recipe: r, Version: version, Versions: map[string]string{}}
	if err := checkVersion("release", version); err != nil {
		return nil, err
	}
	if t.pre() {
		t.Recipe = r.ForPreRelease()
	}
	for _, name := range slices.Sorted(maps.Keys(versions)) {
		v := versions[name]
		c, err := s.Lookup(name)
		if err != nil {
			return nil, &RetiredError{name, version, err}
		}
		if err := checkVersion(c.Name, v); err != nil {
			return nil, err
		}
		t.Versions[c.Name] = v
	}
	root := s.RootComponent()
	if v, ok := t.Versions[root.Name]; ok && v != version {
		return nil, fmt.Errorf("%s is %s and the release is %s: the root component has the version of the stack", root.Name, v, version)
	}
	t.Versions[root.Name] = version
	for _, c := range t.Released() {
		if t.Versions[c.Name] == "" {
			return nil, fmt.Errorf("no version of %s is known for release %s", c.Name, version)
		}
	}
	return t, nil
}

// A RetiredError says that a release has a component that the stack does not know.
type RetiredError struct {
	Component string
	release   string
	err       error
}

func (e *RetiredError) Error() string { return fmt.Sprintf("release %s: %v", e.release, e.err) }
func (e *RetiredError) Unwrap() error { return e.err }

// Hint is what to do about it.
func (e *RetiredError) Hint() string {
	return "keep " + e.Component + " in stack.components, and in release.components where it was released, with until: VERSION, the first release without it"
}

// checkVersion refuses what is no release version: "v.0.0.7", "0.1", "v1".
func checkVersion(of, v string) error {
	if !versions.IsVersion(v) {
		return fmt.Errorf("%s: %q is not a semantic version of the form vMAJOR.MINOR.PATCH", of, v)
	}
	if semver.Build(v) != "" {
		return fmt.Errorf("%s: version %q has build metadata, which no image tag can carry", of, v)
	}
	return nil
}

// Root is the component whose version is the stack's.
func (t *Train) Root() *stack.Component { return t.Stack.RootComponent() }

// Released lists the components that this train tags, each after those that it
// needs, the root last. The others of the stack (KubeRay, Kueue) are only
// referred to.
func (t *Train) Released() []*stack.Component {
	return slices.DeleteFunc(t.Stack.InOrder(t.Version), func(c *stack.Component) bool { return c != t.Root() && !t.Releases(c) })
}

// Releases says whether this train tags a component.
func (t *Train) Releases(c *stack.Component) bool {
	in := slices.Contains(t.Stack.At(t.Version), c) && t.Build(c) != nil
	return in && (t.Hotfix == nil || t.Hotfix.Component == c.Name || c == t.Root())
}

// Build is how a component is released in this train; nil = it is not.
func (t *Train) Build(c *stack.Component) *recipe.Build { return t.Recipe.Build(c.Name, t.Version) }

// Image is the reference of a component's image at its version; empty when it
// has none, or when no one builds one.
func (t *Train) Image(c *stack.Component) string {
	if b := t.Build(c); b != nil && b.Image == "none" {
		return ""
	}
	return c.ImageOf(t.Versions[c.Name])
}

// Tag is the release tag of a component in this train.
func (t *Train) Tag(c *stack.Component) string { return c.TagOf(t.Versions[c.Name]) }

// Branch is the branch that a component is released from.
func (t *Train) Branch(c *stack.Component) string {
	if t.Hotfix != nil {
		return strings.ReplaceAll(t.Hotfix.Branch, "{minor}", semver.MajorMinor(t.Versions[c.Name]))
	}
	if b := t.Build(c); b != nil {
		return b.Branch
	}
	return "main"
}

// Work is the branch that the train's changes to a repository are proposed from.
func (t *Train) Work() string { return t.Recipe.Prefix + t.Version }

// Title names the release for display: "CodeFlare Stack v1.2.0".
func (t *Train) Title() string {
	return strings.TrimSpace(t.Stack.Name + " " + t.Version)
}

// Bare is a version without its leading "v".
func Bare(v string) string { return strings.TrimPrefix(v, "v") }

// Fill replaces {version} and the like in a template of the recipe.
func (t *Train) Fill(template string, more ...string) string {
	pairs := append([]string{"{version}", Bare(t.Version), "{release}", t.Version, "{stack}", t.Stack.Name}, more...)
	return strings.NewReplacer(pairs...).Replace(template)
}

// Pins lists "component version" of everything in this release, in table order.
func (t *Train) Pins() []string {
	var list []string
	for _, c := range t.Stack.At(t.Version) {
		if v := t.Versions[c.Name]; v != "" {
			list = append(list, c.Name+" "+v)
		}
	}
	return list
}

// Steps are the steps of the train in an order in which each comes after all
// that it needs.
func (t *Train) Steps() []*Step { return t.Made().Steps }

// Made is what steps.go makes of the train, once.
func (t *Train) Made() *Steps {
	if m := t.compiled.Load(); m != nil {
		return m
	}
	m := MakeSteps(t)
	t.compiled.Store(m)
	return m
}

// branchless is the observation of a step whose branch is not there.
func (v *View) branchless(ctx context.Context, repo, branch string) Observation {
	return branchStop(recipe.NoBranch(ctx, v.Git, repo, branch))
}

func branchStop(e *recipe.BranchError) Observation {
	return conflict(why.NoBranch, "%s", e.Error()).By("a maintainer of " + e.Repository + ", or you: " + e.Hint())
}
