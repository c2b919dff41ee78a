// Package release drives the release of a stack of components as a train of
// steps (ADR PCF-ADR-0003) that can be stopped at any moment and run again.
//
// The flow: a Train is a version with the Stack and the Recipe it is made by;
// steps.go lists its Steps. Every step first observes the actual state (done,
// missing, waiting, conflict) and acts only on what is missing; then it is
// observed again, which proves it. The actual state is the state; the Journal is the
// evidence. Observing gets a View, which can only read; acting gets a Writer.
// Plan observes every step; Run also acts; Status reads the journal alone.
package release

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"

	"golang.org/x/mod/semver"

	"github.com/project-codeflare/cfctl/internal/matrix"
	"github.com/project-codeflare/cfctl/internal/stack"
	"github.com/project-codeflare/cfctl/internal/train"
	"github.com/project-codeflare/cfctl/internal/versions"
)

// A Train is one release of a stack.
type Train struct {
	stack    *stack.Stack
	recipe   *Recipe
	Version  string            // of the stack: "v1.2.0"
	Versions map[string]string // component to version, for every component of this release that has one; the root's is Version
	hotfix   *Hotfix           // nil for the release of a sprint
	Sprint   matrix.Sprint     // the calendar, whose code freezes are told; zero = none
	Matrix   *matrix.Config    // the declared matrix, whose rules the proposed tree is held to; nil = none is declared
	Bundle   BundleMaker       // makes the bundle for the catalog; needed when the recipe has one
	Tool     string            // version of the cfctl that drives it, for the journal; empty = not known

	compiled atomic.Pointer[made]
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
func Compile(s *stack.Stack, r *Recipe, version string, versions map[string]string, hotfix *Hotfix) (*Train, error) {
	t, err := newTrain(s, r, version, versions)
	if err != nil {
		return nil, err
	}
	t.hotfix = hotfix
	if err := errors.Join(r.checkSteps("", s), train.Check(t.Steps())); err != nil {
		return nil, err
	}
	return t, nil
}

func newTrain(s *stack.Stack, r *Recipe, version string, versions map[string]string) (*Train, error) {
	t := &Train{stack: s, recipe: r, Version: version, Versions: map[string]string{}}
	if err := checkVersion("release", version); err != nil {
		return nil, err
	}
	if t.pre() {
		t.recipe = r.forPreRelease()
	}
	for name, v := range versions {
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
	for _, c := range t.released() {
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

// forPreRelease is the recipe without the steps that a pre-release must not
// take: users of a channel, of the stable tag and of downstream documents get
// none.
func (r *Recipe) forPreRelease() *Recipe {
	pre := *r
	pre.Catalog, pre.Stable, pre.Downstream = nil, "-", nil
	return &pre
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

// root is the component whose version is the stack's.
func (t *Train) root() *stack.Component { return t.stack.RootComponent() }

// released lists the components that this train tags, each after those that it
// needs, the root last. The others of the stack (KubeRay, Kueue) are only
// referred to.
func (t *Train) released() []*stack.Component {
	return slices.DeleteFunc(t.stack.InOrder(t.Version), func(c *stack.Component) bool { return c != t.root() && !t.releases(c) })
}

// releases says whether this train tags a component.
func (t *Train) releases(c *stack.Component) bool {
	in := slices.Contains(t.stack.At(t.Version), c) && t.build(c) != nil
	return in && (t.hotfix == nil || t.hotfix.Component == c.Name || c == t.root())
}

// build is how a component is released in this train; nil = it is not.
func (t *Train) build(c *stack.Component) *Build { return t.recipe.build(c.Name, t.Version) }

// image is the reference of a component's image at its version; empty when it
// has none, or when no one builds one.
func (t *Train) image(c *stack.Component) string {
	if b := t.build(c); b != nil && b.Image == "none" {
		return ""
	}
	return c.ImageOf(t.Versions[c.Name])
}

// tag is the release tag of a component in this train.
func (t *Train) tag(c *stack.Component) string { return c.TagOf(t.Versions[c.Name]) }

// branch is the branch that a component is released from.
func (t *Train) branch(c *stack.Component) string {
	if t.hotfix != nil {
		return strings.ReplaceAll(t.hotfix.Branch, "{minor}", semver.MajorMinor(t.Versions[c.Name]))
	}
	if b := t.build(c); b != nil {
		return b.Branch
	}
	return "main"
}

// work is the branch that the train's changes to a repository are proposed from.
func (t *Train) work() string { return t.recipe.Prefix + t.Version }

// Title names the release for display: "CodeFlare Stack v1.2.0".
func (t *Train) Title() string {
	return strings.TrimSpace(t.stack.Name + " " + t.Version)
}

// bare is a version without its leading "v".
func bare(v string) string { return strings.TrimPrefix(v, "v") }

// fill replaces {version} and the like in a template of the recipe.
func (t *Train) fill(template string, more ...string) string {
	pairs := append([]string{"{version}", bare(t.Version), "{release}", t.Version, "{stack}", t.stack.Name}, more...)
	return strings.NewReplacer(pairs...).Replace(template)
}

// pins lists "component version" of everything in this release, in table order.
func (t *Train) pins() []string {
	var list []string
	for _, c := range t.stack.At(t.Version) {
		if v := t.Versions[c.Name]; v != "" {
			list = append(list, c.Name+" "+v)
		}
	}
	return list
}

// Steps are the steps of the train in an order in which each comes after all
// that it needs.
func (t *Train) Steps() []*Step { return t.made().steps }

// made is what steps.go makes of the train, once.
func (t *Train) made() *made {
	if m := t.compiled.Load(); m != nil {
		return m
	}
	m := makeSteps(t)
	t.compiled.Store(m)
	return m
}

// compact drops empty strings.
func compact(list ...string) []string {
	return slices.DeleteFunc(list, func(s string) bool { return s == "" })
}

// A BranchError says that a repository does not have a branch that a release starts
// from or goes to.
type BranchError struct {
	Repository, Branch string
	Default            string // branch of the repository; empty = it does not say
	Flag               string // of the command that names the branch; empty = the configuration does
}

func (e *BranchError) Error() string {
	text := fmt.Sprintf("%s has no branch %s", e.Repository, e.Branch)
	if e.Default != "" {
		text += ": its default branch is " + e.Default
	}
	return text
}

// Hint is what to do about it.
func (e *BranchError) Hint() string {
	if e.Flag != "" {
		return "push the branch; or name another one: " + e.Flag + " " + cmp.Or(e.Default, "BRANCH")
	}
	if e.Default != "" {
		return "push the branch; or set branch: " + e.Default + " for " + e.Repository + " in " + configFile + " (release.components, catalog or downstream; default main)"
	}
	return "push the branch; or set the branch in " + configFile + " (release.components, catalog or downstream)"
}

// noBranch is the error of a repository without a branch, with the one that it has by
// default. What cannot be asked is left out.
func (v *View) noBranch(ctx context.Context, repo, branch string) *BranchError {
	e := &BranchError{Repository: repo, Branch: branch}
	if name, err := v.git.DefaultBranch(ctx, repo); err == nil && name != branch {
		e.Default = name
	}
	return e
}

// branchless is the observation of a step whose branch is not there.
func (v *View) branchless(ctx context.Context, repo, branch string) observation {
	return v.noBranch(ctx, repo, branch).stop()
}

func (e *BranchError) stop() observation {
	return conflict(whyNoBranch, "%s", e.Error()).By("a maintainer of " + e.Repository + ", or you: " + e.Hint())
}
