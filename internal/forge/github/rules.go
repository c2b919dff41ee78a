package github

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"slices"
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

// A ruleset is one of a repository, or of its organisation.
type ruleset struct {
	ID          int64  `json:"id"`
	Target      string `json:"target"` // branch, tag, push
	Enforcement string `json:"enforcement"`
	Bypass      string `json:"current_user_can_bypass"` // always, pull_requests_only, never; empty = not said
	Rules       []rule `json:"rules"`
	Conditions  struct {
		RefName struct{ Include, Exclude []string } `json:"ref_name"`
	} `json:"conditions"`
}

// TagRules implements forge.Reader: one request, and one for each active
// ruleset about tags.
func (g *Client) TagRules(ctx context.Context, repo, tag string) (forge.Protection, error) {
	var p forge.Protection
	var list []ruleset
	err := g.get(ctx, "repos/"+repo+"/rulesets?per_page=100&targets=tag", &list)
	if err != nil {
		var shape *json.UnmarshalTypeError
		if forge.Unseen(err) || errors.As(err, &shape) {
			err = nil
		}
		return p, err
	}
	for _, short := range list {
		if short.Target != "tag" || short.Enforcement != "active" {
			continue
		}
		var full ruleset
		if err := g.get(ctx, fmt.Sprintf("repos/%s/rulesets/%d", repo, short.ID), &full); err != nil {
			if forge.Unseen(err) {
				continue
			}
			return p, err
		}
		if full.Bypass == "always" || !full.about("refs/tags/"+tag) {
			continue
		}
		for _, r := range full.Rules {
			r.addTo(&p)
		}
	}
	return p, nil
}

// about says whether a ruleset is about a ref: fnmatch patterns, and ~ALL.
func (s ruleset) about(ref string) bool {
	fits := func(p string) bool {
		return p == "~ALL" || forge.MatchesRef(strings.NewReplacer("?", "[^/]", "+", "\\+").Replace(p), ref)
	}
	in := s.Conditions.RefName
	return slices.ContainsFunc(in.Include, fits) && !slices.ContainsFunc(in.Exclude, fits)
}
