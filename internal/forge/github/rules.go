package github

import (
	"context"
	"net/url"
	"strings"

	"github.com/project-codeflare/cfctl/internal/forge"
)

// A rule is one of a ruleset. Source: "REST API endpoints for rules".
type rule struct {
	Type       string `json:"type"`
	Parameters struct {
		Reviews int  `json:"required_approving_review_count"`
		Owners  bool `json:"require_code_owner_review"`
		Strict  bool `json:"strict_required_status_checks_policy"`
		Checks  []struct {
			Context string `json:"context"`
			App     *int64 `json:"integration_id"`
		} `json:"required_status_checks"`
	} `json:"parameters"`
}

// addTo adds what a rule demands.
func (r rule) addTo(p *forge.Protection) {
	switch r.Type {
	case "required_signatures":
		p.Signatures = true
	case "creation":
		p.Creation = true
	case "pull_request":
		p.Reviews = max(p.Reviews, r.Parameters.Reviews)
		p.Owners = p.Owners || r.Parameters.Owners
	case "merge_queue":
		p.Queue = true
	case "required_status_checks":
		p.Strict = p.Strict || r.Parameters.Strict
		for _, c := range r.Parameters.Checks {
			p.Want(required(c.Context, c.App))
		}
	}
}

// Protection implements forge.Reader: two requests. A server that does not know
// rulesets has none.
func (g *Client) Protection(ctx context.Context, repo, branch string) (forge.Protection, error) {
	p, err := g.classic(ctx, repo, branch)
	if err != nil {
		return p, err
	}
	var rules []rule
	err = g.get(ctx, "repos/"+repo+"/rules/branches/"+escapeRef(branch)+"?per_page=100", &rules)
	if err != nil && !forge.Unseen(err) {
		return p, err
	}
	for _, r := range rules {
		r.addTo(&p)
	}
	return p, nil
}

// escapeRef escapes the parts of a branch's name; the slashes between stay.
func escapeRef(ref string) string {
	return strings.ReplaceAll(url.PathEscape(ref), "%2F", "/")
}
