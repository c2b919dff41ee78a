// Package recipe has the release section of .cfctl.yaml.
package recipe

import (
	"cmp"
	"context"
	_ "embed"
	"errors"
	"fmt"
	"net/mail"
	"slices"
	"strings"
	"time"

	"sigs.k8s.io/kustomize/kyaml/yaml"

	"github.com/project-codeflare/cfctl/internal/git"
	"github.com/project-codeflare/cfctl/internal/lazyregexp"
	"github.com/project-codeflare/cfctl/internal/olm"
	"github.com/project-codeflare/cfctl/internal/release/ports"
	"github.com/project-codeflare/cfctl/internal/release/schedule"
	"github.com/project-codeflare/cfctl/internal/source"
	"github.com/project-codeflare/cfctl/internal/spelling"
	"github.com/project-codeflare/cfctl/internal/stack"
	"github.com/project-codeflare/cfctl/internal/strict"
)

// A Recipe is the `release` section of .cfctl.yaml: how the components of a
// stack are released. What they are is said by the stack itself.
type Recipe struct {
	Forge      Servers           `yaml:"forge"`      // the servers that the release works on
	Prefix     string            `yaml:"prefix"`     // of branches with the train's changes; default "cfctl/release-"
	Sign       string            `yaml:"sign"`       // signatures on tags and commits: auto (when git has a key), always, never; default auto
	Components []Build           `yaml:"components"` // how each component is released
	Stable     string            `yaml:"stable"`     // image tag that is moved last; "-" = none; default "stable"
	Release    Notes             `yaml:"notes"`      // the release on the forge
	Catalog    *Catalog          `yaml:"catalog"`    // the OLM catalog; empty = not published through OLM
	Downstream []Document        `yaml:"downstream"` // repositories downstream whose files name the versions
	Announce   Announce          `yaml:"announce"`   // who is notified of a release
	Approvals  []Approval        `yaml:"approvals"`  // steps that wait for an approval before others go on
	Tests      []Test            `yaml:"tests"`      // that have to be green on what the PR to the root proposes
	Freeze     []schedule.Window `yaml:"freeze"`     // periods in which no release may begin

	// Remind is how long a release may wait before its CI job fails (--fail-on
	// stopped); default 24h.
	Remind time.Duration `yaml:"remind"`
}

// Servers are the addresses of the forge.
type Servers struct {
	Kind string `yaml:"kind"` // what speaks there: github, or gitea (Forgejo too); default github
	API  string `yaml:"api"`  // default https://api.github.com; of kind gitea GIT/api/v1
	Git  string `yaml:"git"`  // default https://github.com; OWNER/NAME.git is appended
}

// The kinds of Servers.
const (
	kindGitHub = "github"
	KindGitea  = "gitea"
)

// Name is what people call a forge of the kind.
func (s *Servers) Name() string {
	if s.Kind == KindGitea {
		return "Gitea"
	}
	return "GitHub"
}

// Complete fills in what was left out; path is for its errors. Gitea has no
// address by itself.
func (s *Servers) Complete(path string) error {
	def(&s.Kind, kindGitHub)
	switch s.Kind {
	case kindGitHub:
		def(&s.API, "https://api.github.com")
		def(&s.Git, "https://github.com")
	case KindGitea:
		if s.Git == "" {
			return &source.Error{Path: path, Err: errors.New("release.forge: a forge of kind gitea has no address by itself"), Hint: "release: {forge: {kind: gitea, git: https://HOST}}, or CFCTL_RELEASE_FORGE_GIT"}
		}
		def(&s.API, strings.TrimSuffix(s.Git, "/")+"/api/v1")
	default:
		e := &source.Error{Path: path, Err: fmt.Errorf("release.forge.kind: %q is not one of github, gitea", s.Kind)}
		if n := spelling.Nearest(s.Kind, []string{kindGitHub, KindGitea}); n != "" {
			e.Hint = "did you mean " + n + "?"
		}
		return e
	}
	return nil
}

// A Build says how one component is released. A component of the stack that
// has none is only referred to, never tagged.
type Build struct {
	Name     string            `yaml:"name"`     // of the component
	By       string            `yaml:"by"`       // tag: pushing the tag is the release (ADR-0003); workflow: a workflow makes it; default tag
	Branch   string            `yaml:"branch"`   // that it is released from; default main
	Workflow string            `yaml:"workflow"` // by workflow: file name, "release.yml"
	Inputs   map[string]string `yaml:"inputs"`   // of the workflow; {version}, {release}, {tag}, {branch}, {component:NAME}
	Image    string            `yaml:"image"`    // none: no image is built, whatever the stack declares; default: the release waits for it
	Unit     []string          `yaml:"unit"`     // checks of its pull requests that are unit tests, * is any text; default: by what the jobs run
	E2E      []string          `yaml:"e2e"`      // the same for end-to-end tests
	From     string            `yaml:"from"`     // first stack release for which this holds; empty = always
	Until    string            `yaml:"until"`    // first stack release for which it does no more; a component can have one entry for each era
}

// Notes say what the release on the forge looks like.
type Notes struct {
	Title string `yaml:"title"` // default "{release}"
	Off   bool   `yaml:"off"`   // no release on the forge, the tag alone
}

// A Catalog is a repository of OLM bundles (community-operators).
type Catalog struct {
	Repository string `yaml:"repository"` // upstream: OWNER/NAME
	Fork       string `yaml:"fork"`       // where the branch is pushed; empty = the repository itself
	Branch     string `yaml:"branch"`     // default main
	Path       string `yaml:"path"`       // folder of the operator: operators/codeflare-operator
	Package    string `yaml:"package"`    // default: the last element of Path
	Title      string `yaml:"title"`      // of the PR and its commit; default "operator {package} ({version})"

	// Templates of a file-based catalog that get the bundle; none = those of the
	// previous bundle (its release-config.yaml).
	Templates []olm.Template `yaml:"templates"`
}

// A Document is a repository downstream whose text names the versions.
type Document struct {
	Name       string        `yaml:"name"`       // default: the repository's
	Repository string        `yaml:"repository"` // upstream: OWNER/NAME
	Fork       string        `yaml:"fork"`       // where the branch is pushed; empty = the repository itself
	Branch     string        `yaml:"branch"`     // default main
	Title      string        `yaml:"title"`      // default "Update to {stack} {release}"
	Days       int           `yaml:"days"`       // after the release in which it must be merged; default 7 (ADR-0003, step 8)
	Places     []stack.Place `yaml:"places"`     // its files that have versions
	From       string        `yaml:"from"`       // first stack release that it names; empty = always
	Until      string        `yaml:"until"`      // first stack release that it names no more; empty = still
}

// An Announce says who is told.
type Announce struct {
	Slack   bool   `yaml:"slack"`   // the webhook's URL is a secret: $CFCTL_SLACK_WEBHOOK
	SMTP    string `yaml:"smtp"`    // host:port, or smtps://HOST:PORT for TLS from the first byte; login: $CFCTL_SMTP_USER, $CFCTL_SMTP_PASSWORD
	From    string `yaml:"from"`    // "CodeFlare releases <releases@example.com>"
	To      string `yaml:"to"`      // comma-separated
	Subject string `yaml:"subject"` // default "{stack} {release} is released"
	Text    string `yaml:"text"`    // Markdown-free text with {stack}, {release}, {url}, {matrix}; default built in
}

// A Test has to be green on the tree that is proposed, before anything of the
// root is tagged: ADR-0003, "we will be testing the latest component versions".
type Test struct {
	Name  string `yaml:"name"`  // the step is tested:NAME; default: the check
	Check string `yaml:"check"` // name of a check that CI runs on the PR
	App   string `yaml:"app"`   // slug of the app that reports the check; empty = any
}

// An Approval is a step at which a maintainer says yes before others go on.
type Approval struct {
	Name   string   `yaml:"name"`   // "publish": the step is approve:publish
	Title  string   `yaml:"title"`  // the question
	Before []string `yaml:"before"` // names of the steps that wait for it

	at []source.Position // of Before's entries, where it was read from a file
}

// UnmarshalYAML also keeps where the names of steps stand.
func (a *Approval) UnmarshalYAML(n *yaml.Node) error {
	type plain Approval
	if err := n.Decode((*plain)(a)); err != nil {
		return err
	}
	if before := strict.Value(n, "before"); before != nil {
		for _, item := range before.Content {
			a.at = append(a.at, source.Position{Line: item.Line, Column: item.Column})
		}
	}
	return nil
}

// At is where an entry of Before stands; zero = it was not read from a file.
func (a *Approval) At(i int) (at source.Position) {
	if i < len(a.at) {
		at = a.at[i]
	}
	return at
}

//go:embed codeflare.yaml
var codeflare []byte

// Default is the built-in recipe: CodeFlare's, over its eras.
func Default() *Recipe {
	var doc struct {
		Release Recipe `yaml:"release"`
	}
	err := strict.Decode("codeflare.yaml", codeflare, &doc)
	if err == nil {
		err = doc.Release.Complete("codeflare.yaml", stack.Default())
	}
	if err != nil {
		panic(err) // embedded: a test reads it
	}
	return &doc.Release
}

// defaultAnnouncement is used when the recipe has no text.
const defaultAnnouncement = `{stack} {release} is released.

{url}

It consists of:
{matrix}`

// Complete fills in what was left out and checks the recipe against its stack, but
// for the names of steps. path is for its errors.
func (r *Recipe) Complete(path string, s *stack.Stack) error {
	if err := r.Forge.Complete(path); err != nil {
		return err
	}
	def(&r.Prefix, "cfctl/release-")
	def(&r.Sign, "auto")
	def(&r.Stable, "stable")
	def(&r.Release.Title, "{release}")
	def(&r.Announce.Subject, "{stack} {release} is released")
	def(&r.Announce.Text, defaultAnnouncement)
	r.Remind = cmp.Or(r.Remind, 24*time.Hour)
	for i := range r.Components {
		def(&r.Components[i].By, "tag")
		def(&r.Components[i].Branch, "main")
	}
	if c := r.Catalog; c != nil {
		def(&c.Branch, "main")
		def(&c.Package, c.Path[strings.LastIndexByte(c.Path, '/')+1:])
		def(&c.Title, "operator {package} ({version})")
	}
	for i := range r.Downstream {
		d := &r.Downstream[i]
		def(&d.Branch, "main")
		def(&d.Name, d.Repository[strings.LastIndexByte(d.Repository, '/')+1:])
		def(&d.Title, "Update to {stack} {release}")
		d.Days = cmp.Or(d.Days, 7)
		for j := range d.Places {
			if err := d.Places[j].Complete(s); err != nil {
				return &source.Error{Path: path, Err: fmt.Errorf("release: downstream %s: %w", d.Name, err)}
			}
		}
	}
	if err := errors.Join(r.completeTests(), r.check(s)); err != nil {
		return &source.Error{Path: path, Err: fmt.Errorf("release: %w", err)}
	}
	return nil
}

func def(s *string, value string) {
	if *s == "" {
		*s = value
	}
}

// check finds what cannot work, before anything is asked of a server.
func (r *Recipe) check(s *stack.Stack) error {
	if !slices.Contains([]string{"auto", "always", "never"}, r.Sign) {
		return fmt.Errorf("sign: %q (known: auto, always, never)", r.Sign)
	}
	if err := r.checkValues(); err != nil {
		return err
	}
	var nowhere []string
	for _, b := range r.Components {
		c, err := s.Lookup(b.Name)
		if err != nil {
			return err
		}
		if c.Repository == "" {
			nowhere = append(nowhere, b.Name)
		}
		switch {
		case b.By != "tag" && b.By != "workflow":
			return fmt.Errorf("component %s: by %q (known: tag, workflow)", b.Name, b.By)
		case b.By == "workflow" && b.Workflow == "":
			return fmt.Errorf("component %s: by workflow, and no workflow is named", b.Name)
		case b.Image != "" && b.Image != "none":
			return fmt.Errorf("component %s: image %q (known: none; which one it is says the stack)", b.Name, b.Image)
		}
	}
	if nowhere != nil {
		return fmt.Errorf("no repository is named of %s: add repository: OWNER/NAME to each in stack.components", strings.Join(nowhere, ", "))
	}
	if !r.Releases(s.Root) {
		return fmt.Errorf("components: the root %s is missing", s.Root)
	}
	if c := r.Catalog; c != nil {
		if c.Repository == "" || c.Path == "" {
			return errors.New("catalog: repository and path are needed")
		}
		for _, t := range c.Templates {
			if t.Name == "" || len(t.Channels) == 0 {
				return errors.New("catalog: a template needs name and channels")
			}
		}
	}
	for _, d := range r.Downstream {
		if d.Repository == "" || len(d.Places) == 0 {
			return errors.New("downstream: repository and places are needed")
		}
	}
	if r.Announce.SMTP != "" {
		if _, err := mail.ParseAddress(r.Announce.From); err != nil {
			return fmt.Errorf("announce: from: %w", err)
		}
		if _, err := mail.ParseAddressList(r.Announce.To); err != nil {
			return fmt.Errorf("announce: to: %w", err)
		}
	}
	return nil
}

// imageTag is the grammar of a tag: opencontainers/distribution-spec, "Pulling
// manifests".
var imageTag = lazyregexp.New(`^[A-Za-z0-9_][A-Za-z0-9._-]{0,127}$`)

// checkValues finds names, days and times that nothing can be made of: else they
// would be found half-way, or be silently without an effect.
func (r *Recipe) checkValues() error {
	if git.CheckTag(context.Background(), r.Prefix+"v0.0.0") != nil { // the rules are those of branches too
		return fmt.Errorf("prefix: %q cannot begin the name of a branch", r.Prefix)
	}
	if r.Stable != "-" && !imageTag.MatchString(r.Stable) {
		return fmt.Errorf("stable: %q cannot be the tag of an image", r.Stable)
	}
	if r.Remind < 0 {
		return fmt.Errorf("remind: %s is less than nothing", r.Remind)
	}
	for _, w := range r.Freeze {
		if !w.Until.After(w.From) {
			return fmt.Errorf("freeze: it is over (until %s) before it begins (from %s)", w.Until.Format(time.RFC3339), w.From.Format(time.RFC3339))
		}
	}
	for _, d := range r.Downstream {
		if d.Days < 0 || d.Days > 366 {
			return fmt.Errorf("downstream %s: days: %d (1 to 366)", d.Name, d.Days)
		}
	}
	return nil
}

// Build is how a component is released with a version of the stack; nil when
// it is not.
func (r *Recipe) Build(name, version string) *Build {
	for i := range r.Components {
		if b := &r.Components[i]; strings.EqualFold(b.Name, name) && stack.InEra(version, b.From, b.Until) {
			return b
		}
	}
	return nil
}

// Releases says whether a component is released with the stack in any era.
func (r *Recipe) Releases(name string) bool {
	return slices.ContainsFunc(r.Components, func(b Build) bool { return strings.EqualFold(b.Name, name) })
}

// completeTests fills in names, and checks that each test is one.
func (r *Recipe) completeTests() error {
	for i := range r.Tests {
		x := &r.Tests[i]
		def(&x.Name, x.Check)
		switch {
		case x.Check == "":
			return fmt.Errorf("test %s: it needs the name of a check (check)", x.Name)
		case strings.ContainsAny(x.Name, " \t\r\n,"):
			return fmt.Errorf("test %q: it needs a name without blanks (name)", x.Name)
		}
	}
	return nil
}

// ForPreRelease is the recipe without the steps that a pre-release must not
// take: users of a channel, of the stable tag and of downstream documents get
// none.
func (r *Recipe) ForPreRelease() *Recipe {
	pre := *r
	pre.Catalog, pre.Stable, pre.Downstream = nil, "-", nil
	return &pre
}

// Released are the components that are released with the stack today.
func (r *Recipe) Released(s *stack.Stack) (list []*stack.Component) {
	for i := range s.Components {
		c := &s.Components[i]
		if b := r.Now(c.Name); b != nil && c.Until == "" {
			list = append(list, c)
		}
	}
	return list
}

// Now is how a component is released today; nil = no more, or not at all.
func (r *Recipe) Now(name string) *Build {
	for i := range r.Components {
		if b := &r.Components[i]; strings.EqualFold(b.Name, name) && b.Until == "" {
			return b
		}
	}
	return nil
}

// HasImage says whether an image of a component is built today.
func (r *Recipe) HasImage(c *stack.Component) bool {
	b := r.Now(c.Name)
	return c.Image.Repository != "" && b != nil && b.Image != "none"
}

// Head is the branch that a component is released from today (its default branch,
// where it is not), and the commit at its head.
func (r *Recipe) Head(ctx context.Context, from ports.GitReader, c *stack.Component) (branch, commit string, err error) {
	if b := r.Now(c.Name); b != nil {
		branch = b.Branch
	} else if branch, err = from.DefaultBranch(ctx, c.Repository); err != nil {
		return "", "", err
	}
	h, err := from.Heads(ctx, c.Repository)
	if err == nil && h.Branches[branch] == "" {
		err = NoBranch(ctx, from, c.Repository, branch)
	}
	return branch, h.Branches[branch], err
}

// BranchOf is the branch that a component is released from; main when it is
// not released with that version of the stack.
func (r *Recipe) BranchOf(component, version string) string {
	if b := r.Build(component, version); b != nil {
		return b.Branch
	}
	return "main"
}
