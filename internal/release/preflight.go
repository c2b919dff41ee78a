package release

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"golang.org/x/mod/semver"
	"sigs.k8s.io/kustomize/kyaml/yaml"

	"github.com/project-codeflare/cfctl/internal/git"
	"github.com/project-codeflare/cfctl/internal/report"
	"github.com/project-codeflare/cfctl/internal/stack"
)

// A check is one thing that has gone wrong in releases and is looked for
// before the first effect of a new one.
type check struct {
	report.Rule
	run func(ctx context.Context, p *preflight) error
}

// checks are run in this order.
var checks = []check{
	{report.Rule{ID: "identity", Doc: "git has an identity to sign off commits with"}, checkIdentity},
	{report.Rule{ID: "signing-key", Doc: "signed tags are asked for, and git has a key"}, checkSigning},
	{report.Rule{ID: "token-scope", Doc: "the token may do what the release does"}, checkToken},
	{report.Rule{ID: "repository", Doc: "every repository is there and can be pushed to"}, checkRepositories},
	{report.Rule{ID: "branch-protection", Doc: "what the branches of the PRs demand can be met"}, checkProtection},
	{report.Rule{ID: "version-order", Doc: "versions are newer than the released ones"}, checkOrder},
	{report.Rule{ID: "tag-conflict", Doc: "the tags are free, under every spelling"}, checkTags},
	{report.Rule{ID: "image-missing", Doc: "images of what is released already are there"}, checkImages},
	{report.Rule{ID: "image-exists", Doc: "no image has the tag of a release that is not tagged"}, checkNoImages},
	{report.Rule{ID: "workflow-inputs", Doc: "workflows take the inputs that they will be given"}, checkWorkflows},
	{report.Rule{ID: "places", Doc: "every place where a version stands is found"}, checkPlaces},
	{report.Rule{ID: "catalog", Doc: "the release before is in the catalog, and this one is not"}, checkCatalog},
	{report.Rule{ID: "bundle", Doc: "the bundle can be made, and has examples for its resources"}, checkBundle},
	{report.Rule{ID: "announcement", Doc: "what is to be announced can be"}, checkAnnouncement},
	{report.Rule{ID: "freeze", Doc: "no freeze is on"}, checkFreeze},
}

// Rules lists the checks of Preflight, for the forms that carry a catalogue.
func Rules() []report.Rule {
	var rules []report.Rule
	for _, c := range checks {
		c.Severity = report.Error
		rules = append(rules, c.Rule)
	}
	return rules
}

// A preflight gathers findings.
type preflight struct {
	*View
	rule     string
	findings []report.Finding
}

func (p *preflight) say(severity report.Severity, component, hint, format string, args ...any) {
	p.findings = append(p.findings, report.Finding{
		Rule: p.rule, Severity: severity, Component: component, Version: p.Train.Versions[component],
		Message: fmt.Sprintf(format, args...), Hint: hint})
}

func (p *preflight) bad(component, hint, format string, args ...any) {
	p.say(report.Error, component, hint, format, args...)
}

// Preflight looks for what would stop the release half-way. Findings of
// severity error must be dealt with first; an error means that the answer is
// not known.
func Preflight(ctx context.Context, v *View) ([]report.Finding, error) {
	p := &preflight{View: v}
	for _, c := range checks {
		p.rule = c.ID
		if err := c.run(ctx, p); err != nil {
			return p.findings, fmt.Errorf("preflight %s: %w", c.ID, err)
		}
	}
	return p.findings, nil
}

func checkIdentity(ctx context.Context, p *preflight) error {
	if _, err := p.Git.Identity(ctx); err != nil {
		p.bad("", "git config --global user.name NAME; git config --global user.email MAIL", "%v: commits cannot be signed off", err)
	}
	return nil
}

func checkSigning(ctx context.Context, p *preflight) error {
	if p.Train.Recipe.Sign == "always" && !p.Git.Signs(ctx) {
		p.bad("", "git config --global user.signingKey KEY", "tags are to be signed, and git has no key")
	}
	return nil
}

func checkToken(ctx context.Context, p *preflight) error {
	who, err := p.account(ctx)
	if refused(err, 401) {
		p.bad("", "set GITHUB_TOKEN, or run gh auth login", "the forge does not take the token: %v", err)
		return nil
	}
	if refused(err, 403) {
		return nil // an app's token has no user: what it may do is seen repository by repository
	}
	if err != nil || who.Scopes == nil {
		return err
	}
	want := []string{"repo"}
	for _, c := range p.Train.released() {
		if p.Train.build(c).By == "workflow" {
			want = []string{"repo", "workflow"}
		}
	}
	for _, scope := range want {
		if !slices.Contains(who.Scopes, scope) && (scope != "repo" || !slices.Contains(who.Scopes, "public_repo")) {
			p.bad("", "gh auth refresh --scopes "+strings.Join(want, ","), "the token of %s lacks the scope %s (it has: %s)", who.Login, scope, strings.Join(who.Scopes, ", "))
		}
	}
	return nil
}

// pushed are the repositories that get pushes, without those whose fork gets them.
func (t *Train) pushed() []string {
	var list []string
	for _, c := range t.released() {
		list = append(list, c.Repository)
	}
	if c := t.Recipe.Catalog; c != nil && c.Fork == "" {
		list = append(list, c.Repository)
	}
	for _, d := range t.Recipe.Downstream {
		if d.Fork == "" {
			list = append(list, d.Repository)
		}
	}
	return list
}

func checkRepositories(ctx context.Context, p *preflight) error {
	for _, repo := range p.Train.pushed() {
		r, err := p.Forge.Repository(ctx, repo)
		switch {
		case errors.Is(err, ErrNotFound):
			p.bad("", "", "%s is not there, or the token may not see it", repo)
		case err != nil:
			return err
		case r.Archived:
			p.bad("", "", "%s is archived", repo)
		case !r.Push:
			p.bad("", "", "the token may not push to %s", repo)
		}
	}
	return nil
}

func checkProtection(ctx context.Context, p *preflight) error {
	t := p.Train
	root := t.root()
	rules, err := p.Forge.Protection(ctx, root.Repository, t.branch(root))
	if err != nil {
		return err
	}
	if rules.Signatures && !p.Git.Signs(ctx) {
		p.bad(root.Name, "git config --global user.signingKey KEY", "%s of %s takes signed commits only, and git has no key", t.branch(root), root.Repository)
	}
	work, err := p.Forge.Protection(ctx, root.Repository, t.work())
	if err != nil {
		return err
	}
	if work.Protected {
		p.bad(root.Name, "set release.prefix to a prefix that no rule matches", "the branch %s of %s is protected: it cannot be pushed", t.work(), root.Repository)
	}
	if need := demands(rules); need != "" {
		p.say(report.Note, root.Name, "", "the PR to %s needs %s", root.Repository, need)
	}
	return nil
}

func demands(r Protection) string {
	var list []string
	if r.Reviews > 0 {
		list = append(list, fmt.Sprintf("%d approving review(s)", r.Reviews))
	}
	if len(r.Checks) > 0 {
		list = append(list, "the checks "+strings.Join(r.Checks, ", "))
	}
	return strings.Join(list, " and ")
}

// checkOrder refuses versions that are not newer than what is released on the
// same line: v1.3.1 of the stack went back from KubeRay v1.1.0 to v1.0.0. A
// hotfix is held against its own minor line.
func checkOrder(ctx context.Context, p *preflight) error {
	for _, c := range p.Train.released() {
		v := p.Train.Versions[c.Name]
		h, err := p.heads(ctx, c.Repository)
		if err != nil {
			return err
		}
		if _, there := h.Tags[p.Train.tag(c)]; there {
			continue // released already: taken as it is
		}
		for tag := range h.Tags {
			have, ok := c.VersionOfTag(tag)
			if !ok || semver.Compare(have, v) <= 0 || semver.Prerelease(have) != "" {
				continue
			}
			if p.Train.Hotfix != nil && semver.MajorMinor(have) != semver.MajorMinor(v) {
				continue
			}
			p.bad(c.Name, "", "%s %s would come after %s, which is higher", c.Name, v, newest(c, h.Tags, ""))
			break
		}
	}
	return nil
}

// checkTags finds tags that mean the same version in another spelling
// ("v.1.2.0", "1.2.0", "vv1.2.0"), and names that git does not take.
func checkTags(ctx context.Context, p *preflight) error {
	for _, c := range p.Train.released() {
		want := p.Train.tag(c)
		if err := git.CheckTag(ctx, want); err != nil {
			p.bad(c.Name, "", "%v", err)
			continue
		}
		h, err := p.heads(ctx, c.Repository)
		if err != nil {
			return err
		}
		for _, tag := range git.Sorted(h.Tags) {
			if tag != want && plainTag(tag) == plainTag(want) {
				p.bad(c.Name, "delete it: git push --delete https://github.com/"+c.Repository+" "+tag, "%s has the tag %s, which spells %s otherwise", c.Repository, tag, want)
			}
		}
		if ref, there := h.Tags[want]; there && c.Name == p.Train.root().Name && !p.merged(ctx) {
			p.bad(c.Name, "", "%s has the tag %s at %.7s already, and the PR of this release is not merged", c.Repository, want, ref.Commit)
		}
	}
	return nil
}

func (p *preflight) merged(ctx context.Context) bool {
	o := operatorProposal(p.Train, nil)
	pull, err := o.pull(ctx, p.View)
	return err == nil && pull.Merged
}

// plainTag drops what people put around a version in a tag.
func plainTag(tag string) string {
	return strings.TrimLeft(strings.ToLower(tag), "v.")
}

// checkImages looks for the images of what is referred to: a tag that is there
// must have its image, else the release would ship a reference to nothing
// (v.0.0.7).
func checkImages(ctx context.Context, p *preflight) error {
	for _, c := range p.Train.Stack.At(p.Train.Version) {
		ref := p.Train.image(c)
		if ref == "" || p.Train.Versions[c.Name] == "" || slices.Contains(p.Train.released(), c) {
			continue
		}
		_, err := p.digest(ctx, ref)
		if errors.Is(err, ErrNotFound) {
			p.bad(c.Name, "", "the image %s is not there", ref)
		} else if err != nil {
			return err
		}
	}
	return nil
}

// checkNoImages finds images that would be taken for the release's own: built
// before its tag, from something else.
func checkNoImages(ctx context.Context, p *preflight) error {
	for _, c := range p.Train.released() {
		ref := p.Train.image(c)
		if ref == "" {
			continue
		}
		h, err := p.heads(ctx, c.Repository)
		if err != nil {
			return err
		}
		if _, tagged := h.Tags[p.Train.tag(c)]; tagged {
			continue
		}
		digest, err := p.digest(ctx, ref)
		switch {
		case errors.Is(err, ErrNotFound):
		case err != nil:
			return err
		default:
			p.bad(c.Name, "delete the image, or take the next version", "the image %s exists (%.19s) before its tag: it was built from something else", ref, digest)
		}
	}
	return nil
}

// checkWorkflows compares the inputs that a workflow declares with those that
// it will be given.
func checkWorkflows(ctx context.Context, p *preflight) error {
	for _, c := range p.Train.released() {
		b := p.Train.build(c)
		if b.By != "workflow" {
			continue
		}
		h, err := p.heads(ctx, c.Repository)
		if err != nil {
			return err
		}
		commit := h.Branches[p.Train.branch(c)]
		if _, there := h.Tags[p.Train.tag(c)]; there || commit == "" {
			continue
		}
		tree, err := p.Git.Tree(ctx, c.Repository, commit, false)
		if err != nil {
			return err
		}
		file := ".github/workflows/" + b.Workflow
		data, err := fs.ReadFile(tree.Files, file)
		if errors.Is(err, fs.ErrNotExist) {
			p.bad(c.Name, "", "%s has no %s on %s", c.Repository, file, p.Train.branch(c))
			continue
		}
		if err != nil {
			return err
		}
		p.compareInputs(c, file, data, p.Train.inputs(c))
	}
	return nil
}

// compareInputs reads `on.workflow_dispatch.inputs`.
func (p *preflight) compareInputs(c *stack.Component, file string, data []byte, given map[string]string) {
	var w struct {
		On struct {
			Dispatch *struct {
				Inputs map[string]struct {
					Required bool   `yaml:"required"`
					Default  string `yaml:"default"`
				} `yaml:"inputs"`
			} `yaml:"workflow_dispatch"`
		} `yaml:"on"`
	}
	if err := yaml.Unmarshal(data, &w); err != nil || w.On.Dispatch == nil {
		p.bad(c.Name, "", "%s of %s cannot be dispatched: it has no workflow_dispatch", file, c.Repository)
		return
	}
	for _, name := range git.Sorted(given) {
		if _, ok := w.On.Dispatch.Inputs[name]; !ok {
			p.bad(c.Name, "", "%s of %s takes no input %q (it takes: %s)", file, c.Repository, name, strings.Join(git.Sorted(w.On.Dispatch.Inputs), ", "))
		}
	}
	for _, name := range git.Sorted(w.On.Dispatch.Inputs) {
		if in := w.On.Dispatch.Inputs[name]; in.Required && in.Default == "" && given[name] == "" {
			p.bad(c.Name, "", "%s of %s wants the input %q, which is not given", file, c.Repository, name)
		}
	}
}

// checkPlaces finds places that match nothing, before a PR is made of them.
func checkPlaces(ctx context.Context, p *preflight) error {
	tree, err := p.rootMain(ctx)
	if err != nil {
		return err
	}
	_, err = p.Train.references(ctx, p.View, tree.Files)
	var transit *TransitError
	switch {
	case err == nil, errors.Is(err, errUnknown):
	case errors.As(err, &transit), ctx.Err() != nil:
		return err
	default:
		p.bad(p.Train.root().Name, "", "%v", err)
	}
	return nil
}

func (v *View) rootMain(ctx context.Context) (Snapshot, error) {
	root := v.Train.root()
	h, err := v.heads(ctx, root.Repository)
	if err != nil {
		return Snapshot{}, err
	}
	commit := h.Branches[v.Train.branch(root)]
	if commit == "" {
		return Snapshot{}, fmt.Errorf("%s has no branch %s", root.Repository, v.Train.branch(root))
	}
	return recall(v, "tree "+root.Repository+" "+commit, func() (Snapshot, error) { return v.Git.Tree(ctx, root.Repository, commit, false) })
}

// catalogMain is the catalog as it is upstream.
func (v *View) catalogMain(ctx context.Context) (Snapshot, error) {
	c := v.Train.Recipe.Catalog
	h, err := v.heads(ctx, c.Repository)
	if err != nil {
		return Snapshot{}, err
	}
	commit := h.Branches[c.Branch]
	if commit == "" {
		return Snapshot{}, fmt.Errorf("%s has no branch %s", c.Repository, c.Branch)
	}
	return recall(v, "tree "+c.Repository+" "+commit, func() (Snapshot, error) { return v.Git.Tree(ctx, c.Repository, commit, true) })
}

// checkCatalog holds the chain of `replaces` against the catalog: the release
// before this one must be in it, else users of that one never get this one.
func checkCatalog(ctx context.Context, p *preflight) error {
	t := p.Train
	if t.Recipe.Catalog == nil {
		return nil
	}
	tree, err := p.catalogMain(ctx)
	if err != nil {
		return err
	}
	have, err := catalogVersions(tree.Files, t.Recipe.Catalog.Path)
	if err != nil {
		return err
	}
	h, err := p.heads(ctx, t.root().Repository)
	if err != nil {
		return err
	}
	last := newest(t.root(), h.Tags, t.Version)
	if last != "" && len(have) > 0 && !slices.Contains(have, last) {
		p.bad(t.root().Name, "finish the release of "+last+" first: cfctl release run "+last,
			"the catalog does not have %s, the release before this one (it has up to %s): the chain of replaces would skip it", last, have[len(have)-1])
	}
	if len(have) > 0 && semver.Compare(have[len(have)-1], t.Version) > 0 && t.Hotfix == nil {
		p.bad(t.root().Name, "", "the catalog has %s, which is higher than %s", have[len(have)-1], t.Version)
	}
	return nil
}

// checkBundle makes the bundle of what main holds now, to see that it can be
// made; its findings (missing alm-examples and the like) come from the maker.
func checkBundle(ctx context.Context, p *preflight) error {
	t := p.Train
	if t.Recipe.Catalog == nil {
		return nil
	}
	tree, err := p.rootMain(ctx)
	if err != nil {
		return err
	}
	files, err := t.Bundle(ctx, tree.Files, BundleRequest{Version: bare(t.Version), Image: t.root().ImageOf(t.Version), CreatedAt: tree.Info.Time})
	if err != nil {
		p.bad(t.root().Name, "", "the bundle cannot be made: %v", err)
		return nil
	}
	findings, err := validate(ctx, files)
	for _, f := range findings {
		if f.Severity == report.Error {
			p.bad(t.root().Name, f.Hint, "bundle: %s (%s)", f.Message, f.Rule)
		}
	}
	return err
}

// checkAnnouncement wants the webhook before the first effect, not at the last
// step. A plan is often made by somebody who does not have it.
func checkAnnouncement(_ context.Context, p *preflight) error {
	severity := report.Error
	if p.planning() {
		severity = report.Warning
	}
	if p.mute {
		p.say(severity, "", "set CFCTL_SLACK_WEBHOOK to the webhook's URL", "the release is to be announced in Slack, and there is no webhook")
	}
	return nil
}

func checkFreeze(_ context.Context, p *preflight) error {
	now := p.Now()
	for _, w := range p.Train.Recipe.Freeze {
		if !now.Before(w.From) && now.Before(w.Until) {
			p.bad("", "wait until "+w.Until.UTC().Format("2006-01-02 15:04 MST"), "a freeze is on: %s", w.Reason)
		}
	}
	return nil
}
