package release

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

// name is what people call a forge of the kind.
func (s *Servers) name() string {
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

//go:embed codeflare.yaml
var codeflare []byte

// DefaultRecipe is the built-in recipe: CodeFlare's, over its eras.
func DefaultRecipe() *Recipe {
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

// Complete fills in what was left out and checks the recipe against its stack.
// It must be called once after decoding; path is for its errors.
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
	return r.checkSteps(path, s)
}

// checkSteps checks the names of steps against the trains that the recipe can
// make, in every era: two steps of one name, and a gate before a step that no
// release has, are errors. A gate with a typing mistake would be no gate.
func (r *Recipe) checkSteps(path string, s *stack.Stack) error {
	var known []string
	for _, era := range r.eras(s) {
		t := &Train{stack: s, recipe: r, Version: era, Versions: map[string]string{}}
		for i := range s.Components {
			t.Versions[s.Components[i].Name] = era
		}
		seen := map[string]bool{}
		for _, name := range stepNames(t) {
			if seen[name] {
				err := fmt.Errorf("release: two steps are called %s: documents and approvals need names (name) of their own", name)
				return &source.Error{Path: path, Err: err}
			}
			seen[name] = true
			if !strings.HasPrefix(name, approvalStep(Approval{})) && !slices.Contains(known, name) {
				known = append(known, name)
			}
		}
	}
	for _, a := range r.Approvals {
		if len(a.Before) == 0 {
			return &source.Error{Path: path, Err: fmt.Errorf("release: approval %s: before which steps (before)?", a.Name)}
		}
		for i, name := range a.Before {
			if slices.Contains(known, name) {
				continue
			}
			e := &source.Error{Path: path, Err: fmt.Errorf("release: approval %s: no release has a step %q", a.Name, name)}
			if i < len(a.at) {
				e.Pos = a.at[i]
			}
			if near := spelling.Nearest(name, known); near != "" {
				e.Hint = fmt.Sprintf("did you mean %q?", near)
			}
			return e
		}
		known = append(known, approvalStep(a)) // a gate is before those that are listed before it
	}
	return nil
}

// eras are versions of the stack, one for each span in which the same
// components, builds, places and documents are declared.
func (r *Recipe) eras(s *stack.Stack) []string {
	list := []string{"v0.0.0"}
	for _, c := range s.Components {
		list = append(list, c.From, c.Until)
	}
	for _, p := range s.Places {
		list = append(list, p.From, p.Until)
	}
	for _, b := range r.Components {
		list = append(list, b.From, b.Until)
	}
	for _, d := range r.Downstream {
		list = append(list, d.From, d.Until)
	}
	list = compact(list...)
	slices.Sort(list)
	return slices.Compact(list)
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
	for _, b := range r.Components {
		if _, err := s.Lookup(b.Name); err != nil {
			return err
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
	if !r.releases(s.Root) {
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

// build is how a component is released with a version of the stack; nil when
// it is not.
func (r *Recipe) build(name, version string) *Build {
	for i := range r.Components {
		if b := &r.Components[i]; strings.EqualFold(b.Name, name) && stack.InEra(version, b.From, b.Until) {
			return b
		}
	}
	return nil
}

// releases says whether a component is released with the stack in any era.
func (r *Recipe) releases(name string) bool {
	return slices.ContainsFunc(r.Components, func(b Build) bool { return strings.EqualFold(b.Name, name) })
}
