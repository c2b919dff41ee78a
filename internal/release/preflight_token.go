package release

import (
	"context"
	"net/http"
	"slices"

	"github.com/project-codeflare/cfctl/internal/forge"
	"github.com/project-codeflare/cfctl/internal/report"
	"github.com/project-codeflare/cfctl/internal/stack"
)

// checkOwnToken finds the token of the CI job itself, where the forge can tell:
// what it makes starts no workflow, so that the train would wait for ever for
// images and checks.
// Source: https://docs.github.com/en/actions/concepts/security/github_token.
func checkOwnToken(ctx context.Context, p *preflight) error {
	reader, ok := p.forge.(forge.JobTokenReader)
	if _, err := p.account(ctx); !ok || !forge.Refused(err, http.StatusForbidden) {
		return nil // a user's; what else is wrong with it says token-scope
	}
	own, err := reader.JobToken(ctx)
	if err != nil || !own {
		return err
	}
	const hint = "give the job the token of a GitHub App or of a machine user: docs/release-in-ci.md"
	t := p.train
	builds := slices.ContainsFunc(t.released(), func(c *stack.Component) bool { return t.image(c) != "" })
	if builds || len(t.recipe.Tests) > 0 {
		p.bad("", hint, "the token is the job's own: tags and PRs that it makes start no workflow, and this release waits for what they build and test")
		return nil
	}
	p.say(report.Warning, "", hint, "the token is the job's own: tags and PRs that it makes start no workflow, and it reaches no other repository")
	return nil
}
