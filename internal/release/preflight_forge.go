package release

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/project-codeflare/cfctl/internal/forge"
	"github.com/project-codeflare/cfctl/internal/git"
	"github.com/project-codeflare/cfctl/internal/report"
	"github.com/project-codeflare/cfctl/internal/stack"
	"github.com/project-codeflare/cfctl/internal/wire"
)

func checkIdentity(ctx context.Context, p *preflight) error {
	if _, err := p.Git.Identity(ctx); err != nil {
		p.bad("", "git config --global user.name NAME; git config --global user.email MAIL", "%v: commits cannot be signed off", err)
	}
	return nil
}

func checkSigning(ctx context.Context, p *preflight) error {
	if p.Train.Recipe.Sign == "always" && !p.HasKey(ctx) {
		p.bad("", "git config --global user.signingKey KEY", "tags are to be signed, and git has no key")
	}
	return nil
}

func checkToken(ctx context.Context, p *preflight) error {
	who, err := p.Account(ctx)
	if forge.Refused(err, 401) {
		p.bad("", "set GITHUB_TOKEN, or run gh auth login", "the forge does not take the token: %v", err)
		return nil
	}
	if forge.Refused(err, 403) {
		return nil // an app's token has no user: what it may do is seen repository by repository
	}
	if err != nil || who.Scopes == nil {
		return err
	}
	want := []string{"repo"}
	for _, c := range p.Train.Released() {
		if p.Train.Build(c).By == "workflow" {
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

// A pushedTo is a repository that gets a push, and what to do where that cannot be.
type pushedTo struct{ repo, hint string }

// pushed are the repositories that get pushes, without those whose fork gets them,
// those of components that are tagged already, and those of skipped steps.
func (p *preflight) pushed(ctx context.Context) ([]pushedTo, error) {
	t := p.Train
	var list []pushedTo
	for _, c := range t.Released() {
		h, err := p.Heads(ctx, c.Repository)
		if wire.IgnoreNotFound(err) != nil {
			return nil, err
		}
		if _, tagged := h.Tags[t.Tag(c)]; !tagged || c == t.Root() {
			list = append(list, pushedTo{c.Repository, "a component that is not released any more gets until: " + t.Version + " in stack.components and release.components; its past releases are still known"})
		}
	}
	skip := func(name string) string { return "cfctl release skip " + t.Version + " " + name + " --reason TEXT" }
	if c := t.Recipe.Catalog; c != nil && c.Fork == "" && !p.Skipped("catalog-branch") {
		list = append(list, pushedTo{c.Repository, skip("catalog")})
	}
	for _, d := range t.Recipe.Downstream {
		if d.Fork == "" && stack.InEra(t.Version, d.From, d.Until) && !p.Skipped(d.Name+"-branch") {
			list = append(list, pushedTo{d.Repository, skip(d.Name)})
		}
	}
	return list, nil
}

func checkRepositories(ctx context.Context, p *preflight) error {
	pushed, err := p.pushed(ctx)
	if err != nil {
		return err
	}
	for _, to := range pushed {
		repo := to.repo
		r, err := p.Forge.Repository(ctx, repo)
		switch {
		case errors.Is(err, wire.ErrNotFound):
			p.bad("", "", "%s is not there, or the token may not see it", repo)
		case err != nil:
			return err
		case r.Archived:
			p.bad("", "have it unarchived; or: "+to.hint, "%s is archived", repo)
		case !r.Push:
			p.bad("", "", "the token may not push to %s", repo)
		}
	}
	return nil
}

func checkProtection(ctx context.Context, p *preflight) error {
	t := p.Train
	root := t.Root()
	rules, err := p.Forge.Protection(ctx, root.Repository, t.Branch(root))
	if err != nil {
		return err
	}
	p.wantsSigned(ctx, rules, root.Name, t.Branch(root)+" of "+root.Repository+" takes signed commits only")
	work, err := p.Forge.Protection(ctx, root.Repository, t.Work())
	if err != nil {
		return err
	}
	if work.Protected || work.Creation {
		p.bad(root.Name, "set release.prefix to a prefix that no rule matches", "the branch %s of %s is protected: it cannot be pushed", t.Work(), root.Repository)
	}
	p.wantsSigned(ctx, work, root.Name, t.Work()+" of "+root.Repository+" takes signed commits only")
	if need := demands(rules); need != "" {
		p.say(report.Note, root.Name, "", "the PR to %s needs %s", root.Repository, need)
	}
	return errors.Join(p.checkFree(ctx), p.checkTargets(ctx))
}

// checkFree finds branches next to which git can have no work branch: "cfctl" and
// "cfctl/release-v1.2.0" cannot both be there.
func (p *preflight) checkFree(ctx context.Context) error {
	work := p.Train.Work()
	for _, c := range p.Train.Released() {
		h, err := p.Heads(ctx, c.Repository)
		if err != nil {
			return err
		}
		for _, name := range git.Sorted(h.Branches) {
			if strings.HasPrefix(work, name+"/") || strings.HasPrefix(name, work+"/") {
				p.bad(c.Name, "set release.prefix to another one, or rename that branch", "%s has the branch %s, so that %s cannot be created", c.Repository, name, work)
			}
		}
	}
	return nil
}

// checkTargets looks at the branches of other repositories that PRs go to: with
// one commit that is not signed, a PR to a branch that wants signatures can not
// be merged.
func (p *preflight) checkTargets(ctx context.Context) error {
	t := p.Train
	type target struct{ repo, branch string }
	var list []target
	if c := t.Recipe.Catalog; c != nil {
		list = append(list, target{c.Repository, c.Branch})
	}
	for i := range t.Recipe.Downstream {
		if d := &t.Recipe.Downstream[i]; stack.InEra(t.Version, d.From, d.Until) {
			list = append(list, target{d.Repository, d.Branch})
		}
	}
	for _, to := range list {
		rules, err := p.Forge.Protection(ctx, to.repo, to.branch)
		if err != nil {
			return err
		}
		p.wantsSigned(ctx, rules, "", to.branch+" of "+to.repo+" takes signed commits only")
	}
	return nil
}

// wantsSigned says so when signatures are wanted and none will be made.
func (p *preflight) wantsSigned(ctx context.Context, rules forge.Protection, component, wants string) {
	switch {
	case !rules.Signatures || p.Signs(ctx) && p.HasKey(ctx):
	case p.HasKey(ctx):
		p.bad(component, "set release.sign to auto", "%s, and release.sign is %s", wants, p.Train.Recipe.Sign)
	default:
		p.bad(component, "git config --global user.signingKey KEY", "%s, and git has no key", wants)
	}
}

func demands(r forge.Protection) string {
	var list []string
	if r.Reviews > 0 {
		list = append(list, fmt.Sprintf("%d approving review(s)", r.Reviews))
	}
	if len(r.Checks) > 0 {
		list = append(list, "the checks "+strings.Join(r.Checks, ", "))
	}
	return strings.Join(list, " and ")
}

// checkOwnToken finds the token of the CI job itself, where the forge can tell:
// what it makes starts no workflow, so that the train would wait for ever for
// images and checks.
// Source: https://docs.github.com/en/actions/concepts/security/github_token.
func checkOwnToken(ctx context.Context, p *preflight) error {
	reader, ok := p.Forge.(forge.JobTokenReader)
	if _, err := p.Account(ctx); !ok || !forge.Refused(err, http.StatusForbidden) {
		return nil // a user's; what else is wrong with it says token-scope
	}
	own, err := reader.JobToken(ctx)
	if err != nil || !own {
		return err
	}
	const hint = "give the job the token of a GitHub App or of a machine user: docs/release-in-ci.md"
	t := p.Train
	builds := slices.ContainsFunc(t.Released(), func(c *stack.Component) bool { return t.Image(c) != "" })
	if builds || len(t.Recipe.Tests) > 0 {
		p.bad("", hint, "the token is the job's own: tags and PRs that it makes start no workflow, and this release waits for what they build and test")
		return nil
	}
	p.say(report.Warning, "", hint, "the token is the job's own: tags and PRs that it makes start no workflow, and it reaches no other repository")
	return nil
}
