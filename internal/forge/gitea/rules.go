package gitea

import (
	"context"
	"errors"
	"net/http"
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
