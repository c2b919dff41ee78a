package gitea

import (
	"context"
	"errors"
	"net/http"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/project-codeflare/cfctl/internal/forge"
	"github.com/project-codeflare/cfctl/internal/wire"
)

// Protection implements forge.Reader: the branch says what it demands, the
// rule itself, where the token may see it, whether commits are to be signed
// and have all of the branch. A branch that is not there has no protection.
func (c *Client) Protection(ctx context.Context, repo, branch string) (forge.Protection, error) {
	var b struct {
		Protected bool     `json:"protected"`
		Approvals int      `json:"required_approvals"`
		Enabled   bool     `json:"enable_status_check"`
		Contexts  []string `json:"status_check_contexts"`
		Rule      string   `json:"effective_branch_protection_name"`
	}
	err := c.do(ctx, http.MethodGet, repoPath(repo, "branches", branch), nil, &b)
	if errors.Is(err, wire.ErrNotFound) {
		return forge.Protection{}, nil
	}
	if err != nil || !b.Protected {
		return forge.Protection{}, err
	}
	p := forge.Protection{Protected: true, Reviews: b.Approvals}
	if b.Enabled {
		for _, name := range b.Contexts {
			p.Want(forge.RequiredCheck{Name: name, Glob: strings.Contains(name, "*")})
		}
	}
	var rule struct {
		Signed bool `json:"require_signed_commits"`
		Strict bool `json:"block_on_outdated_branch"`
	}
	err = c.do(ctx, http.MethodGet, repoPath(repo, "branch_protections", b.Rule), nil, &rule)
	if forge.Unseen(err) {
		p.Hidden, err = true, nil
	}
	p.Signatures, p.Strict = rule.Signed, rule.Strict
	return p, err
}

// A tagRule says who may make or move the tags of a pattern.
type tagRule struct {
	Pattern string   `json:"name_pattern"`
	Users   []string `json:"whitelist_usernames"`
	Teams   []string `json:"whitelist_teams"`
}

// TagRules implements forge.Reader. Only administrators see the rules; a
// tag that is protected from this account cannot be made by it. Teams cannot be
// told: a rule that names one is taken for one that lets the account through.
func (c *Client) TagRules(ctx context.Context, repo, tag string) (forge.Protection, error) {
	var rules []tagRule
	err := c.do(ctx, http.MethodGet, repoPath(repo, "tag_protections"), nil, &rules)
	if forge.Unseen(err) {
		return forge.Protection{}, nil
	}
	rules = slices.DeleteFunc(rules, func(r tagRule) bool { return !matches(r.Pattern, tag) })
	if err != nil || len(rules) == 0 {
		return forge.Protection{}, err
	}
	me, err := c.Account(ctx)
	if err != nil {
		return forge.Protection{}, err
	}
	var p forge.Protection
	for _, r := range rules {
		own := slices.ContainsFunc(r.Users, func(u string) bool { return strings.EqualFold(u, me.Login) })
		p.Protected = true
		p.Creation = p.Creation || !own && len(r.Teams) == 0
	}
	return p, nil
}

// matches says whether a rule is about a tag: a glob, or /an expression/.
func matches(pattern, tag string) bool {
	if len(pattern) >= 2 && strings.HasPrefix(pattern, "/") && strings.HasSuffix(pattern, "/") {
		re, err := regexp.Compile(pattern[1 : len(pattern)-1])
		return err == nil && re.MatchString(tag)
	}
	flat := strings.NewReplacer("/", "\x00") // a star of Gitea's takes slashes too
	ok, err := path.Match(flat.Replace(pattern), flat.Replace(tag))
	return err == nil && ok
}
